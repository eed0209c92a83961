"""The annotator's pages in real Chromium: by keyboard, offline, twice, late, on two devices, and without JavaScript."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.annotators import PANEL, STAND_IN, Places, phrase
from tests.product import Product

pytestmark = pytest.mark.browser

WANTED: dict[str, tuple[dict[str, Any], bool]] = {
    "keys": ({}, False),
    "reload": ({}, True),
    "back": ({}, True),
    "twice": ({}, True),
    "give back": ({}, True),
    "late": ({"redundancy": 1, "size": 1, "time_limit_s": 600}, True),
    "offline": ({}, True),
    "server away": ({}, True),
    "devices": ({}, True),
    "panel": (PANEL, True),
    "plain": ({"practice": 1, "quiz_pass": 1}, False),
}


def tab_to(page: Page, text: str) -> None:
    """Walk with the Tab key until the thing with this text has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if text in page.evaluate("document.activeElement.closest('label, button, a')?.textContent ?? ''"):
            return
    raise AssertionError(f"no way to {text!r} by keyboard")


def answers(page: Page, place: dict[str, Any]) -> list[str]:
    page.goto(place["address"] + "mine/")
    return page.locator(".mine__text").all_inner_texts()


def test_a_whole_assignment_by_keyboard_alone(page: Page, places: Places):
    page.goto(places["keys"]["address"])
    tab_to(page, "I agree and want to begin")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Instructions")
    tab_to(page, "Continue")
    page.keyboard.press("Enter")

    expect(phrase(page)).to_be_focused()
    page.keyboard.type("careful botanists")
    expect(page.locator(".prompt strong")).to_have_text("Careful botanists")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Task 2")).to_be_visible()

    expect(phrase(page)).to_be_focused()
    page.keyboard.press("Alt+KeyN")
    expect(page.get_by_label("Why?")).to_be_focused()
    page.keyboard.type("nothing in common")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Task 3")).to_be_visible()

    tab_to(page, "Submit")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Instructions")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert answers(page, places["keys"]) == ["No relevant phrase: nothing in common", "careful botanists"]


def test_back_from_my_answers_returns_to_the_task_in_the_same_tab_with_every_word(
    context: BrowserContext, places: Places
):
    page = context.new_page()
    page.goto(places["back"]["address"])
    phrase(page).press_sequentially("saved words")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.evaluate(
        "() => { window.fetch = () => Promise.reject(new Error('no network')) }"
    )  # typed now, it does not arrive
    phrase(page).press_sequentially(" and late ones")
    page.get_by_role("link", name="My answers").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("My answers")
    assert len(page.context.pages) == 1
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url) if request.resource_type == "document" else None)

    page.go_back()

    expect(phrase(page)).to_have_value("saved words and late ones")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    assert len(loaded) == 1


def test_a_reload_in_the_middle_brings_the_text_back_saved_or_not(page: Page, places: Places):
    page.goto(places["reload"]["address"])
    phrase(page).press_sequentially("half a phr")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    expect(phrase(page)).to_have_value("half a phr")

    phrase(page).fill("")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    page.reload()
    phrase(page).press_sequentially("not yet")
    page.reload()
    expect(phrase(page)).to_have_value("not yet")


def test_a_double_click_and_the_back_button_store_one_answer(page: Page, places: Places):
    page.goto(places["twice"]["address"])
    phrase(page).fill("botanists")
    page.get_by_role("button", name="Submit").evaluate("button => { button.click(); button.click(); }")
    expect(page.get_by_text("Task 2")).to_be_visible()
    page.goto("/account/sign-in/")
    page.go_back()

    expect(page.get_by_text("Task 2")).to_be_visible()
    assert answers(page, places["twice"]) == ["botanists"]


def test_a_task_somebody_has_typed_for_goes_back_only_when_they_are_sure(page: Page, places: Places):
    page.goto(places["give back"]["address"])
    phrase(page).fill("half of a thou")
    tab_to(page, "Skip this task")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Skip this task?")).to_be_visible()
    page.get_by_role("link", name="Go on with this task").click()
    expect(phrase(page)).to_have_value("half of a thou")

    page.get_by_role("button", name="Skip this task").click()
    page.get_by_role("button", name="Skip task").click()

    expect(page.get_by_text("You skipped the task. Here is another.")).to_be_visible()
    expect(phrase(page)).to_have_value("")
    page.get_by_role("button", name="Skip this task").click()
    expect(page.get_by_text("You skipped the task. Here is another.")).to_be_visible()
    assert answers(page, places["give back"]) == []


