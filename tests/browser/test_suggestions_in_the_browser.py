"""Suggested marks in real Chromium: drawn as suggested until they are touched, and kept away once they are removed."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

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
campaign = make_campaign("Guessed names", sample=sample, task_type=task_type, task_settings=task_settings)
print(f"/task/{make_participation(campaign, 'cleo').secret}/")
"""


@pytest.fixture(scope="module")
def task(product: Product) -> str:
    """The address of a person's task."""
    output = product.python(MAKE, json.dumps([TASK, {"report": REPORT, "guesses": GUESSES}]))
    return str(output.strip().splitlines()[-1])


def test_suggestions_are_confirmed_changed_and_removed(page: Page, product: Product, task: str):
    page.goto(f"{product.url}{task}")
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

    with page.expect_response(lambda answer: "/draft/" in answer.url):
        page.get_by_role("button", name="Remove the mark Ada Lind").click()
    with page.expect_response(lambda answer: "/draft/" in answer.url):
        page.get_by_role("button", name="Remove the mark Arden").click()
    page.reload()
    expect(page.locator("[data-canvas][tabindex]")).to_be_visible()
    expect(rows).to_have_count(0)
