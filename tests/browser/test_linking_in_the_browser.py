"""Marks linked to pages in real Chromium: by keys, by touch on a phone and without JavaScript."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.rules import check
from tests.product import Product

pytestmark = pytest.mark.browser

PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
NAMES = ("keys", "several", "touch", "plain", "rules")
MAKE = """
import json, sys, tempfile
from pathlib import Path
from tests.annotation.linking import make_linking_campaign
from tests.make import make_participation
campaign = make_linking_campaign(Path(tempfile.mkdtemp()), redundancy=9)
print(json.dumps({name: f"/task/{make_participation(campaign, name).secret}/" for name in json.loads(sys.argv[1])}))
"""


@pytest.fixture(scope="module")
def tasks(product: Product) -> dict[str, str]:
    """The address of a task for each name."""
    return dict(json.loads(product.python(MAKE, json.dumps(NAMES)).strip().splitlines()[-1]))


def sent(page: Page) -> list[dict[str, Any]]:
    return list(json.loads(page.locator("textarea[name='a.names']").input_value() or "[]"))


def pages_of(page: Page) -> list[list[str]]:
    return [mark.get("attributes", {}).get("page", []) for mark in sent(page)]


def field(page: Page) -> Locator:
    return page.get_by_role("combobox")


def mark(page: Page, *words: int) -> None:
    """Mark a run of words by their places in the text."""
    tokens = page.locator("[data-canvas] [data-token]")
    for number in words:
        tokens.nth(number).click()
    page.locator("[data-label=name]").click()


def test_a_page_is_chosen_with_keys_alone(page: Page, product: Product, tasks: dict[str, str]):
    page.goto(f"{product.url}{tasks['keys']}")
    canvas, options = page.locator("[data-canvas][tabindex]"), page.get_by_role("option")
    expect(canvas).to_be_focused()

    for key in ("ArrowRight", "Shift+ArrowRight", "Enter", "Enter"):  # Mira Holt is marked, and its field has the focus
        page.keyboard.press(key)
    expect(field(page)).to_be_focused()
    expect(options).to_have_count(1)  # the words of the mark are looked up at once
    expect(options.first).to_contain_text("is a pilot")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)

    page.keyboard.type("arden")
    expect(options.first).to_contain_text("called alike")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("[data-pages-said]")).to_contain_text("called alike")
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert pages_of(page) == [["Arden Hill"]]
    expect(page.locator("[data-list]")).to_contain_text("page: Arden Hill")
    expect(field(page)).to_be_focused()  # a second page may follow

    page.keyboard.type("https://en.wikipedia.org/wiki/Old_Arden")
    expect(page.locator("[data-pages-said]")).to_contain_text("1 page for “https")
    page.keyboard.press("Enter")
    expect(canvas).to_be_focused()
    assert pages_of(page) == [["Arden Hill", "Arden (town)"]]
    with page.expect_response(lambda answer: "/draft/" in answer.url):
        page.keyboard.press("Control+z")
    assert pages_of(page) == [["Arden Hill"]]


def test_one_press_links_every_other_place_and_an_unknown_page_is_asked_about(
    context: BrowserContext, product: Product, tasks: dict[str, str]
):
    page = context.new_page()
    page.goto(f"{product.url}{tasks['several']}")
    mark(page, 3)
    field(page).fill("some film")
    option = page.get_by_role("option", name="is not in this installation. Keep it?")
    expect(option).to_be_visible()
    option.click()
    page.get_by_role("button", name="Same for these words everywhere").click()

    expect(page.locator("[data-list] > li")).to_have_count(2)
    assert pages_of(page) == [["Some film"], ["Some film"]]
    with page.expect_response(lambda answer: "/draft/" in answer.url):
        page.get_by_role("button", name="Remove the page Some film").click()
    assert pages_of(page) in ([[], ["Some film"]], [["Some film"], []])
    page.reload()
    expect(page.locator("[data-list] > li")).to_have_count(2)
    page.locator("[data-list] button[data-act=go]", has_text="Some film").click()
    expect(page.locator("[data-chosen]")).to_contain_text("This page is not in this installation.")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("“Some film” is not among the pages of this installation. Keep it?").first).to_be_visible()


def test_a_page_is_chosen_by_touch(browser: Browser, product: Product, tasks: dict[str, str]):
    context = browser.new_context(base_url=product.url, **PHONE)
    page = context.new_page()
    page.goto(tasks["touch"])
    tokens = page.locator("[data-canvas] [data-token]")
    tokens.nth(0).tap()
    tokens.nth(1).tap()
    page.locator("[data-label=name]").tap()
    field(page).tap()
    page.get_by_role("option").first.tap()

    expect(page.locator("[data-chosen]")).to_contain_text("Mira Holt (born 1950) is a pilot.")
    assert pages_of(page) == [["Mira Holt"]]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_without_javascript_pages_stand_in_lines(browser: Browser, product: Product, tasks: dict[str, str]):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(tasks["plain"])
    with context.expect_page() as opened:
        page.get_by_role("link", name="look up titles").click()
    titles = opened.value
    titles.get_by_label("Words of the title").fill("arden")
    titles.get_by_role("button", name="Look up").click()
    expect(titles.get_by_text("Arden Hill is a hill.")).to_be_visible()
    titles.close()

    page.get_by_role("textbox", name="Marks, one on each line").fill("Arden # Name # page=Arden")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("only lists pages that are called alike").first).to_be_visible()
    page.get_by_role("textbox", name="Marks, one on each line").fill("Arden # Name # page=Old Arden # page=Arden Hill")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Your last answer is stored.")).to_be_visible()
    context.close()


def test_the_field_and_its_list_keep_to_the_rules(strict: Page, product: Product, tasks: dict[str, str]):
    strict.goto(f"{product.url}{tasks['rules']}")
    mark(strict, 0, 1)
    field(strict).fill("ar")
    expect(strict.get_by_role("option")).not_to_have_count(0)
    check(strict)
    strict.keyboard.press("ArrowDown")
    strict.keyboard.press("ArrowDown")
    strict.keyboard.press("Enter")
    expect(strict.locator("[data-chosen] > li")).to_have_count(1)
    check(strict)
    strict.goto(f"{product.url}{tasks['rules']}lookup/pages/?q=arden")
    check(strict)