LATER = """
from datetime import timedelta
from annotation.models import Assignment, Campaign
from annotation.services import assigning
from kernel.clock import now
from tests.make import make_participation
import sys
campaign = Campaign.objects.get(pk=int(sys.argv[1]))
Assignment.objects.filter(campaign=campaign).update(expires_at=now() - timedelta(seconds=1))
assert assigning.take_turn(make_participation(campaign, "somebody else").secret).assignment
"""


def test_a_lease_about_to_end_warns_and_late_work_is_kept(page: Page, product: Product, places: Places):
    page.clock.install()
    page.goto(places["late"]["address"])
    phrase(page).fill("botanists")
    page.clock.run_for(490_000)
    expect(page.get_by_text("Two minutes left. What you have typed is kept.")).to_be_visible()
    page.clock.run_for(120_000)
    expect(page.get_by_text("The time is over. You can still send it")).to_be_visible()
    process = product.start_python(LATER, str(places["late"]["campaign"]))
    assert process.wait() == 0
    page.clock.run_for(11_000)
    phrase(page).blur()

    phrase(page).focus()  # before anything more is typed, the page says that the place is gone
    expect(page.get_by_text("You no longer hold this task: somebody else has it now.")).to_be_visible()
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text("Your last answer came too late to count.")).to_be_visible()
    page.goto(places["late"]["address"] + "mine/")
    expect(page.get_by_text("the team has not decided about it yet")).to_be_visible()


def test_without_a_network_the_page_says_so_and_sends_once_there_is_one(context: BrowserContext, places: Places):
    page = context.new_page()
    page.goto(places["offline"]["address"])
    phrase(page).fill("botanists")
    context.set_offline(True)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("No connection. Your answer is kept here")).to_be_visible()

    context.set_offline(False)

    expect(page.get_by_text("Task 2")).to_be_visible()
    assert answers(page, places["offline"]) == ["botanists"]


def test_a_draft_that_could_not_be_saved_is_saved_once_the_server_answers(context: BrowserContext, places: Places):
    page = context.new_page()
    page.goto(places["server away"]["address"])
    page.route("**/draft/*/", lambda route: route.abort())
    phrase(page).fill("botanists")
    expect(page.get_by_text("No connection: what you type is kept in this browser.")).to_be_visible()

    page.unroute("**/draft/*/")

    expect(page.locator("[data-saved]")).to_have_text("Saved")


def test_a_draft_goes_on_on_another_device(context: BrowserContext, browser: Browser, product: Product, places: Places):
    page = context.new_page()
    page.goto(places["devices"]["address"])
    phrase(page).fill("begun here")
    expect(page.locator("[data-saved]")).to_have_text("Saved")

    phone = browser.new_context(base_url=product.url, viewport={"width": 360, "height": 700})
    other = phone.new_page()
    other.goto(places["devices"]["address"])

    expect(phrase(other)).to_have_value("begun here")
    phone.close()


def test_a_person_of_a_panel_comes_works_and_goes_back_with_the_code(context: BrowserContext, places: Places):
    context.route(STAND_IN + "**", lambda route: route.fulfill(body="<h1>Thanks from the panel</h1>"))
    page = context.new_page()
    door = f"/task/panel/{places['panel']['slug']}/"
    page.goto(door)
    expect(page.get_by_text("This is a preview")).to_be_visible()

    page.goto(door + "?pid=person-7")
    own = page.url
    page.get_by_role("button", name="I agree and want to begin").click()
    page.get_by_role("button", name="Continue").click()
    phrase(page).fill("botanists")
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("link", name="Stop here").click()
    page.get_by_role("button", name="Stop here").click()
    expect(page.locator("#completion-code")).to_have_text("DONE1")
    page.get_by_role("link", name="Back to the panel").click()

    expect(page.get_by_text("Thanks from the panel")).to_be_visible()
    assert page.url == STAND_IN + "?cc=DONE1"
    page.goto(door + "?pid=person-7")
    assert page.url == own
    expect(page.get_by_text("You’re finished")).to_be_visible()


def test_everything_works_without_javascript(browser: Browser, product: Product, places: Places):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(places["plain"]["address"])
    page.get_by_role("button", name="I agree and want to begin").click()
    page.get_by_role("button", name="Continue").click()
    phrase(page).fill("physicists")
    page.get_by_role("button", name="See feedback").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Well done")
    page.get_by_role("link", name="Continue").click()
    for question in page.locator("fieldset").all():
        question.get_by_role("radio").nth(1).check()
    page.get_by_role("button", name="Submit answers").click()
    page.get_by_role("link", name="Start tasks").click()
    phrase(page).fill("they")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("points at them")).to_be_visible()
    phrase(page).fill("botanists")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Task 2")).to_be_visible()
    with context.expect_page() as opened:
        page.get_by_role("link", name="My answers").click()
    opened.value.get_by_role("link", name="Correct it").click()
    expect(phrase(opened.value)).to_have_value("botanists")
    context.close()
