"""Marks in a text in real Chromium: by keys, mouse, touch on a phone, without JavaScript, and after a reload."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.rules import check
from tests.product import Product

pytestmark = pytest.mark.browser

TASK = """
name: Names
parts:
  - name: names
    kind: spans
    ask: Mark the names.
    text: text
    overlap: nested
    labels: [{id: person, label: Person, key: p}, {id: place, label: Place, key: l}]
instructions: {summary: Mark., details: Mark all., examples: + Marked.}
"""
ATTRIBUTES = """
    attributes:
      - {name: sure, ask: How sure are you?, options: [very, little], required: true}
      - {name: page, ask: Which page?, labels: [person]}
"""
TEXT = "Ada Lind met Bo in Arden.\r\nBo 👨‍👩‍👧 left Arden Hill; she did not."
ADA, BO, ARDEN, HILL = [0, 8, "person"], [13, 15, "person"], [19, 24, "place"], [41, 51, "place"]
SECOND_BO, SECOND_ARDEN = [27, 29, "person"], [41, 46, "place"]
NAMES = (
    "keys",
    "mouse",
    "touch",
    "plain",
    "reload",
    "same",
    "search",
    "steps",
    "nothing",
    "again",
    "strict",
    "answers",
)
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
MAKE = """
import json, sys, tempfile
from pathlib import Path
from django.core.management import call_command
from annotation.selectors.descriptions import chosen_task
from annotation.services.descriptions import keep_description
from corpus.models import Sample
from tests.make import make_campaign, make_participation
names, text, attributes, read = json.loads(sys.argv[1])
path = Path(tempfile.mkdtemp()) / "texts.jsonl"
path.write_text("\\n".join(json.dumps({"title": f"T{n}", "text": read}) for n in range(2)))
call_command("import_instances", path, name="Names", item_kind="text", stdout=open("/dev/null", "w"))
made = {}
for name in names:
    sample = Sample.objects.get(name="Names")
    described = text.replace("\\n    labels:", attributes + "    labels:") if name == "answers" else text
    task_type, task_settings = chosen_task(keep_description(described, by=None).key)
    campaign = make_campaign(f"Marks of {name}", sample=sample, task_type=task_type, task_settings=task_settings)
    made[name] = f"/task/{make_participation(campaign, name).secret}/"
print(json.dumps(made))
"""


@pytest.fixture(scope="module")
def tasks(product: Product) -> dict[str, str]:
    """The address of a person's task by name, each in a campaign of its own."""
    output = product.python(MAKE, json.dumps([NAMES, TASK, ATTRIBUTES, TEXT]))
    return dict(json.loads(output.strip().splitlines()[-1]))


def canvas(page: Page) -> Locator:
    return page.locator("[data-canvas]")


def token(page: Page, start: int) -> Locator:
    return page.locator(f'[data-token][data-start="{start}"]')


def marks(page: Page) -> list[list[Any]]:
    """Return the marks as the form sends them."""
    sent = page.locator("textarea[name='a.names']").input_value()
    return [[own["start"], own["end"], own["label"]] for own in json.loads(sent or "[]")]


