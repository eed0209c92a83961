"""Practice questions and the quiz of a campaign, written by keyboard, and their pages on a phone."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.rules import check
from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser
MAKE = """
import json, sys
from tests.make import make_campaign
print(json.dumps(make_campaign(sys.argv[1], is_running=False, practice=3, quiz_pass=4).pk))
"""


def make_draft(product: Product, name: str) -> int:
    output = product.python(MAKE, name)
    return int(json.loads(output))


def type_into(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.focus()
    page.keyboard.type(text)


def test_a_practice_and_a_quiz_question_are_added_by_keyboard(context: BrowserContext, product: Product):
    page = context.new_page()  # the refusal of a form is an error on the console
    draft = make_draft(product, "Taught by keyboard")
    sign_in(page, product, "ben")
    page.goto(f"/campaigns/{draft}/lessons/")
    page.get_by_role("button", name="Edit for this campaign").press("Enter")

    page.get_by_role("link", name="Add practice question").press("Enter")
    type_into(page, "Passage", "Ida Lind and Olaf Brandt read their poems.")
    type_into(page, "Name 1", "Ida Lind")
    type_into(page, "Name 2", "Olaf Brant")
    page.keyboard.press("Enter")
    expect(page.get_by_text("“Olaf Brant” does not occur in the passage")).to_be_visible()
    expect(page.get_by_label("Name 2", exact=True)).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Olaf Brandt")
    page.keyboard.press("Enter")
    type_into(page, "Accepted phrases, one per line", "poets")
    type_into(page, "Reason", "Both read poems.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("People are now asked 4 practice questions (before: 3).")).to_be_visible()
    expect(page.get_by_text("Ida Lind, Olaf Brandt")).to_be_visible()

    page.get_by_role("link", name="Add quiz question").press("Enter")
    type_into(page, "Question", "What do poets write?")
    type_into(page, "Choices, one on each line", "prose\npoems")
    type_into(page, "Right choice", "2")
    page.keyboard.press("Enter")
    expect(page.get_by_text("6. What do poets write?")).to_be_visible()


def test_the_pages_of_lessons_fit_a_phone(strict: Page, product: Product):
    draft = make_draft(product, "Taught on a phone")
    sign_in(strict, product, "ben")
    strict.goto(f"/campaigns/{draft}/lessons/")
    check(strict)
    strict.get_by_role("button", name="Edit for this campaign").click()
    for address in ("", "practice/", "practice/?number=1", "quiz/?number=0"):
        strict.goto(f"/campaigns/{draft}/lessons/{address}")
        check(strict)
