"""The researcher's campaign page in real Chromium."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.annotators import make_places
from tests.browser.rules import check
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

    shown.get_by_label("Online panel").check()

    expect(code).to_be_visible()
    shown.get_by_label("Our team and invited people").check()
    expect(code).to_be_hidden()
    plain.close()


def test_a_new_campaign_shows_its_cost_while_it_is_filled_in(page: Page, product: Product):
    sign_in(page, product)
    page.goto("/campaigns/new/")
    assert page.evaluate("document.documentElement.scrollHeight") <= 1400
    card = page.get_by_role("complementary", name="Cost estimate")
    page.get_by_label("Sample").select_option(label="Demo sample (40 instances)")
    expect(card.get_by_text("40 tasks × 3 answers × $0.00")).to_be_visible()

    page.get_by_label("Reward per answer").fill("0.12")
    expect(card.get_by_text("$14.40").first).to_be_visible()
    card.get_by_role("button", name="Raise the reward to $0.23").click()

    expect(card.get_by_text("Meets the target.")).to_be_visible()
    expect(page.get_by_label("Reward per answer")).to_have_value("0.23")
    expect(page.get_by_label("Reward per answer")).to_be_focused()


COMPARED = """
import tempfile
from pathlib import Path
from tests.annotation.describing import in_library, make_description, make_own_campaign
campaign = make_own_campaign(make_description(in_library("pairwise_preference")), Path(tempfile.mkdtemp()))
print(campaign.sample_id)
"""


def test_only_tasks_and_instructions_that_go_with_the_sample_are_offered(page: Page, product: Product):
    sample = product.python(COMPARED).strip().splitlines()[-1]
    sign_in(page, product)
    page.goto("/campaigns/new/")
    page.get_by_label("Sample").select_option(label="Demo sample (40 instances)")
    expect(page.get_by_label("Task type")).to_have_value("aggregation")

    page.get_by_label("Sample").select_option(sample)

    expect(page.get_by_label("Task type").locator("option:checked")).to_have_text(re.compile("Better answer"))
    expect(page.locator("option", has_text="TESA instructions").first).to_be_disabled()
    expect(page.get_by_text("There are 2 questions.")).to_be_visible()


def test_requirements_come_and_go_as_lines(page: Page, product: Product):
    sign_in(page, product)
    page.goto("/campaigns/new/")
    page.get_by_label("Sample").select_option(label="Demo sample (40 instances)")
    lines = page.get_by_role("group", name="Requirements").get_by_role("listitem")
    lines.get_by_label("Requirement", exact=True).select_option("Earlier answers")
    lines.get_by_role("spinbutton").fill("1000000")
    expect(page.get_by_text("0 known people meet these.")).to_be_visible()

    page.get_by_role("button", name="Add requirement").click()
    expect(lines.nth(1).get_by_label("Requirement", exact=True)).to_be_focused()
    lines.nth(1).get_by_label("Requirement", exact=True).select_option("First language")
    lines.nth(1).get_by_role("textbox").fill("English")
    lines.nth(0).get_by_role("button", name="Remove requirement").click()

    expect(lines).to_have_count(1)
    expect(page.get_by_text("known people meet these.")).to_be_hidden()
    page.get_by_label("Name (required)").fill("Lines of requirements")
    page.get_by_role("textbox", name="Contact").fill("Ben")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Lines of requirements was created as a draft.")).to_be_visible()
    page.get_by_role("link", name="Settings", exact=True).click()
    expect(page.get_by_text("English", exact=True)).to_be_visible()


def test_a_draft_is_edited_on_a_page_that_fits_and_is_accessible(strict: Page, product: Product):
    sign_in(strict, product)
    strict.goto("/campaigns/new/")
    strict.get_by_label("Sample").select_option(label="Demo sample (40 instances)")
    strict.get_by_label("Name (required)").fill("A draft to edit")
    strict.get_by_role("textbox", name="Contact").fill("Ben")
    strict.keyboard.press("Enter")
    expect(strict.get_by_text("A draft to edit was created as a draft.")).to_be_visible()
    expect(strict.get_by_text("40 of 40 tasks created", exact=True)).to_be_visible()
    check(strict)

    strict.goto(f"{strict.url}edit/")
    expect(strict.get_by_label("Name (required)")).to_have_value("A draft to edit")
    check(strict)
    strict.get_by_label("Name (required)").fill("A draft, edited")
    strict.keyboard.press("Enter")

    expect(strict.get_by_role("heading", level=1)).to_have_text("A draft, edited")


LETTERS = """plots => plots.map(plot => {
  const svg = [...plot.querySelectorAll("svg")].find((drawing) => drawing.getClientRects().length);
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [plot.scrollWidth <= plot.clientWidth, 12 * scale];
})"""


@pytest.mark.parametrize("width", [1280, 1000, 768, 600, 360])
def test_the_plots_of_a_campaign_are_whole_and_readable_at_every_width(page: Page, product: Product, width: int):
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, product)
    page.goto("/campaigns/1/plots/")

    drawn = page.locator(".plot__scroll").evaluate_all(LETTERS)

    assert len(drawn) == 2  # times are of people alone, and the demo's participants are simulated
    assert all(is_whole and 9 < letters < 16 for is_whole, letters in drawn), drawn
    page.goto("/campaigns/2/")
    days = page.locator("svg.days:visible")
    expect(days).to_have_count(1)
    assert 9 < 12 * days.evaluate("svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width") < 16


def test_an_invite_s_link_is_copied_with_one_press_and_can_be_selected_without_javascript(
    page: Page, browser: Browser, product: Product
):
    campaign = make_places(product, {"invites": ({}, True)})["invites"]["campaign"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(page, product)
    page.goto(f"/campaigns/{campaign}/")
    for label in ("the club", "the school"):
        if not page.get_by_role("dialog").is_visible():
            page.get_by_role("link", name="Invite people").first.click()
        page.get_by_label("Name of the link").fill(label)
        page.get_by_role("button", name="Create link").click()
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


def test_a_step_is_confirmed_in_a_dialog_over_the_page_and_on_a_page_without_javascript(
    page: Page, browser: Browser, product: Product
):
    sign_in(page, product)
    page.goto("/campaigns/2/")
    here = page.url
    page.get_by_role("link", name="Pause…").click()
    asked = page.get_by_role("dialog", name="Pause this campaign?")
    expect(asked.get_by_role("button", name="Pause campaign")).to_be_visible()

    asked.get_by_role("link", name="Cancel").click()

    expect(asked).to_have_count(0)
    assert page.url == here
    plain = browser.new_context(
        base_url=product.url, java_script_enabled=False, storage_state=page.context.storage_state()
    )
    shown = plain.new_page()
    shown.goto(here)
    shown.get_by_role("link", name="Pause…").click()
    expect(shown.get_by_role("heading", name="Pause this campaign?")).to_be_visible()
    plain.close()


def test_participants_are_selected_together_and_asked_about_in_one_dialog(page: Page, product: Product):
    sign_in(page, product)
    page.goto("/campaigns/1/")
    page.get_by_role("link", name=re.compile(r"^Participants \d")).click()
    button = page.get_by_role("button", name="Exclude participants…")
    expect(button).to_be_hidden()

    page.get_by_role("checkbox", name="Select all on this page").check()
    button.click()

    asked = page.get_by_role("dialog", name="Exclude 10 participants?")
    expect(asked.get_by_text("120 answers.")).to_be_visible()
    expect(asked.get_by_role("button", name="Exclude 10 participants")).to_be_visible()
    page.keyboard.press("Escape")
    expect(asked).to_have_count(0)