def presses(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_everything_is_marked_by_keys_alone(page: Page, tasks: dict[str, str]):
    page.goto(tasks["keys"])
    canvas(page).focus()
    presses(page, "ArrowRight", "Shift+ArrowRight", "p")
    assert marks(page) == [ADA]
    expect(page.get_by_role("status").filter(has_text="Ada Lind")).to_have_text("“Ada Lind” is Person. 1 mark.")

    presses(page, "End", "Home", "ArrowRight", "ArrowRight", "ArrowRight", "Enter")
    assert marks(page) == [ADA, BO]
    presses(page, ",", "Delete")
    assert marks(page) == [BO]
    presses(page, "Control+z", "Control+z")
    assert marks(page) == [ADA]
    presses(page, "Control+Shift+z")
    assert marks(page) == [ADA, BO]
    presses(page, ".", "l")
    assert [own[2] for own in marks(page)] in (["place", "person"], ["person", "place"])
    expect(page.locator("[data-saved]")).to_have_text("Saved")

    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Task 2")).to_be_visible()  # its body came without a reload
    canvas(page).focus()
    presses(page, "ArrowRight", "Shift+ArrowRight", "p")
    assert marks(page) == [ADA]


def test_a_drag_selects_and_marks_stand_inside_each_other(page: Page, tasks: dict[str, str]):
    page.goto(tasks["mouse"])
    token(page, 41).hover()
    page.mouse.down()
    token(page, 47).hover()
    page.mouse.up()
    page.locator("[data-label=place]").click()
    token(page, 41).click()
    page.locator("[data-label=place]").click()
    assert marks(page) == [SECOND_ARDEN, HILL]

    token(page, 47).click()
    token(page, 53).click()
    page.locator("[data-label=person]").click()
    expect(page.get_by_text("This overlaps with “Arden Hill”")).to_be_visible()
    assert marks(page) == [SECOND_ARDEN, HILL]


def test_two_taps_and_a_label_mark_on_a_phone(browser: Browser, product: Product, tasks: dict[str, str]):
    context = browser.new_context(base_url=product.url, **PHONE)
    page = context.new_page()
    page.goto(tasks["touch"])
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    token(page, 0).tap()
    token(page, 4).tap()
    page.locator("[data-label=person]").tap()
    token(page, 19).tap()
    page.locator("[data-label=place]").tap()
    assert marks(page) == [ADA, ARDEN]
    boxes = [button.bounding_box() for button in page.locator(".spans .btn:visible").all()]
    assert all(box and box["height"] >= 44 for box in boxes)

    page.get_by_role("button", name="Remove the mark Arden, Place").tap()
    assert marks(page) == [ADA]
    page.get_by_role("button", name="Undo").tap()
    page.get_by_role("button", name="Submit").tap()
    expect(page.get_by_text("Task 2")).to_be_visible()
    context.close()


def test_lines_are_read_without_javascript(browser: Browser, product: Product, tasks: dict[str, str]):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(tasks["plain"])
    assert page.locator(".task").inner_text().count("Arden Hill") == 1
    page.locator("textarea[name='a.names']").fill("Ada Lind # Person\nBo # river")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Line 2: “river” is not one of the labels")).to_be_visible()
    expect(page.locator("textarea[name='a.names']")).to_have_value("Ada Lind # Person\nBo # river")

    page.locator("textarea[name='a.names']").fill("Ada Lind # Person\nBo # Person")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Task 2")).to_be_visible()
    context.close()


def test_a_reload_restores_the_marks(page: Page, tasks: dict[str, str]):
    page.goto(tasks["reload"])
    token(page, 13).click()
    page.keyboard.press("p")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()

    assert marks(page) == [BO]
    expect(page.locator("[data-list] li")).to_have_text(["BoPersonRemove"])


def test_the_same_words_are_marked_everywhere(page: Page, tasks: dict[str, str]):
    page.goto(tasks["same"])
    token(page, 13).click()
    presses(page, "p", "=")
    assert marks(page) == [BO, SECOND_BO]
    presses(page, "Control+z")
    assert marks(page) == [BO]


def test_words_are_found_and_marked_in_all_places(page: Page, tasks: dict[str, str]):
    page.goto(tasks["search"])
    canvas(page).focus()
    presses(page, "/")
    page.keyboard.type("arden")
    expect(page.get_by_text("2 places in the text.")).to_be_visible()
    presses(page, "Enter", "Enter")
    expect(page.get_by_text("“Arden”, place 2 of 2")).to_be_visible()
    assert token(page, 41).get_attribute("data-state") == "picked at"

    page.locator("[data-label=place]").click()
    presses(page, "Control+z")
    page.get_by_role("button", name="Mark all").click()
    assert marks(page) == [ARDEN, SECOND_ARDEN]
    page.get_by_label("Find words").fill("rden")
    expect(page.get_by_text("0 places in the text.")).to_be_visible()
    page.get_by_label("Find words").fill("Bo👨‍👩‍👧")
    page.get_by_role("button", name="Mark all").click()
    assert marks(page) == [ARDEN, SECOND_ARDEN]


def test_a_label_in_the_text_or_a_button_selects_a_mark(page: Page, tasks: dict[str, str]):
    page.goto(tasks["steps"])
    for start in (0, 13, 27):
        token(page, start).click()
        page.keyboard.press("p")
    page.locator("b[data-mark^='13-']").click()
    page.locator("[data-label=place]").click()
    assert [own[2] for own in marks(page)] == ["person", "place", "person"]

    page.get_by_role("button", name="Next mark").click()
    page.get_by_role("button", name="Remove mark").click()
    page.get_by_role("button", name="Previous mark").click()
    page.get_by_role("button", name="Remove mark").click()
    assert [own[0] for own in marks(page)] == [0]
    canvas(page).focus()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Task 2")).to_be_visible()


def test_answers_about_a_mark_are_asked_for_and_undone_as_one_step(page: Page, tasks: dict[str, str]):
    page.goto(tasks["answers"])
    canvas(page).focus()
    presses(page, "Home", "Shift+ArrowRight", "p")
    expect(page.locator("[data-canvas] b")).to_have_attribute("data-tag", "Person …")
    expect(page.get_by_text("“Ada Lind”, Person: please answer “How sure are you?”.")).to_be_visible()

    page.locator("b[data-mark^='0-']").click()
    page.get_by_label("How sure are you?").select_option("very")
    page.get_by_label("Which page?").fill("Ada")
    page.keyboard.type("_Lind")
    expect(page.locator("[data-list] li")).to_have_text("Ada LindPersonsure: very, page: Ada_LindRemove")
    canvas(page).focus()
    presses(page, "Control+z")
    expect(page.locator("[data-list] li")).to_have_text("Ada LindPersonsure: veryRemove")
    presses(page, "l")
    expect(page.get_by_label("Which page?")).to_be_hidden()
    presses(page, "Control+z", "Control+Enter")
    expect(page.get_by_text("Task 2")).to_be_visible()


def test_the_box_for_nothing_removes_marks_and_a_mark_the_tick(page: Page, tasks: dict[str, str]):
    page.goto(tasks["nothing"])
    token(page, 13).click()
    page.keyboard.press("p")
    page.get_by_label("Nothing to mark").check()
    assert marks(page) == []

    page.get_by_role("button", name="Undo").click()
    assert marks(page) == [BO]
    expect(page.get_by_label("Nothing to mark")).not_to_be_checked()


def test_marks_are_drawn_without_javascript_where_an_answer_is_shown_again(
    browser: Browser, product: Product, tasks: dict[str, str]
):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(tasks["again"])
    page.locator("textarea[name='a.names']").fill("Ada Lind # Person\nArden # nowhere\nArden Hill # Place")
    page.get_by_role("button", name="Submit").click()

    expect(token(page, 0)).to_have_class("spans__in u0-1 f0")
    assert page.locator("[data-canvas] b").evaluate_all("tags => tags.map((tag) => tag.dataset.tag)") == [
        "Person",
        "Place",
    ]
    context.close()


def test_a_marked_text_keeps_to_the_rules_of_pages(strict: Page, tasks: dict[str, str]):
    strict.goto(tasks["strict"])
    token(strict, 41).click()
    token(strict, 47).click()
    strict.locator("[data-label=place]").click()
    token(strict, 41).click()
    strict.locator("[data-label=person]").click()
    check(strict)
