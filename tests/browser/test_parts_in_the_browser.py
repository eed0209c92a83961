"""The parts of own tasks in real Chromium: choices by keys, by touch, and without JavaScript."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.product import Product

pytestmark = pytest.mark.browser

PARTS = [
    {"kind": "choice", "name": "tone", "ask": "Which tone?", "options": ["warm", "cold"], "other": "Something else"},
    {
        "kind": "choice", "name": "topics", "ask": "Which topics?", "many": True, "most": 2, "none": "None of these",
        "options": [{"id": "rain", "key": "r"}, {"id": "wind", "key": "w"}, "fog"],
    },
    {
        "kind": "choice", "name": "each", "ask": "Is it true?", "options": ["true_", "false_"],
        "rows": ["text", {"id": "all", "label": "All of it"}],
    },
]  # fmt: skip
TASK = {
    "name": "Weather",
    "parts": PARTS,
    "instructions": {"summary": "Read the text.", "details": "Read all of it.", "examples": "- Rain"},
}
MAKE = """
import json, sys
from tests.make import make_campaign, make_participation, make_texts
task = json.loads(sys.argv[1])
made = {}
for name in ("keys", "touch", "plain"):
    settings = {"version": "own-1@1", "description": task}
    sample = make_texts(f"Texts about weather for {name}", 3)
    campaign = make_campaign(f"Weather of {name}", sample=sample, task_type="own", task_settings=settings)
    made[name] = f"/task/{make_participation(campaign, name).secret}/"
print(json.dumps(made))
"""


@pytest.fixture(scope="module")
def addresses(product: Product) -> dict[str, str]:
    """The address of somebody's tasks for each test."""
    output = product.python(MAKE, json.dumps(TASK))
    return dict(json.loads(output.strip().splitlines()[-1]))


@pytest.fixture
def phone(browser: Browser, product: Product) -> Iterator[Page]:
    context = browser.new_context(
        base_url=product.url, viewport={"width": 360, "height": 760}, has_touch=True, is_mobile=True
    )
    yield context.new_page()
    context.close()


@pytest.fixture
def plain(browser: Browser, product: Product) -> Iterator[Page]:
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    yield context.new_page()
    context.close()


def ticked(page: Page) -> dict[str, Any]:
    """Return the values that are chosen in the form, by field."""
    boxes = page.locator(".parts input:checked").evaluate_all("boxes => boxes.map((box) => [box.name, box.value])")
    chosen: dict[str, list[str]] = {}
    for name, value in boxes:
        chosen.setdefault(name, []).append(value)
    return chosen


def focused(page: Page) -> str:
    return str(page.evaluate("`${document.activeElement.name}=${document.activeElement.value}`"))


def answers(page: Page, address: str) -> list[str]:
    page.goto(f"{address}mine/")
    return [re.sub(r"\s+", " ", text).strip() for text in page.locator(".mine__text").all_inner_texts()]


def test_keys_choose_on_every_task_and_enter_submits(page: Page, addresses: dict[str, str]):
    page.goto(addresses["keys"])
    page.keyboard.press("2")
    assert (ticked(page), focused(page)) == ({"a.tone": ["cold"]}, "a.tone=cold")
    page.keyboard.press("1")
    assert ticked(page) == {"a.tone": ["warm"]}
    for key in ("r", "w"):
        page.keyboard.press(key)
    assert ticked(page) == {"a.tone": ["warm"], "a.topics": ["rain", "wind"]}
    page.keyboard.press("r")
    assert ticked(page)["a.topics"] == ["wind"]
    page.keyboard.press("4")
    assert (ticked(page)["a.topics"], focused(page)) == (["none"], "a.topics=none")
    page.keyboard.press("w")
    assert ticked(page)["a.topics"] == ["wind"]
    page.locator("[name='a.each.text']").first.focus()
    page.keyboard.press("2")
    page.locator("[name='a.each.all']").first.focus()
    page.keyboard.press("1")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Task 2")).to_be_visible()
    assert ticked(page) == {}

    page.keyboard.press("3")
    assert focused(page) == "a.tone.words="
    page.keyboard.type("rather 1 tepid")
    assert ticked(page) == {"a.tone": ["other"]}
    assert answers(page, addresses["keys"])[0].startswith("warm · wind · ")


def test_choices_are_made_by_touch_on_a_narrow_phone(phone: Page, addresses: dict[str, str]):
    phone.goto(addresses["touch"])
    heights = phone.locator(".choices > label").evaluate_all(
        "labels => labels.map((label) => label.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    expect(phone.get_by_label("In a few words")).to_be_hidden()

    phone.get_by_role("button", name="Submit").tap()
    expect(phone.get_by_text("Please choose an answer in each row.")).to_be_visible()
    assert focused(phone) == "a.tone=warm"
    phone.get_by_text("Something else").tap()
    phone.get_by_label("In a few words").fill("tepid")
    phone.get_by_text("rain", exact=True).tap()
    phone.get_by_text("None of these").tap()
    phone.get_by_text("fog", exact=True).tap()
    for row in ("text", "all"):
        phone.locator(f"label:has([name='a.each.{row}'][value='true_'])").tap()
    assert ticked(phone) == {
        "a.tone": ["other"], "a.topics": ["fog"], "a.each.text": ["true_"], "a.each.all": ["true_"],
    }  # fmt: skip
    phone.get_by_role("button", name="Submit").tap()

    expect(phone.get_by_text("Task 2")).to_be_visible()
    assert answers(phone, addresses["touch"])[0].startswith("Something else: tepid · fog · ")


def test_choices_work_without_javascript(plain: Page, addresses: dict[str, str]):
    plain.goto(addresses["plain"])
    plain.get_by_role("radio", name="warm", exact=True).check()
    for label in ("rain", "None of these"):
        plain.get_by_role("checkbox", name=label, exact=True).check()
    plain.get_by_role("button", name="Submit").click()
    expect(plain.get_by_text("“None of these” cannot be chosen together with another option.")).to_be_visible()
    assert plain.get_by_text("Please choose an answer in each row.").is_visible()
    assert ticked(plain) == {"a.tone": ["warm"], "a.topics": ["rain", "none"]}

    plain.get_by_role("checkbox", name="rain", exact=True).uncheck()
    for row in ("text", "all"):
        plain.locator(f"[name='a.each.{row}'][value='false_']").check()
    plain.get_by_role("button", name="Submit").click()
    expect(plain.get_by_text("Task 2")).to_be_visible()

    assert answers(plain, addresses["plain"])[0].startswith("warm · None of these · ")
