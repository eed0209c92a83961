"""Suggested marks in real Chromium: drawn as suggested until they are touched, and kept away once they are removed."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.rules import check
from tests.product import Product

pytestmark = pytest.mark.browser

TASK = """
name: Names
items: rows
parts:
  - name: names
    kind: spans
    ask: Mark the names.
    text: report
    labels: [{id: person, label: Person, key: p}, {id: place, label: Place, key: l}]
    suggestions: guesses
instructions: {summary: Mark., details: Mark all., examples: + Marked.}
"""
REPORT = "🌧 Ada Lind met Bo in Arden."
GUESSES = [{"start": 2, "end": 10, "label": "person"}, {"start": 21, "end": 26, "label": "person"}]
MAKE = """
import json, sys, tempfile
from pathlib import Path
from django.core.management import call_command
from annotation.selectors.descriptions import chosen_task
from annotation.services.descriptions import keep_description
from corpus.models import Sample
from tests.make import make_campaign, make_participation
text, row = json.loads(sys.argv[1])
task_type, task_settings = chosen_task(keep_description(text, by=None).key)
path = Path(tempfile.mkdtemp()) / "rows.jsonl"
path.write_text(json.dumps(row))
call_command("import_instances", path, name="Guesses", item_kind="rows", stdout=open("/dev/null", "w"))
sample = Sample.objects.get(name="Guesses")
campaign = make_campaign("Guessed names", sample=sample, task_type=task_type, task_settings=task_settings, redundancy=5)
print(json.dumps([f"/task/{make_participation(campaign, f'person {n}').secret}/" for n in range(5)]))
"""


@pytest.fixture(scope="module")
def tasks(product: Product) -> list[str]:
    """The addresses of the same task, each of another person."""
    output = product.python(MAKE, json.dumps([TASK, {"report": REPORT, "guesses": GUESSES}]))
    return list(json.loads(output.strip().splitlines()[-1]))


def test_suggestions_are_confirmed_changed_and_removed(page: Page, product: Product, tasks: list[str]):
    page.goto(f"{product.url}{tasks[0]}")
    rows, suggested = page.locator("[data-list] > li"), page.locator("[data-list] .spans__tag--suggested")
    expect(rows).to_have_count(2)
    expect(suggested).to_have_count(2)
    check(page)

    rows.first.get_by_role("button").first.click()
    page.locator("[data-label=person]").click()
    expect(suggested).to_have_count(1)
    rows.last.get_by_role("button").first.click()
    page.locator("[data-label=place]").click()
    expect(suggested).to_have_count(0)
    sent = json.loads(page.locator("textarea[name='a.names']").input_value())
    assert [(mark["start"], mark["label"]) for mark in sent] == [(2, "person"), (21, "place")]

    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(rows).to_have_count(2)
    expect(suggested).to_have_count(0)
    with page.expect_response(lambda answer: "/draft/" in answer.url):
        page.get_by_role("button", name="Remove the mark Ada Lind").click()
    with page.expect_response(lambda answer: "/draft/" in answer.url):
        page.get_by_role("button", name="Remove the mark Arden").click()
    page.reload()
    expect(page.locator("[data-canvas][tabindex]")).to_be_visible()
    expect(rows).to_have_count(0)


def test_a_confirmed_suggestion_stays_confirmed_after_a_reload_and_the_others_stay_open(
    page: Page, product: Product, tasks: list[str]
):
    page.goto(f"{product.url}{tasks[1]}")
    rows, suggested = page.locator("[data-list] > li"), page.locator("[data-list] .spans__tag--suggested")
    rows.first.get_by_role("button").first.click()
    page.locator("[data-label=person]").click()
    expect(suggested).to_have_count(1)
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()

    expect(page.locator("[data-canvas][tabindex]")).to_be_visible()
    expect(rows).to_have_count(2)
    expect(rows.first.locator(".spans__tag--suggested")).to_have_count(0)
    expect(rows.last.locator(".spans__tag--suggested")).to_have_count(1)
    assert json.loads(page.locator("textarea[name='a.names']").input_value())[0]["start"] == 2


def test_a_draft_of_the_script_stands_as_lines_without_it(
    browser: Browser, page: Page, product: Product, tasks: list[str]
):
    page.goto(f"{product.url}{tasks[2]}")
    page.get_by_role("button", name="Remove the mark Arden").click()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    plain = context.new_page()
    plain.goto(tasks[2])
    field = plain.locator("textarea[name='a.names']")
    expect(field).to_have_value("Ada Lind # Person")
    field.fill("Ada Lind # Person\nBo # Person")
    plain.get_by_role("button", name="Submit").click()
    expect(plain.get_by_text("Your last answer is stored.")).to_be_visible()
    context.close()


def test_what_was_marked_without_a_network_comes_back_although_the_draft_stands_as_lines(
    context: BrowserContext, product: Product, tasks: list[str]
):
    page = context.new_page()
    page.goto(tasks[3])
    page.get_by_role("button", name="Remove the mark Arden").click()
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.route("**/draft/**", lambda route: route.abort())
    page.get_by_role("button", name="Remove the mark Ada Lind").click()
    expect(page.get_by_text("No connection")).to_be_visible()
    page.reload()

    expect(page.locator("[data-canvas][tabindex]")).to_be_visible()
    expect(page.locator("[data-list] > li")).to_have_count(0)


def test_ctrl_enter_submits_from_the_box_for_nothing(page: Page, product: Product, tasks: list[str]):
    page.goto(f"{product.url}{tasks[4]}")
    page.get_by_label("Nothing to mark").check()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Your last answer is stored.")).to_be_visible()
