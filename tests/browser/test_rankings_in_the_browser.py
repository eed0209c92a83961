"""Rankings in real Chromium: by keys alone, by dragging, by touch, and after a reload."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command
from playwright.sync_api import Browser, Locator, Page, expect

from annotation.models import Annotation, Participation
from corpus.models import Sample
from tests.browser.rules import SCREENS, WIDER
from tests.make import make_campaign, make_participation

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
LETTERS = ("a", "b", "c")
TARGETS = [{"id": letter, "text": f"text_{letter}", "label": f"Answer {letter.upper()}"} for letter in LETTERS]
WORDS = [{"id": word, "label": word.capitalize()} for word in ("price", "taste", "smell")]
TEXTS = ("It rained in Dun. " * 9, "مطر 🌧 في المدينة", "<b>Nobody</b> came & went.")
PAIR = {"name": "pair", "ask": "Which is better?", "targets": TARGETS[:2], "ties": True, "shuffle": False}
ORDER = {"name": "order", "ask": "Put them into an order.", "targets": TARGETS, "shuffle": False}
TIES = {"name": "ties", "ask": "What matters most?", "targets": WORDS, "ties": True, "shuffle": False}
ENDS = {"name": "ends", "ask": "Which two stand out?", "targets": WORDS, "how": "best_worst", "shuffle": False}
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 780}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    path = tmp_path / "rows.jsonl"
    row = {f"text_{letter}": text for letter, text in zip(LETTERS, TEXTS, strict=True)}
    path.write_text("\n".join(json.dumps({"title": f"Row {number}", **row}) for number in (1, 2)))
    call_command("import_instances", path, name="Rows", item_kind="rows", stdout=io.StringIO())
    return Sample.objects.get(name="Rows")


def somebody(sample: Sample, *parts: dict[str, Any]) -> Participation:
    """Return a person who is asked these rankings."""
    description = {
        "name": "Rankings",
        "items": "rows",
        "parts": [{"kind": "ranking", **part} for part in parts],
        "instructions": {"summary": "Read.", "details": "Compare.", "examples": "+ A comes before B."},
    }
    settings = {"version": "own-1@1", "description": description}
    campaign = make_campaign("Rankings", sample=sample, task_type="own", task_settings=settings)
    return make_participation(campaign)


def open_task(engine: Browser, live_server: Any, person: Participation, **device: Any) -> Page:
    context = engine.new_context(base_url=live_server.url, bypass_csp=True, **device)
    page = context.new_page()
    page.goto(f"/task/{person.secret}/")
    return page


def part(page: Page, name: str) -> Locator:
    return page.locator(f'[data-part="{name}"]')


def row(page: Page, name: str) -> Locator:
    return page.locator(f'[data-row="{name}"]')


def places(page: Page, name: str = "order") -> dict[str, str]:
    """Return the place of each row, in the order of the rows."""
    return {
        own.get_attribute("data-row") or "": own.locator("select").input_value()
        for own in part(page, name).locator("[data-row]").all()
    }


def submit(page: Page) -> None:
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("[data-outcome=stored]")).to_be_visible()


def answered() -> dict[str, Any]:
    return dict(Annotation.objects.latest("pk").answer)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_everything_is_answered_by_keys_alone(engine: Browser, live_server: Any, sample: Sample):
    page = open_task(engine, live_server, somebody(sample, PAIR, ORDER, TIES))

    page.keyboard.press("0")
    expect(page.get_by_role("radio", name="No difference")).to_be_checked()
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="Answer B")).to_be_checked()
    row(page, "Answer C").focus()
    page.keyboard.press("Alt+ArrowUp")
    assert places(page) == {"Answer A": "1", "Answer C": "2", "Answer B": "3"}
    expect(row(page, "Answer C")).to_be_focused()
    page.keyboard.press("1")
    assert places(page) == {"Answer C": "1", "Answer A": "2", "Answer B": "3"}
    page.keyboard.press("Alt+ArrowDown")
    for word, digit in (("Price", "2"), ("Taste", "2"), ("Smell", "1")):
        row(page, word).focus()
        page.keyboard.press(digit)
    assert places(page, "ties") == {"Smell": "1", "Price": "2", "Taste": "2"}
    submit(page)

    assert answered() == {
        "pair": {"a": 2, "b": 1},
        "order": {"a": 1, "b": 3, "c": 2},
        "ties": {"price": 2, "taste": 2, "smell": 1},
    }


def test_an_order_that_nobody_has_touched_is_no_answer_until_it_is_kept(
    engine: Browser, live_server: Any, sample: Sample
):
    page = open_task(engine, live_server, somebody(sample, ORDER))

    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Please give each of them a place.")).to_be_visible()
    page.get_by_role("button", name="Keep this order").click()
    expect(page.get_by_role("button", name="Keep this order")).to_be_hidden()
    page.get_by_role("button", name="Clear the order").click()
    assert {*places(page).values()} == {""}
    page.get_by_role("button", name="Keep this order").click()
    submit(page)

    assert answered() == {"order": {"a": 1, "b": 2, "c": 3}}


def test_a_row_is_dragged_and_a_reload_shows_the_order_again(engine: Browser, live_server: Any, sample: Sample):
    page = open_task(engine, live_server, somebody(sample, ORDER))

    page.mouse.move(*middle(row(page, "Answer C").locator("[data-handle]")))
    page.mouse.down()
    x, y = middle(row(page, "Answer A"))
    page.mouse.move(x, y - 10, steps=8)
    page.mouse.up()
    assert places(page) == {"Answer C": "1", "Answer A": "2", "Answer B": "3"}
    page.reload()
    expect(part(page, "order").locator("[data-row]").first).to_have_attribute("data-row", "Answer C")
    assert places(page) == {"Answer C": "1", "Answer A": "2", "Answer B": "3"}


def test_escape_ends_a_drag_without_a_change(engine: Browser, live_server: Any, sample: Sample):
    page = open_task(engine, live_server, somebody(sample, ORDER))

    page.mouse.move(*middle(row(page, "Answer C").locator("[data-handle]")))
    page.mouse.down()
    page.mouse.move(*middle(row(page, "Answer A")), steps=8)
    page.keyboard.press("Escape")
    page.mouse.up()

    assert places(page) == {"Answer A": "", "Answer B": "", "Answer C": ""}


def test_everything_is_answered_by_touch_and_again_in_the_next_task(engine: Browser, live_server: Any, sample: Sample):
    page = open_task(engine, live_server, somebody(sample, PAIR, ORDER, ENDS), **PHONE)

    for number in (1, 2):
        page.get_by_role("radio", name="Answer A").first.tap()
        page.get_by_role("button", name="Move Answer A down").tap()
        assert places(page) == {"Answer B": "1", "Answer A": "2", "Answer C": "3"}
        touch_drag(page, row(page, "Answer C"), row(page, "Answer B"))
        assert places(page) == {"Answer C": "1", "Answer B": "2", "Answer A": "3"}
        page.get_by_role("radio", name="Best: Taste").tap()
        page.get_by_role("radio", name="Worst: Taste").tap()
        expect(page.get_by_role("radio", name="Best: Taste")).not_to_be_checked()
        page.get_by_role("radio", name="Best: Smell").tap()
        page.get_by_role("button", name="Submit").tap()
        expect(page.get_by_role("radio", checked=True)).to_have_count(0)  # another page has come
        assert Annotation.objects.count() == number

    assert answered() == {
        "pair": {"a": 1, "b": 2},
        "order": {"a": 3, "b": 2, "c": 1},
        "ends": {"price": 2, "taste": 3, "smell": 1},
    }


def touch_drag(page: Page, moved: Locator, target: Locator) -> None:
    """Drag a row by a finger, as Chromium itself sees it."""
    moved.scroll_into_view_if_needed()
    finger = page.context.new_cdp_session(page)
    x, y = middle(moved.locator("[data-handle]"))
    end = middle(target)[1] - 10
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        point = {"x": x, "y": y + (end - y) * step / 10}
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_it_works_without_scripts(engine: Browser, live_server: Any, sample: Sample):
    page = open_task(engine, live_server, somebody(sample, ORDER), java_script_enabled=False)

    assert page.get_by_role("button", name="Move Answer A down").count() == 0
    for letter, place in (("A", "2"), ("B", "2"), ("C", "1")):
        page.get_by_label(f"Place of Answer {letter}").select_option(place)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Answer A and Answer B have the same place.")).to_be_visible()
    page.get_by_label("Place of Answer B").select_option("3")
    submit(page)

    assert answered() == {"order": {"a": 2, "b": 3, "c": 1}}


def check(page: Page) -> None:
    """Hold the questions against what every page keeps to, on a screen and on a phone, light and dark."""
    for width, scheme in SCREENS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert page.evaluate(WIDER) <= 0
        results = Axe().run(page, context=".parts")
        assert results.violations_count == 0, results.generate_report()


def test_it_is_accessible_and_no_wider_than_a_phone(engine: Browser, live_server: Any, sample: Sample):
    page = open_task(engine, live_server, somebody(sample, PAIR, ORDER, TIES, ENDS))

    check(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Please give each of them a place.").first).to_be_visible()
    page.get_by_role("radio", name="Answer A").first.check()
    page.get_by_role("button", name="Move Answer A down").click()
    check(page)
    page.set_viewport_size({"width": 360, "height": 800})
    small = page.locator(".ranking :is(button, select, label):visible").evaluate_all(
        "all => all.filter((own) => own.getBoundingClientRect().height < 43.9).map((own) => own.outerHTML)"
    )
    assert small == []
