"""A task's own answer by keyboard alone, and by touch on a phone, in real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings as django_settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.models import Campaign, Participation, Settlement, Task
from annotation.services import excluding, settling
from annotation.services.settling import TaskAnswer
from kernel.models import User
from tests.annotation.kinds.registering import registered
from tests.annotation.kinds.settling import BOTH, make_spans_task
from tests.browser.keys import press
from tests.make import make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
MARKED = "What is marked, one on each line"
SAVED = "Your answer of the task is saved."
BACK = "Your answer of the task was taken back."


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Task]:
    with registered():
        yield make_spans_task(tmp_path)


@pytest.fixture
def ben() -> User:
    return make_user("ben")


def as_reviewer(engine: Browser, live_server: Any, user: User, **device: Any) -> BrowserContext:
    signed_in = Client()
    signed_in.force_login(user)
    name = django_settings.SESSION_COOKIE_NAME
    context = engine.new_context(base_url=live_server.url, **device)
    context.add_cookies([
        {"name": name, "value": signed_in.cookies[name].value, "url": live_server.url},
        {"name": "tesa_typefaces", "value": "1", "url": live_server.url},
    ])  # fmt: skip
    return context


def address(task: Task) -> str:
    return f"/admin/review/{task.campaign_id}/?task={task.pk}"


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the control of this name has the focus."""
    card = page.locator("#task-answer")
    wanted = card.get_by_role("button", name=name).or_(card.get_by_label(name))
    for _ in range(30):
        page.keyboard.press("Tab")
        if wanted.evaluate("(one) => one === document.activeElement"):
            return
    raise AssertionError(f"Tab does not lead to “{name}”")


def last() -> tuple[str, int]:
    """Return the spans of the last settlement, and how many rows there are."""
    answer = Settlement.objects.latest("pk").answer
    spans = [f"{span['start']} {span['end']} {span['label']}" for span in answer["spans"]] if answer else []
    return "\n".join(spans), Settlement.objects.count()


def test_it_is_given_changed_and_taken_back_by_keyboard_alone(engine: Browser, live_server: Any, task: Task, ben: User):
    context = as_reviewer(engine, live_server, ben, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address(task))

    page.keyboard.press("t")
    expect(page.locator("#task-answer").get_by_label("Answer 1")).to_be_focused()
    page.keyboard.press("Space")
    tab_to(page, "Answer 2")
    page.keyboard.press("Space")
    press(page, "Enter")  # of a field in a form: fills the answers in
    page.keyboard.press("t")
    tab_to(page, MARKED)
    expect(page.locator("#task-answer").get_by_label(MARKED)).to_have_value(BOTH["spans"])
    page.keyboard.press("Escape")  # ends the typing, and keys decide again
    page.keyboard.press("t")
    tab_to(page, "Note")
    page.keyboard.type("Both are names.")
    press(page, "Enter")
    expect(page.get_by_text(SAVED)).to_be_visible()
    expect(page.get_by_text("Both are names.")).to_be_visible()
    assert last() == (BOTH["spans"], 1)

    page.keyboard.press("t")
    tab_to(page, MARKED)
    page.keyboard.press("Control+a")
    page.keyboard.type("25 30 place")
    tab_to(page, "Save answer of the task")
    press(page, "Enter")
    expect(page.get_by_text(SAVED)).to_be_visible()
    assert last() == ("25 30 place", 2)

    page.keyboard.press("t")
    tab_to(page, "Take my answer back")
    press(page, "Enter")
    expect(page.get_by_text(BACK)).to_be_visible()
    expect(page.get_by_text("[Ida Lind] person, [Arden] place")).to_be_visible()  # the one before counts again
    assert last() == ("", 3)
    context.close()


def test_it_is_given_changed_and_taken_back_by_touch_on_a_phone(
    engine: Browser, live_server: Any, task: Task, ben: User
):
    phone = {"viewport": {"width": 360, "height": 780}, "has_touch": True, "is_mobile": True}
    context = as_reviewer(engine, live_server, ben, **phone)
    page = context.new_page()
    page.goto(address(task))
    card = page.locator("#task-answer")

    for number in (1, 2):
        card.get_by_label(f"Answer {number}").tap()
    with page.expect_navigation():
        card.get_by_role("button", name="Fill in the ticked answers").tap()
    expect(card.get_by_role("heading")).to_be_in_viewport()  # the page stays where the person was
    expect(card.get_by_label(MARKED)).to_have_value(BOTH["spans"])
    with page.expect_navigation():
        card.get_by_role("button", name="Save answer of the task").tap()
    expect(page.get_by_text(SAVED)).to_be_visible()
    card.get_by_label(MARKED).fill("0 8 person")
    with page.expect_navigation():
        card.get_by_role("button", name="Save answer of the task").tap()
    assert last() == ("0 8 person", 2)
    card.get_by_label(MARKED).fill("0 99 person")
    with page.expect_navigation():
        card.get_by_role("button", name="Save answer of the task").tap()
    expect(card.get_by_role("alert")).to_be_in_viewport()
    with page.expect_navigation():  # every way on from the refusal is open
        card.get_by_role("button", name="Fill in the ticked answers").tap()
    expect(card.get_by_label(MARKED)).to_have_value(BOTH["spans"])
    with page.expect_navigation():
        card.get_by_role("button", name="Take my answer back").tap()
    expect(page.get_by_text(BACK)).to_be_visible()
    assert last() == ("", 3)

    sizes = card.locator("button, fieldset label").evaluate_all("all => all.map((one) => one.offsetHeight)")
    assert min(sizes) >= 40
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_its_card_fits_and_passes_the_accessibility_rules_in_every_state(
    engine: Browser, live_server: Any, task: Task, ben: User, width: int, scheme: Literal["light", "dark"]
):
    pieces = [*task.assignments.order_by("annotation").values_list("annotation", flat=True)]
    looks = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme, "bypass_csp": True}
    context = as_reviewer(engine, live_server, ben, **looks)
    page = context.new_page()

    def look() -> None:
        page.goto(address(task))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        results = Axe().run(page)
        assert results.violations_count == 0, results.generate_report()

    look()
    settling.settle(task.pk, TaskAnswer(BOTH, pieces, "Both are names."), by=ben)
    look()
    Campaign.objects.update(reviewers=2)
    look()
    expect(page.get_by_text("A second reviewer gives an answer too.")).to_be_visible()
    settling.settle(task.pk, TaskAnswer({"spans": "0 8 person"}), by=make_user("eve"))
    look()
    expect(page.get_by_text("a third one decides")).to_be_visible()
    Campaign.objects.update(reviewers=1, status="closed")
    settling.undo(task.pk, by=User.objects.get(username="eve"))
    excluding.exclude(Participation.objects.latest("pk").pk, reason="copies", by=None)
    look()
    expect(page.get_by_text("This needs another look")).to_be_visible()
    expect(page.get_by_text("Does not count now")).to_be_visible()
    context.close()
