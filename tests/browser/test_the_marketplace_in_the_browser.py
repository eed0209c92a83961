"""The pages of the marketplace in Chromium, for the team and for workers: they fit and are accessible at every step."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.rules import check
from tests.browser.signing_in import sign_in
from tests.browser.test_publishing_in_the_browser import GOOD, open_draft
from tests.product import Product

pytestmark = pytest.mark.browser

PUBLISH = """
from django.contrib.auth.models import Permission
from annotation.models import Campaign
from kernel.models import User
from tests.annotation.mturk import HITS, make_published
rights = Permission.objects.filter(content_type__app_label="annotation", codename__in=("spend", "pay"))
User.objects.get(username="ada").user_permissions.add(*rights)
number = Campaign.objects.count()
asked = HITS | {"title": f"Published {number}", "approve": "reviewed"}
print(make_published(name=f"Published {number}", redundancy=1, provider_settings=asked).pk, number)
"""


def test_the_page_to_publish_is_accessible_before_while_and_after_a_rehearsal(strict: Page, product: Product):
    open_draft(strict, product)
    check(strict)

    strict.get_by_role("button", name="Rehearse").click()
    rehearsal = strict.get_by_role("region", name="4. Rehearsal")
    expect(rehearsal).to_contain_text("Answers")
    check(strict)
    expect(rehearsal).to_contain_text(GOOD)
    check(strict)
    rehearsal.get_by_role("link", name="from the marketplace").click()
    check(strict)


def work(page: Page, phrase: str) -> None:
    """Go through the steps of the HIT in the frame, and answer it."""
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="I agree and want to begin").click()
    frame.locator("form[action$='/instructions/'] button").first.click()
    expect(frame.get_by_role("textbox").first).to_be_enabled()
    check(page)
    frame.get_by_role("textbox").first.fill(phrase)
    frame.get_by_role("button", name="Submit").click()


def test_a_worker_s_pages_and_those_that_pay_are_accessible(strict: Page, browser: Browser, product: Product):
    campaign, number = product.python(PUBLISH).split()[-2:]
    worker = browser.new_context(base_url=product.url, bypass_csp=True).new_page()
    for path in ("/marketplace/", "/marketplace/join/"):
        worker.goto(path)
        check(worker)
    worker.get_by_label("User name").fill(f"worker{campaign}")
    worker.get_by_label("Password").fill("correct horse battery staple")
    worker.get_by_role("button", name="Sign up").click()
    preview = worker.get_by_role("link", name=f"Preview Published {number}")
    expect(preview).to_be_visible()
    check(worker)
    preview.click()
    expect(worker.get_by_role("button", name="Accept this HIT")).to_be_visible()
    check(worker)
    worker.get_by_role("button", name="Accept this HIT").click()
    work(worker, "the botanists")
    expect(worker.get_by_text("Submitted. If the requester does not review it")).to_be_visible()
    check(worker)
    worker.get_by_role("button", name="Accept the next HIT").click()
    for name in ("Contact the requester", "Report this HIT"):
        leads_on = worker.get_by_role("link", name=name)
        expect(leads_on).to_be_visible()
        hit = worker.url
        leads_on.click()
        expect(worker).not_to_have_url(hit)
        check(worker)
        worker.go_back()
    for name in ("queue", "dashboard", "qualifications", "messages"):
        worker.goto(f"/marketplace/{name}/")
        check(worker)
    worker.context.close()

    sign_in(strict, product)
    strict.goto(f"/campaigns/{campaign}/marketplace/")
    strict.get_by_role("button", name="Publish, collect and pay now").click()
    expect(strict.get_by_role("region", name="Submitted work")).to_contain_text("botanists")
    check(strict)
    strict.get_by_role("button", name="Approve and pay").click()
    expect(strict.locator("#market-figures .tile").filter(has_text="Approved")).to_contain_text(re.compile("Approved1"))
    check(strict)
    strict.goto(f"/campaigns/{campaign}/payments/")
    check(strict)
    strict.get_by_label("Lowest hourly pay in USD").fill("999")
    strict.get_by_role("button", name="Top up pay…").click()
    expect(strict.get_by_role("dialog").get_by_role("button", name="Pay $")).to_be_visible()
    check(strict)
    strict.goto(f"/campaigns/{campaign}/payments/top-up/?floor=999")
    check(strict)
    strict.get_by_role("button", name="Pay $").click()
    check(strict)
    strict.goto("/marketplace/requesters/")
    for link in [
        anchor.get_attribute("href") for anchor in strict.get_by_role("main").locator("a[href*='/requesters/']").all()
    ]:
        strict.goto(str(link))
        check(strict)
