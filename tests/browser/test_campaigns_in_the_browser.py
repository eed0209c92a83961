"""The researcher's campaign page in real Chromium."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.annotators import make_places
from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser


def test_a_panel_s_settings_are_asked_only_of_whom_a_panel_sends_also_without_javascript(
    page: Page, browser: Browser, product: Product
):
    sign_in(page, product)
    plain = browser.new_context(
        base_url=product.url, java_script_enabled=False, storage_state=page.context.storage_state()
    )
    shown = plain.new_page()
    shown.goto("/campaigns/new/")
    code = shown.get_by_label("Code for completed work")
    expect(code).to_be_hidden()

    shown.get_by_label("Who answers").select_option("panel")

    expect(code).to_be_visible()
    shown.get_by_label("Who answers").select_option("local")
    expect(code).to_be_hidden()
    plain.close()


LETTERS = """plots => plots.map(plot => {
  const svg = plot.querySelector("svg");
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [plot.scrollWidth <= plot.clientWidth, 12 * scale];
})"""


@pytest.mark.parametrize("width", [1280, 700, 360])
def test_the_plots_of_a_campaign_are_whole_and_readable_at_every_width(page: Page, product: Product, width: int):
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, product)
    page.goto("/campaigns/1/plots/")

    drawn = page.locator(".plot__scroll").evaluate_all(LETTERS)

    assert len(drawn) == 2  # times are of people alone, and the demo's participants are simulated
    assert all(is_whole and 10.5 < letters < 15 for is_whole, letters in drawn), drawn


def test_an_invite_s_link_is_copied_with_one_press_and_can_be_selected_without_javascript(
    page: Page, browser: Browser, product: Product
):
    campaign = make_places(product, {"invites": ({}, True)})["invites"]["campaign"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(page, product)
    page.goto(f"/campaigns/{campaign}/")
    for label in ("the club", "the school"):
        page.get_by_label("Whom it is for").fill(label)
        page.get_by_role("button", name="Make a link").click()
        expect(page.get_by_role("row").filter(has_text=label)).to_be_visible()

    link = page.get_by_role("row").filter(has_text="the club").locator("code").inner_text()
    page.evaluate("setTimeout = (call) => { window.after_a_moment = call }")  # which comes when we say so

    page.get_by_role("button", name="Copy the link for the club").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link
    page.evaluate("after_a_moment()")
    expect(page.get_by_role("button", name="Copy the link for the club")).to_be_visible()
    plain = browser.new_context(
        base_url=product.url, java_script_enabled=False, storage_state=page.context.storage_state()
    )
    shown = plain.new_page()
    shown.goto(f"/campaigns/{campaign}/")
    expect(shown.get_by_text(link)).to_be_visible()
    expect(shown.locator("[data-copy]").first).to_be_hidden()
    plain.close()
