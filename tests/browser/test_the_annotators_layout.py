"""How the annotator's pages look in real Chromium: they fit, nothing on them moves, and they are light."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.annotators import PANEL, Places, phrase
from tests.product import Product

pytestmark = pytest.mark.browser

WANTED: dict[str, tuple[dict[str, Any], bool]] = {
    "look": ({"practice": 1, "quiz_pass": 5}, False),
    "light": ({}, True),
    "steady": ({"per_person": 18}, True),
    "phone": ({}, True),
    "study": (PANEL, True),
}


def test_a_phone_opens_the_task_where_its_text_begins(context: BrowserContext, places: Places):
    page = context.new_page()
    page.set_viewport_size({"width": 360, "height": 480})
    page.goto(places["phone"]["address"])
    page.wait_for_load_state("networkidle")

    assert page.evaluate("scrollY") == 0
    mention = page.locator(".passage .entity").last
    mention.evaluate("element => element.dataset.name = 'A very long name of an organization '.repeat(3)")
    mention.focus()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phrase(page).fill("they")
    page.keyboard.press("Enter")
    expect(phrase(page)).to_be_focused()
    expect(phrase(page)).to_be_in_viewport()


def test_the_pages_fit_and_pass_the_accessibility_rules(browser: Browser, product: Product, places: Places):
    address = places["look"]["address"]
    context = browser.new_context(base_url=product.url, bypass_csp=True)
    page = context.new_page()

    def check(name: str) -> None:
        page.wait_for_load_state()  # a click returns when the next page has begun to arrive
        for width, scheme in ((1280, "light"), (360, "dark")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
            results = Axe().run(page)
            assert results.violations_count == 0, f"{name}: {results.generate_report()}"

    page.goto(address)
    check("consent")
    page.get_by_role("button", name="I agree and want to begin").click()
    check("instructions")
    page.get_by_role("button", name="Continue").click()
    check("practice")
    phrase(page).fill("they")
    expect(page.get_by_text("This only points at them")).to_be_visible()
    page.get_by_role("button", name="See feedback").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("That would not be accepted")
    check("feedback")
    page.get_by_role("link", name="Continue").click()
    check("quiz")
    for question, right in zip(page.locator("fieldset").all(), (2, 1, 1, 1, 0), strict=True):
        question.get_by_role("radio").nth(right).check()
    page.get_by_role("button", name="Submit answers").click()
    check("quiz result")
    page.get_by_role("link", name="Start tasks").click()
    check("task")
    phrase(page).fill("botanists")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Task 2")).to_be_visible()
    for path in ("mine/", "leave/", "welcome/"):
        page.goto(address + path)
        check(path)
    page.goto(f"/task/panel/{places['study']['slug']}/")
    check("preview")
    context.close()


WATCH_SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shifted += entry.value; }))
    .observe({ type: "layout-shift" });
}"""
BOXES = """() => Object.fromEntries([...document.querySelectorAll(
    ".work__head > *, .task__form, .task__form :is(label, input, button), .prompt, .work__foot"
  )].map((element, number) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [`${number} ${element.className || element.name || element.tagName}`, [x, y, width, height].map(Math.round)];
  }))"""


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_moves_when_an_answer_is_checked_and_sent(page: Page, places: Places, width: int):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(places["steady"]["address"])
    page.wait_for_load_state("networkidle")
    page.evaluate(WATCH_SHIFTS)
    phrase(page).fill("botany")
    expect(page.locator("[data-saved]")).to_have_text("Saved")
    before = page.evaluate(BOXES)
    number = int(page.locator(".work__count").inner_text().split()[-3])

    phrase(page).fill("they")
    expect(page.get_by_text("This only points at them")).to_be_visible()
    assert page.evaluate(BOXES) == before
    phrase(page).fill("botanists")
    page.get_by_role("button", name="Submit").click()

    expect(page.locator(".work__count")).to_have_text(f"Task {number + 1} of 18")
    expect(page.locator("[data-saved]")).to_contain_text("Saved")
    assert page.evaluate(BOXES) == before
    assert page.evaluate("window.shifted") < 0.02


def test_the_prompt_page_is_light(page, places):
    sizes = []
    page.on("requestfinished", lambda request: sizes.append(sum(request.sizes().values())))
    page.goto(places["light"]["address"])
    page.wait_for_load_state("networkidle")

    assert len(sizes) <= 8
    assert sum(sizes) < 80_000
