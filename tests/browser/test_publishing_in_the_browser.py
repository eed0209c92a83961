"""From a draft to HITs on one page: settings, preview, price, a rehearsal with invented people, publishing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.test import Client
from playwright.sync_api import Page, expect

from annotation.models import Campaign, LedgerEntry, Worker
from annotation.services import following, rehearsing
from tesa_site.kernel.models import Job
from tesa_site.kernel.progress import Silent
from tesa_site.kernel.services import people
from tests.annotation.mturk import quiet
from tests.annotation.test_rehearsing import draft as draft
from tests.browser.test_hits_in_the_browser import strict_page as strict_page
from tests.make import make_user
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market
from tests.product import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def run_job(page: Page, kind: str, run: Any) -> None:
    """Run the job that the page has started, as the worker would, and wait until the page knows."""
    job = wait_for(Job.objects.filter(kind=kind, status="queued").first)
    said = run(Campaign.objects.get(pk=job.parameters["campaign"]))
    Job.objects.filter(pk=job.pk).update(status="succeeded", result=said)
    expect(page.get_by_text(said).first).to_be_visible()


def test_a_campaign_is_rehearsed_by_invented_people_and_then_published(
    market: Market, draft: Campaign, strict_page: Page
):
    page, origin = strict_page, market.url.removesuffix("/mturk/")
    ada = make_user("ada")
    ada.user_permissions.add(Permission.objects.get(codename="spend", content_type__app_label="annotation"))
    people.forget_permissions(ada)
    client = Client()
    client.force_login(ada)
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": origin}])

    page.goto(f"{origin}/campaigns/{draft.pk}/")
    page.get_by_role("link", name="Publish…").click()
    frame = page.frame_locator("iframe[title^='The task as workers see it']")
    expect(frame.get_by_text("This is a preview")).to_be_visible()
    expect(page.get_by_role("region", name="3. Price and wage")).to_contain_text("$1.44")

    page.get_by_role("button", name="Rehearse").click()
    run_job(page, "rehearse_campaign", lambda copy: rehearsing.rehearse(copy, by=None, progress=Silent()))
    result = page.get_by_role("region", name="4. Rehearsal")
    expect(result).to_contain_text("Everything was answered and paid")
    expect(result).to_contain_text(re.compile(r"Answers\s*6\s*of 6"))
    assert not LedgerEntry.objects.filter(campaign=draft).exists()
    assert all(worker.is_simulated for worker in Worker.objects.all())

    page.get_by_role("textbox", name="Budget in USD").fill("1.44")
    page.get_by_role("button", name="Publish 6 answers").click()
    page.wait_for_url("**/marketplace/")
    run_job(page, "follow_marketplace", lambda campaign: following.follow(campaign, by=None, report=quiet))
    expect(page.get_by_role("definition").filter(has_text=re.compile(r"^3$"))).to_be_visible()
