"""Signing in, watching a job and cancelling it, in real Chromium against the running product."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tesa_site.kernel.services.jobs import MOST_SECONDS
from tests.browser.signing_in import sign_in

pytestmark = pytest.mark.browser


def start_check(page: Page, seconds: int) -> None:
    page.goto("/jobs/")
    page.get_by_label("For how many seconds").fill(str(seconds))
    page.get_by_role("button", name="Check", exact=True).click()


def test_signing_in_and_out(page, product):
    sign_in(page, product)
    expect(page.get_by_role("heading", name="The pipeline")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/jobs/")
    expect(page).to_have_url(re.compile("/account/sign-in/"))


def test_a_job_s_bar_moves_by_itself_and_polling_stops_at_the_end(page, product):
    page.clock.install()
    sign_in(page, product, "ben")
    start_check(page, MOST_SECONDS)  # runs for as long as the page takes to show it
    bar = page.get_by_role("progressbar")

    expect(page.get_by_text("Running")).to_be_visible()
    expect(bar).not_to_have_attribute("value", "0")
    product.api(f"jobs/{page.url.rstrip('/').rpartition('/')[2]}/cancel/", {})
    expect(page.locator(".badge--cancelled")).to_be_visible()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.clock.run_for(10_000)
    assert requests == []


def test_a_job_is_cancelled_and_retried_from_its_page(page, product):
    sign_in(page, product)
    start_check(page, MOST_SECONDS)
    expect(page.get_by_text("Running")).to_be_visible()

    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".badge--cancelled")).to_be_visible()

    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("Running")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".badge--cancelled")).to_be_visible()


def test_a_job_can_be_followed_without_javascript(browser, product):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, product)
    start_check(page, 1)

    expect(page.locator("meta[http-equiv=refresh], .badge--succeeded")).to_have_count(1)
    expect(page.get_by_text("rounds without a fault")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "100")
    context.close()
