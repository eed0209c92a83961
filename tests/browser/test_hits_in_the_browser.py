"""A HIT in Chromium: the task's pages are in a frame of another site, and that browser blocks third-party cookies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from annotation.marketplace.models import HIT
from annotation.models import Annotation, Placement
from tests.annotation.mturk import follow, make_published, use
from tests.browser.conftest import FLAGS
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market


@pytest.fixture
def strict_page(chromium: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page of a browser that blocks third-party cookies."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright runs a loop in this thread
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=[*FLAGS, "--test-third-party-cookie-phaseout"]
        )
        yield browser.new_context().new_page()
        browser.close()


def test_a_worker_previews_accepts_and_does_a_hit_whose_pages_come_from_another_site(
    market: Market, strict_page: Page, settings: Any, monkeypatch: pytest.MonkeyPatch
):
    use(market, monkeypatch)
    port = market.url.split(":")[2].split("/")[0]
    tasks, site = f"http://127.0.0.1:{port}", f"http://localhost:{port}"
    settings.TESA_PROVIDERS["mturk"]["sites"] = (tasks, site)
    settings.PUBLIC_URL, settings.PUBLIC_ORIGIN = tasks, tasks
    campaign = make_published(size=1, redundancy=1)
    settings.PUBLIC_URL, settings.PUBLIC_ORIGIN = site, site
    group = HIT.objects.get().hit_type.group_id

    strict_page.context.request.post(f"{site}/marketplace/enter/{market.worker().secret}/")
    strict_page.goto(f"{site}/marketplace/groups/{group}/")
    frame = strict_page.frame_locator("iframe")
    expect(frame.get_by_text("This is a preview")).to_be_visible()
    expect(frame.get_by_role("textbox").first).to_be_disabled()
    assert not Placement.objects.exists()

    strict_page.get_by_role("button", name="Accept", exact=False).first.click()
    frame.get_by_role("button", name="I agree and want to begin").click()
    frame.locator("form[action$='/instructions/'] button").first.click()
    frame.get_by_role("textbox").first.fill("the botanists")
    frame.get_by_role("button", name="Submit").click()

    expect(strict_page.get_by_text("Submitted. The requester reviews it")).to_be_visible()
    assert Annotation.objects.get().answer
    follow(campaign)
    assert Placement.objects.get().state == "approved"
    cookies = {cookie["domain"] for cookie in strict_page.context.cookies()}
    assert cookies <= {"localhost"}, "the task's pages set none"
