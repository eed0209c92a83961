"""The editor of own tasks in Chromium: the annotator's page follows what is typed, problems lead to their lines."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.rules import check
from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser
ASKED = "What does the writer feel about what they describe?"


def select(page: Page, words: str) -> None:
    """Put the cursor behind these words of the description, as a press of the mouse would."""
    page.locator("#text").evaluate(
        "(field, words) => { const end = field.value.indexOf(words) + words.length;"
        " field.focus(); field.setSelectionRange(end, end); }",
        words,
    )


def test_the_annotators_page_follows_what_is_typed_and_the_editor_keeps_the_focus(page: Page, product: Product):
    sign_in(page, product, "ben")
    page.goto("/campaigns/tasks/new/?from=sentiment")
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_text(ASKED)).to_be_visible()

    select(page, ASKED)
    page.keyboard.type(" Say it.")
    expect(frame.get_by_text(f"{ASKED} Say it.")).to_be_visible()
    expect(page.locator("#text")).to_be_focused()

    select(page, "kind: choice")
    page.keyboard.type("s")
    problem = page.get_by_role("button", name="“choices” is not possible here")
    expect(problem).to_be_visible()
    expect(page.locator("[data-state]")).to_have_text("(the last one without errors)")
    problem.click()
    chosen = page.locator("#text").evaluate("(field) => field.value.slice(field.selectionStart, field.selectionEnd)")
    assert "name: sentiment" in chosen

    select(page, "kind: choices")
    page.keyboard.press("Backspace")
    expect(problem).to_have_count(0)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Sentiment")).to_be_visible()
    expect(page.get_by_text("is ready for new campaigns")).to_be_visible()


def test_an_optional_choice_can_be_taken_back(page: Page, product: Product):
    sign_in(page, product, "ben")
    page.goto("/campaigns/tasks/new/?from=sentiment")
    frame = page.frame_locator("[data-frame]")
    select(page, "kind: choice")
    page.keyboard.insert_text("\n    optional: true")
    clear = frame.get_by_role("button", name="Clear this answer")
    chosen = frame.locator("input[type=radio]:checked")
    expect(frame.get_by_text("(optional)")).to_be_visible()
    expect(clear).to_be_hidden()

    frame.get_by_text("Mostly positive").first.click()
    expect(chosen).to_have_count(1)
    clear.click()
    expect(chosen).to_have_count(0)
    expect(clear).to_be_hidden()


def test_a_phone_shows_the_description_or_the_page(strict: Page, product: Product):
    sign_in(strict, product, "ben")
    strict.set_viewport_size({"width": 360, "height": 760})
    strict.goto("/campaigns/tasks/new/?from=topics")

    strict.get_by_role("button", name="Annotator’s page").click()
    expect(strict.locator("[data-frame]")).to_be_visible()
    expect(strict.locator("#text")).to_be_hidden()
    strict.get_by_role("button", name="Description").click()
    expect(strict.locator("#text")).to_be_visible()
    check(strict)
