"""Ratings in real Chromium: by keys, by touch on a phone, without JavaScript, and after a reload in the middle."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.product import Product

pytestmark = pytest.mark.browser

TASK = """
name: Reports
parts:
  - name: quality
    kind: rating
    ask: How good are the texts?
    scale: {first: 1, last: 7, words: {1: bad, 7: good}}
    criteria: [fluency, tone]
    targets: [{id: title, text: title, label: Heading}, {id: text, text: text, label: Report}]
    no_opinion: I cannot say
    pages: true
  - name: topic
    kind: choice
    ask: Is it about rain?
    options: [{id: "yes", label: "Yes", key: "1"}, {id: "no", label: "No", key: "2"}]
  - {name: words, kind: text, ask: "Anything else?", optional: true}
instructions: {summary: Rate., details: Rate them all., examples: + Rated.}
"""
NAMES = ("keys", "touch", "plain", "reload")
MAKE = """
import json, sys
from annotation.selectors.descriptions import chosen_task
from annotation.services.descriptions import keep_description
from tests.make import make_campaign, make_participation, make_texts
names, text = json.loads(sys.argv[1])
task_type, task_settings = chosen_task(keep_description(text, by=None).key)
made = {}
for name in names:
    sample = make_texts(f"Texts of {name}")
    campaign = make_campaign(f"Ratings of {name}", sample=sample, task_type=task_type, task_settings=task_settings)
    made[name] = f"/task/{make_participation(campaign, name).secret}/"
print(json.dumps(made))
"""


@pytest.fixture(scope="module")
def tasks(product: Product) -> dict[str, str]:
    """The address of a person's task by name, each in a campaign of its own."""
    output = product.python(MAKE, json.dumps([NAMES, TASK]))
    return dict(json.loads(output))


def row(page: Page, criterion: str, target: str) -> Any:
    return page.locator(f'fieldset:has(input[name="a.quality.{criterion}.{target}"])')


def chosen(page: Page) -> dict[str, str]:
    """Return the value of each radio button that is pressed."""
    pressed = page.locator("input[type=radio]:checked").evaluate_all("(all) => all.map((own) => [own.name, own.value])")
    return {name.removeprefix("a."): value for name, value in pressed}


def test_digits_rate_the_open_rows_in_turn(page: Page, tasks: dict[str, str]):
    page.goto(tasks["keys"])
    expect(page.get_by_text("1 of 2")).to_be_visible()
    expect(row(page, "tone", "title")).to_be_hidden()

    for digit in "9624":  # there is no 9 on the scale
        page.keyboard.press(digit)
    expect(page.get_by_text("2 of 2")).to_be_visible()
    ratings = {"quality.fluency.title": "6", "quality.fluency.text": "2", "quality.tone.title": "4"}
    assert chosen(page) == ratings
    expect(row(page, "tone", "text").get_by_role("radio").first).to_be_focused()

    page.keyboard.press("Control+3")
    assert chosen(page) == ratings
    page.keyboard.press("1")
    page.get_by_label("Yes").focus()
    page.keyboard.press("2")
    page.get_by_label("Anything else?").press_sequentially("3")
    ratings |= {"quality.tone.text": "1", "topic": "no"}
    assert chosen(page) == ratings
    expect(page.locator("[data-saved]")).to_have_text("Saved")

    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Task 2")).to_be_visible()  # its body came without a reload
    page.keyboard.press("5")
    assert chosen(page) == {"quality.fluency.title": "5"}
    expect(page.get_by_text("1 of 2")).to_be_visible()


def test_a_phone_has_room_for_seven_points_to_touch(browser: Browser, product: Product, tasks: dict[str, str]):
    context = browser.new_context(
        base_url=product.url, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.goto(tasks["touch"])
    boxes = [label.bounding_box() for label in row(page, "fluency", "title").locator(".rating__point").all()]
    assert len(boxes) == 7
    assert len({box["y"] for box in boxes if box}) == 1
    assert all(box and box["height"] >= 44 and box["x"] + box["width"] <= 360 for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") == 360

    for target, point in (("title", "3"), ("text", "7")):
        row(page, "fluency", target).locator(".rating__point").nth(int(point) - 1).tap()
    page.get_by_role("button", name="Next").tap()
    row(page, "tone", "title").get_by_text("I cannot say").tap()
    page.get_by_label("Yes").tap()
    page.get_by_role("button", name="Submit").tap()
    expect(page.get_by_text("Please rate Report for tone.")).to_be_visible()
    expect(page.get_by_text("2 of 2")).to_be_visible()

    row(page, "tone", "text").locator(".rating__point").nth(4).tap()
    page.get_by_role("button", name="Submit").tap()
    expect(page.get_by_text("Task 2")).to_be_visible()
    context.close()


def test_all_criteria_are_there_without_javascript(browser: Browser, product: Product, tasks: dict[str, str]):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(tasks["plain"])
    expect(page.get_by_role("button", name="Next")).to_be_hidden()
    for criterion in ("fluency", "tone"):
        for target in ("title", "text"):
            row(page, criterion, target).locator(".rating__point").nth(2).click()
    page.locator('input[name="a.topic"][value="no"]').check()
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text("Task 2")).to_be_visible()
    context.close()


def test_a_reload_in_the_middle_leads_back_to_the_open_criterion(page: Page, tasks: dict[str, str]):
    page.goto(tasks["reload"])
    for digit in "62":
        page.keyboard.press(digit)
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()

    expect(page.get_by_text("2 of 2")).to_be_visible()
    assert chosen(page) == {"quality.fluency.title": "6", "quality.fluency.text": "2"}
    page.get_by_role("button", name="Back").click()
    expect(row(page, "fluency", "title").locator("input:checked")).to_be_focused()
