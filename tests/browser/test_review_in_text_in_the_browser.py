"""All answers of a task in one text, in real Chromium: by keys, by touch on a phone and without JavaScript."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.models import Settlement, Task
from kernel.models import User
from tests.annotation.marked import ARDEN, BANK, BANK_OF_DUN, FIRST, ILSE, MIRA, SECOND, as_answer, make_marked_task
from tests.browser.keys import press
from tests.browser.rules import check
from tests.browser.test_settling_in_the_browser import as_reviewer
from tests.make import make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
SAVED = "Your answer of the task is saved."
SCREEN: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def task() -> Task:
    return make_marked_task(FIRST, SECOND)


@pytest.fixture
def ben() -> User:
    return make_user("ben")


def opened(context: BrowserContext, task: Task) -> Page:
    page = context.new_page()
    page.goto(f"/admin/review/{task.campaign_id}/?task={task.pk}")
    return page


def presses(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def at_difference(page: Page) -> str | None:
    number: str | None = page.evaluate("document.activeElement.dataset.difference ?? null")
    return number


def settled() -> list[Any]:
    answer = Settlement.objects.latest("pk").answer
    assert answer is not None
    return list(answer["names"])


def test_it_is_settled_by_keys_alone(engine: Browser, live_server: Any, task: Task, ben: User):
    page = opened(as_reviewer(engine, live_server, ben, **SCREEN), task)
    together = page.locator("[data-together]")

    presses(page, "n")
    assert at_difference(page) == "1"
    expect(together.locator("[data-count]")).to_have_text("1 of 2")
    expect(together.get_by_text("2 still to decide")).to_be_visible()
    presses(page, "b")  # and goes on
    assert at_difference(page) == "2"
    presses(page, "p")
    assert at_difference(page) == "1"
    expect(page.locator("[data-take=B]")).to_have_attribute("aria-pressed", "true")
    presses(page, "n", "a")
    expect(together.get_by_text("all decided")).to_be_visible()
    expect(page.get_by_role("button", name="Save answer of the task")).to_be_focused()
    press(page, "Enter")

    expect(page.get_by_text(SAVED)).to_be_visible()
    assert settled() == as_answer([MIRA, ARDEN, ILSE, BANK_OF_DUN])
    assert len(Settlement.objects.get().made_of) == 2
    expect(page.locator("[data-together]").get_by_text("all decided")).to_be_visible()
    page.context.close()


def test_a_difference_is_left_out_marked_again_and_undone(engine: Browser, live_server: Any, task: Task, ben: User):
    page = opened(as_reviewer(engine, live_server, ben, **SCREEN), task)

    presses(page, "n", "x")
    assert at_difference(page) == "2"
    presses(page, "b", "p", "m")  # takes both marks of B, and marks the whole piece in their place
    expect(page.locator("[data-canvas]").first).to_be_focused()
    presses(page, "Shift+ArrowLeft", "Shift+ArrowLeft", "3")  # without “of Dun”
    expect(page.locator("[data-together]").get_by_role("status").first).to_contain_text("“Harbour Bank” is Company")
    presses(page, "n", "u")  # takes the last step back: no mark in this place
    presses(page, "Control+Shift+z")
    page.get_by_role("button", name="Save answer of the task").focus()
    press(page, "Enter")

    expect(page.get_by_text(SAVED)).to_be_visible()
    assert settled() == as_answer([MIRA, ARDEN, BANK])
    page.context.close()


def test_keys_in_the_text_decide_on_no_answer_of_the_page(engine: Browser, live_server: Any, task: Task, ben: User):
    page = opened(as_reviewer(engine, live_server, ben, **SCREEN), task)

    presses(page, "n", "c", "f", "1", "a", "a")

    expect(page.locator(".answer__decide [aria-pressed=true]")).to_have_count(0)
    expect(page.locator("[data-form=correct]:visible")).to_have_count(0)
    page.context.close()


def test_it_is_settled_by_touch_on_a_phone(engine: Browser, live_server: Any, task: Task, ben: User):
    page = opened(as_reviewer(engine, live_server, ben, **PHONE), task)

    page.get_by_role("button", name="Take the marks of B").tap()
    page.get_by_role("button", name="Take the marks of A").tap()
    with page.expect_navigation():
        page.get_by_role("button", name="Save answer of the task").tap()

    expect(page.get_by_text(SAVED)).to_be_visible()
    assert settled() == as_answer([MIRA, ARDEN, ILSE, BANK_OF_DUN])
    sizes = page.locator(".together__tools button:visible").evaluate_all("all => all.map((one) => one.offsetHeight)")
    assert min(sizes) >= 44
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.context.close()


def test_it_is_settled_without_javascript(engine: Browser, live_server: Any, task: Task, ben: User):
    page = opened(as_reviewer(engine, live_server, ben, java_script_enabled=False, **SCREEN), task)

    expect(page.locator("a.together__who").first).to_be_visible()
    page.get_by_role("checkbox", name="Ilse Brand").check()
    page.locator("#task-answer").get_by_label("Marks, one on each line").fill("Bank # Company")
    with page.expect_navigation():
        page.get_by_role("button", name="Save answer of the task").click()

    expect(page.get_by_text(SAVED)).to_be_visible()
    assert settled() == as_answer([MIRA, ARDEN, ILSE, (56, 60, "company")])
    page.context.close()


@pytest.mark.parametrize("has_script", [True, False])
def test_it_fits_and_is_accessible(engine: Browser, live_server: Any, task: Task, ben: User, has_script: bool):
    looks = {"bypass_csp": True, "reduced_motion": "reduce", **SCREEN}
    page = opened(as_reviewer(engine, live_server, ben, **looks), task)
    if has_script:
        presses(page, "n", "b")
    else:
        page.route("**/*.js", lambda route: route.abort())
        page.reload()
    check(page)
    page.context.close()


def test_a_correction_is_marked_in_the_text_once_its_form_is_opened(
    engine: Browser, live_server: Any, task: Task, ben: User
):
    page = opened(as_reviewer(engine, live_server, ben, **SCREEN), task)
    answer = page.locator(".answer").first
    canvas = answer.locator("[data-canvas]")

    presses(page, "1", "c")
    expect(canvas).to_be_visible()
    expect(answer.locator("[data-list] > [data-mark]")).to_have_count(len(FIRST))
    canvas.focus()
    presses(page, "End", "1")
    expect(answer.locator("textarea")).to_have_value(re.compile('"label":"person"'))
    page.context.close()
