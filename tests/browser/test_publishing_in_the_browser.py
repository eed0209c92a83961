"""From a draft to HITs on one page: settings, preview, price, a rehearsal with invented people, publishing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser

MAKE = """
from django.contrib.auth.models import Permission
from annotation.models import Campaign
from kernel.models import User
from tests.annotation.test_rehearsing import make_draft
User.objects.get(username="ada").user_permissions.add(Permission.objects.get(codename="spend"))
print(make_draft(name=f"Draft {Campaign.objects.count()}").pk)
"""
GOOD = "Everything was answered and paid, and TESA and the marketplace agree."


def open_draft(page: Page, product: Product) -> None:
    """Sign in as somebody who may spend, and open the publishing page of a draft with three tasks for two people."""
    draft = product.python(MAKE).split()[-1]
    sign_in(page, product)
    page.goto(f"/campaigns/{draft}/")
    page.get_by_role("link", name="Publish…").click()


def test_a_campaign_is_rehearsed_by_invented_people_and_then_published(page: Page, product: Product):
    open_draft(page, product)
    expect(page.get_by_role("region", name="1. Settings")).to_contain_text("3 tasks, 2 answers each")
    frame = page.frame_locator("iframe[title^='The task as workers see it']")
    expect(frame.get_by_text("This is a preview")).to_be_visible()
    price = page.get_by_role("region", name="3. Price and pay")
    expect(price).to_contain_text("$1.44")
    expect(price).to_contain_text("Hourly pay")

    page.get_by_role("button", name="Rehearse").click()
    budget = page.get_by_role("textbox", name="Budget in USD")
    budget.fill("1.50")
    budget.blur()
    result = page.get_by_role("region", name="4. Rehearsal")
    expect(result).to_contain_text(GOOD)
    expect(result).to_contain_text(re.compile(r"Answers\s*6\s*of 6"))
    expect(budget).to_have_value("1.50")  # what was typed outlives the new figures

    page.get_by_role("button", name="Publish 3 HITs for $1.44").click()
    page.wait_for_url("**/marketplace/")
    expect(page.get_by_text("Publishing 3 HITs. The Marketplace tab counts them as they appear.")).to_be_visible()
    figures = page.locator("#market-figures .tile")
    expect(figures.filter(has_text="Budget")).to_contain_text("$1.50")
    expect(figures.filter(has_text="Published HITs").get_by_role("definition").first).to_have_text("3")


def test_the_page_shows_how_a_rehearsal_ends_although_the_server_is_busy_for_a_while(
    browser: Browser, product: Product
):
    context = browser.new_context(base_url=product.url)
    page = context.new_page()
    open_draft(page, product)
    page.route("**/jobs/*/", lambda route: route.fulfill(status=503))

    page.get_by_role("button", name="Rehearse").click()

    expect(page.get_by_role("region", name="4. Rehearsal")).to_contain_text(GOOD)
    page.unroute("**/jobs/*/")
    expect(page.locator("#toasts")).to_contain_text("6 answers given and paid; no differences.")
    context.close()
