"""The first page waits for neither typefaces nor all styles, and no page changes its type while somebody reads it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.product import wait_for

pytestmark = pytest.mark.browser
FONT = "getComputedStyle(document.querySelector('h1')).fontFamily"
LOADED = "[...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family).sort()"
HAS_TYPEFACES = "document.cookie.includes('tesa_typefaces')"


def test_the_first_page_is_set_in_the_systems_type_and_the_next_in_ours(page):
    page.goto("/account/sign-in/")
    assert "TESA" not in page.evaluate(FONT)
    wait_for(lambda: page.evaluate(HAS_TYPEFACES))
    assert "TESA" not in page.evaluate(FONT), "the page changed while somebody read it"

    page.goto("/account/forgot/")

    assert "TESA Serif" in page.evaluate(FONT)
    assert page.evaluate(LOADED) == ["TESA Sans", "TESA Serif"]


def test_pages_stay_in_the_systems_type_while_ours_cannot_be_fetched(context):
    context.route("**/*.woff2", lambda route: route.abort())
    page = context.new_page()
    with page.expect_event("requestfailed"), page.expect_event("requestfailed"):
        page.goto("/account/sign-in/")

    page.goto("/account/forgot/")

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "TESA" not in page.evaluate(FONT)
    assert not page.evaluate(HAS_TYPEFACES)


def test_a_first_visit_shows_the_bar_while_the_other_styles_are_on_their_way(page):
    held = []
    page.route("**/tesa/app.*.css", lambda route: held.append(route))
    page.goto("/account/sign-in/", wait_until="commit")
    bar = page.get_by_role("banner")
    expect(bar.get_by_role("link", name="TESA")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_count(0)
    drawn = bar.bounding_box()

    held.pop().continue_()

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert bar.bounding_box() == drawn, "the bar moved when the rest came"


def test_a_later_page_is_drawn_at_once_with_all_its_styles(page, product):
    page.context.add_cookies([{"name": "tesa_typefaces", "value": "1", "url": product.url}])
    page.goto("/account/sign-in/")

    expect(page.locator("head link[href*='tesa/app.']")).to_have_count(1)
    expect(page.locator("body link")).to_have_count(0)
