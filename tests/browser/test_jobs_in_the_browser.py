"""Signing in, watching a job and cancelling it, in real Chromium against the running product."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.product import Product

pytestmark = pytest.mark.browser
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, product: Product) -> Iterator[Page]:
    """A page that fails the test on any console error, failed request or request that leaves the machine."""
    context = browser.new_context(base_url=product.url, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda r: None if r.url.startswith((product.url, "data:")) else problems.append(r.url))
    yield opened
    context.close()
    assert problems == []


def sign_in(page: Page, product: Product, name: str = "ada") -> None:
    page.goto("/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(product.passwords[name])
    page.keyboard.press("Enter")
    page.wait_for_url(product.url + "/")


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
    sign_in(page, product, "ben")
    start_check(page, 3)
    bar = page.get_by_role("progressbar")

    expect(page.get_by_text("Running")).to_be_visible(timeout=20_000)
    expect(bar).not_to_have_attribute("value", "0", timeout=20_000)
    expect(page.get_by_text("rounds without a fault")).to_be_visible(timeout=20_000)
    expect(bar).to_have_attribute("value", "100")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.wait_for_timeout(2500)
    assert requests == []


def test_a_job_is_cancelled_and_retried_from_its_page(page, product):
    sign_in(page, product)
    start_check(page, 60)
    expect(page.get_by_text("Running")).to_be_visible(timeout=20_000)

    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".badge--cancelled")).to_be_visible(timeout=5_000)

    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("Running")).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".badge--cancelled")).to_be_visible(timeout=5_000)


def test_a_job_can_be_followed_without_javascript(browser, product):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, product)
    start_check(page, 1)

    page.wait_for_timeout(200)
    assert page.locator("meta[http-equiv=refresh]").count() == 1 or page.locator(".badge--succeeded").count() == 1
    expect(page.get_by_text("rounds without a fault")).to_be_visible(timeout=20_000)
    context.close()


PATHS = ["/", "/jobs/", "/jobs/1/", "/account/", "/account/tokens/", "/account/password/"]


@pytest.mark.parametrize("path", [*PATHS, "/account/sign-in/", "/account/forgot/"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_pages_fit_and_pass_the_accessibility_rules(browser, product, path, width, scheme):
    context = browser.new_context(
        base_url=product.url, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    if path in PATHS:
        sign_in(page, product)
    page.goto(path)

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    context.close()


def test_the_api_documentation_opens_under_the_security_policy(page, product):
    sign_in(page, product)
    page.goto("/api/docs/")

    expect(page.locator(".opblock").first).to_be_visible(timeout=20_000)


def test_home_is_light(page, product):
    sign_in(page, product)
    sizes = []
    page.on("requestfinished", lambda request: sizes.append(sum(request.sizes().values())))
    page.goto("/")
    page.wait_for_load_state("networkidle")

    assert len(sizes) <= 8
    assert sum(sizes) < 60_000
