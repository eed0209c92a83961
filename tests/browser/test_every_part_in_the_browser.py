"""One task with every part, in two right-to-left languages: offline, after a reload, by touch, without JavaScript."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.annotation.test_library import RIGHT_TO_LEFT
from tests.browser.rules import check
from tests.product import Product

pytestmark = pytest.mark.browser
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 780}, "has_touch": True, "is_mobile": True}
PLACES = ("offline", "reload", "touch", "plain", "strict")
MAKE = """
import json, sys, tempfile
from pathlib import Path
from tests.annotation.describing import make_description, make_own_campaign
from tests.make import make_participation
text, *names = sys.argv[1:]
campaign = make_own_campaign(make_description(text), Path(tempfile.mkdtemp()), redundancy=len(names))
print(json.dumps({name: f"/task/{make_participation(campaign, name).secret}/" for name in names}))
"""
ANSWERED = {
    "a.choice": ["rain"],
    "a.grid.a": ["yes"],
    "a.grid.b": ["no"],
    "a.rating.rating.a": ["2"],
    "a.rating.rating.b": ["1"],
    "a.better": ["tie"],
    "a.words": ["مطر 👨‍👩‍👧"],
}
VALUES = """() => [...document.querySelectorAll(".parts :is(input, textarea, select)")]
    .filter((field) => field.name && field.value && (!/radio|checkbox/.test(field.type) || field.checked))
    .map((field) => [field.name, field.value])"""


@pytest.fixture(scope="module")
def addresses(product: Product) -> dict[str, str]:
    """The address of somebody's tasks for each test."""
    output = product.python(MAKE, RIGHT_TO_LEFT, *PLACES)
    return dict(json.loads(output.strip().splitlines()[-1]))


def fill(page: Page) -> None:
    for field, values in ANSWERED.items():
        for value in values:
            control = page.locator(f"[name='{field}'][value='{value}']")
            if control.count():
                control.check(force=True)
            else:
                page.locator(f"[name='{field}']").fill(value)
    if page.locator("[data-canvas][tabindex]").count():
        mark_by_keys(page)
    else:
        page.locator("[name='a.marks']").fill(f"{page.locator('[data-token]').first.inner_text()} # sky # sure=yes")


def mark_by_keys(page: Page) -> None:
    """Mark the first word, and answer the question about the mark."""
    page.locator("[data-canvas]").focus()
    for key in ("Home", "s", "Enter", "ArrowDown", "Enter"):
        page.keyboard.press(key)


def answered(page: Page) -> dict[str, list[str]]:
    """Return what the fields of an answered page hold."""
    start, end = (
        int(page.locator("[data-token]").first.get_attribute(f"data-{edge}") or "") for edge in ("start", "end")
    )
    mark = {"start": start, "end": end, "label": "sky", "attributes": {"sure": "yes"}}
    return {**ANSWERED, "a.marks": [json.dumps([mark], separators=(",", ":"))]}


def filled(page: Page) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in page.evaluate(VALUES):
        values.setdefault(name, []).append(value)
    return values


def test_an_answer_given_offline_is_sent_once_there_is_a_network(context: BrowserContext, addresses: dict[str, str]):
    page = context.new_page()
    page.goto(addresses["offline"])
    context.set_offline(True)
    fill(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("No connection. Your answer is kept here")).to_be_visible()

    context.set_offline(False)

    expect(page.get_by_text("Task 2")).to_be_visible()
    page.goto(addresses["offline"] + "mine/")
    expect(page.get_by_text(ANSWERED["a.words"][0])).to_be_visible()


def test_a_reload_restores_every_part(page: Page, addresses: dict[str, str]):
    page.goto(addresses["reload"])
    fill(page)
    assert filled(page) == answered(page)
    expect(page.locator("[data-saved]")).to_have_text("Saved")

    page.reload()

    assert filled(page) == answered(page)
    expect(page.locator("[data-canvas] b")).to_have_attribute("data-tag", "שמיים 🌤️")


def test_words_and_choices_are_given_by_touch(browser: Browser, product: Product, addresses: dict[str, str]):
    context = browser.new_context(base_url=product.url, **PHONE)
    page = context.new_page()
    page.goto(addresses["touch"])
    expect(page.locator("[name='a.words']")).to_be_hidden()  # it waits for a choice
    for field, (value,) in ANSWERED.items():
        label = page.locator(f"label:has([name='{field}'][value='{value}'])")
        if label.count():
            label.tap()
    page.locator("[name='a.words']").tap()
    page.keyboard.insert_text(ANSWERED["a.words"][0])
    page.locator("[data-token]").first.tap()
    page.locator("[data-label=sky]").tap()
    expect(page.locator("[data-canvas] b")).to_have_attribute("data-tag", "שמיים 🌤️ …")
    page.get_by_label("בטוח?").select_option("yes")
    assert filled(page) == answered(page)
    page.get_by_role("button", name="Submit").tap()

    expect(page.get_by_text("Task 2")).to_be_visible()
    context.close()


def test_every_part_is_answered_without_javascript(browser: Browser, product: Product, addresses: dict[str, str]):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(addresses["plain"])
    fill(page)
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text("Task 2")).to_be_visible()
    context.close()


def test_every_part_keeps_to_the_rules_of_pages(strict: Page, addresses: dict[str, str]):
    strict.goto(addresses["strict"])
    mark_by_keys(strict)
    check(strict)
    strict.get_by_role("button", name="Submit").click()
    expect(strict.locator("[aria-invalid]").first).to_be_visible()
    check(strict)
    assert strict.locator(".parts").get_attribute("dir") == "rtl"
