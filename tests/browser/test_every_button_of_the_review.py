"""Every button of the review, pressed with the mouse, the keyboard and a finger."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser

ANSWERED = """
import sys
from annotation.services import assessing
from tests.make import make_answer, make_campaign, make_participation
unlike = ("botanists", "opera singers", "moss experts")
for number in range(int(sys.argv[1])):
    name = f"Every button {number}"
    campaign = make_campaign(name, size=4, redundancy=3)
    people = [make_participation(campaign, f"{name} {who}") for who in ("cleo", "dan", "eve")]
    for phrases in (unlike, unlike, unlike, ("gardeners",) * 3):
        for person, phrase in zip(people, phrases):
            make_answer(person, phrase)
    list(assessing.assess(campaign))
    print(campaign.pk)
"""
STORED = """
import json, sys
from annotation.models import Review
rows = Review.objects.filter(annotation__assignment__campaign=sys.argv[1], bulk="")
print(json.dumps([[row.verdict, row.why or (row.after or {}).get("phrases") or ""] for row in rows]))
"""
AS_TEXTAREA = """(input) => {
  const area = document.createElement("textarea");
  for (const { name, value } of input.attributes) area.setAttribute(name, value);
  area.value = input.value;
  input.replaceWith(area);
}"""
DEVICES: dict[str, dict[str, Any]] = {
    "mouse": {"viewport": {"width": 1280, "height": 900}},
    "keyboard": {"viewport": {"width": 1280, "height": 900}},
    "touch": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}


@dataclass(frozen=True)
class Reviewer:
    """Somebody who reviews a campaign and presses everything in one way."""

    way: str
    page: Page
    product: Product
    campaign: str

    def press(self, control: Locator) -> None:
        if self.way == "touch":
            control.tap()
        elif self.way == "keyboard":
            control.press("Enter")
        else:
            control.click()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name).locator("visible=true")

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name).locator("visible=true")

    def decide(self, number: int, name: str) -> None:
        group = self.page.get_by_role("group", name=f"Decision on answer {number}")
        self.press(group.get_by_role("button", name=name))

    def choose(self, number: int, name: str) -> None:
        """Press an entry of the menu of an answer."""
        self.press(self.page.get_by_label(f"More for answer {number}"))
        self.press(self.page.locator(".menu[open]").get_by_text(name))

    def write(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).locator("visible=true").fill(text)

    def sees(self, text: str) -> None:
        expect(self.page.get_by_text(text).locator("visible=true").first).to_be_visible()

    def stored(self) -> list[list[Any]]:
        """Return the verdicts stored one by one, each with its reason or correction."""
        rows: list[list[Any]] = json.loads(self.product.python(STORED, self.campaign).strip().splitlines()[-1])
        return rows


@pytest.fixture(scope="module")
def campaigns(product: Product) -> Iterator[str]:
    """Campaigns with four answered tasks, one for each test: making them all at once starts one process."""
    return iter(product.python(ANSWERED, str(4 * len(DEVICES))).split())


@pytest.fixture(params=DEVICES)
def reviewer(
    request: pytest.FixtureRequest, browser: Browser, product: Product, campaigns: Iterator[str]
) -> Iterator[Reviewer]:
    campaign = next(campaigns)
    context = browser.new_context(base_url=product.url, **DEVICES[request.param])
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{campaign}/")
    yield Reviewer(request.param, page, product, campaign)
    context.close()
    assert errors == []


def test_every_decision_on_an_answer_is_stored_once(reviewer: Reviewer):
    reviewer.decide(1, "Accept")
    reviewer.sees("Answer 1: accepted")
    reviewer.decide(2, "Exclude")
    reviewer.sees("Answer 2: excluded")
    reviewer.write("Reason", "not about them")
    reviewer.press(reviewer.button("Save reason"))
    expect(reviewer.page.locator(".answer__history", has_text="not about them")).to_have_count(1)
    reviewer.decide(3, "No phrase fits")
    reviewer.sees("Answer 3: no phrase fits")
    reviewer.press(reviewer.button("Undo"))
    reviewer.sees("Undone: no phrase fits.")
    reviewer.choose(3, "Flag for a second opinion")
    reviewer.sees("Answer 3: flagged for a second opinion")
    reviewer.choose(3, "Add a note…")
    reviewer.write("Note", "look at the text")
    reviewer.press(reviewer.button("Save note"))
    reviewer.sees("Answer 3: note saved")

    assert reviewer.stored() == [
        ["accept", ["botanists"]],
        ["exclude", ""],
        ["exclude", "not about them"],
        ["correct", ""],
        ["undo", ["moss experts"]],
        ["flag", ["moss experts"]],
        ["comment", "look at the text"],
    ]


def test_a_correction_is_asked_about_and_stored(reviewer: Reviewer):
    reviewer.choose(1, "Correct…")
    reviewer.write("Corrected phrase", "growers of moss")
    reviewer.press(reviewer.button("Save correction"))
    reviewer.sees("Answer 1: corrected")
    reviewer.choose(2, "Correct…")
    reviewer.write("Corrected phrase", "Ida Lind and Karl Moe")
    reviewer.press(reviewer.button("Save correction"))
    reviewer.press(reviewer.button("Keep these words"))
    reviewer.sees("Answer 2: corrected")
    # Another task type may have a text area, where Enter begins a new line and only the button saves.
    reviewer.page.locator(".answer").nth(2).locator("input[name=phrase_1]").evaluate(AS_TEXTAREA)
    reviewer.choose(3, "Correct…")
    reviewer.write("Corrected phrase", "singers of operas")
    reviewer.press(reviewer.button("Save correction"))
    reviewer.sees("Answer 3: corrected")
    reviewer.choose(3, "Show details and history")
    reviewer.sees("from opening the task to submitting")

    corrections = ["growers of moss", "Ida Lind and Karl Moe", "singers of operas"]
    assert reviewer.stored() == [["correct", [phrase]] for phrase in corrections]


def test_answers_pressed_faster_than_they_are_saved_keep_their_decisions(reviewer: Reviewer):
    held: list[Route] = []
    reviewer.page.route("**/answers/**", lambda route: route.continue_() if held else held.append(route))
    reviewer.decide(1, "Accept")
    reviewer.decide(2, "Exclude")
    reviewer.decide(3, "Accept")
    held[0].continue_()

    reviewer.sees("All answers decided")
    assert [verdict for verdict, _ in reviewer.stored()] == ["accept", "exclude", "accept"]


def test_steps_of_a_whole_task_and_of_the_campaign_are_taken(reviewer: Reviewer):
    reviewer.press(reviewer.link("Next task").last)
    reviewer.sees("Task 2 of 4")
    reviewer.press(reviewer.link("Previous task"))
    reviewer.sees("Task 1 of 4")
    reviewer.press(reviewer.button("Accept all of this task"))
    reviewer.sees("3 answers accepted.")
    reviewer.press(reviewer.link("Accept 1 unanimous task"))
    reviewer.press(reviewer.button("Cancel"))
    reviewer.press(reviewer.link("Accept 1 unanimous task"))
    reviewer.press(reviewer.button("Accept 1 task"))
    reviewer.sees("3 answers of 1 unanimous task accepted.")
    reviewer.press(reviewer.button("Undo"))
    reviewer.sees("Undone: 3 answers accepted at once.")
    reviewer.press(reviewer.page.get_by_label("More actions"))
    reviewer.press(reviewer.link("Reviewers per answer…"))
    reviewer.press(reviewer.button("Cancel"))
    reviewer.press(reviewer.page.get_by_label("More actions"))
    reviewer.press(reviewer.link("Reviewers per answer…"))
    reviewer.page.get_by_label("Reviewers per answer", exact=True).select_option("2")
    reviewer.press(reviewer.button("Save number"))
    reviewer.sees("Each answer now needs 2 reviewers.")
    with reviewer.page.expect_response(re.compile("/assess/")) as started:
        if not reviewer.button("Run quality checks").count():
            reviewer.press(reviewer.page.get_by_label("More actions"))
        reviewer.press(reviewer.button("Run quality checks"))
    assert started.value.status == 204
