"""A review driven by keyboard alone, in real Chromium against the running product."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.keys import press
from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser

ANSWERED = """
from annotation.services import assessing
from tests.make import make_answer, make_campaign, make_participation
campaign = make_campaign("Review by keyboard", size=3, redundancy=2)
people = [make_participation(campaign, name) for name in ("review cleo", "review dan")]
for said in (("The botanists.", "opera singers"), ("botanists", "the botanists"), ("gardeners", "gardeners")):
    for person, phrase in zip(people, said):
        make_answer(person, phrase)
list(assessing.assess(campaign))
print(campaign.pk)
"""


@pytest.fixture(scope="module")
def campaign(product: Product) -> str:
    return product.python(ANSWERED).strip().splitlines()[-1]


def test_a_review_is_driven_by_keyboard_alone(page: Page, product: Product, campaign: str):
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{campaign}/")
    expect(page.get_by_text("3 tasks wait for you")).to_be_visible()
    expect(page.get_by_text("People gave different phrases.")).to_be_visible()

    press(page, "a")
    expect(page.get_by_text("Answer 1: accepted.")).to_be_visible()
    page.keyboard.press("m")
    page.keyboard.type("a and x are keys, not here")
    press(page, "Enter")
    expect(page.get_by_text("Answer 2: remark kept.")).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.type("moss experts")  # in place of the text, which is selected
    expect(page.locator("#phrase_1")).to_have_value("moss experts")
    press(page, "Enter")
    expect(page.get_by_text("Answer 2: corrected.")).to_be_visible()
    expect(page.get_by_text("2 tasks wait for you")).to_be_visible()

    press(page, "u")
    expect(page.get_by_text("Undone: corrected.")).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.press("Escape")
    press(page, "x")
    expect(page.get_by_text("Answer 2: excluded.")).to_be_visible()
    press(page, "b")
    expect(page.get_by_text("4 answers of 2 tasks are accepted: all agree there.")).to_be_visible()
    expect(page.get_by_text("Nothing waits for you.")).to_be_visible()


def test_a_key_held_down_decides_once_and_what_it_decides_on_is_in_view(page: Page, product: Product):
    held = ANSWERED.replace("Review by keyboard", "Review by a held key").replace("review ", "held ")
    pk = product.python(held).strip().splitlines()[-1]
    sign_in(page, product, "ben")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"/admin/review/{pk}/")
    with page.expect_navigation():
        page.keyboard.down("a")
    expect(page.get_by_text("Answer 1: accepted.")).to_be_visible()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.keyboard.down("a")  # not released: the browser reports a repetition
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert requests == []
    page.keyboard.up("a")
    expect(page.locator("[data-key=a]")).to_be_in_viewport()
    expect(page.locator(".answer--current .answer__phrase")).to_be_in_viewport()
    expect(page.locator(".passage")).to_be_in_viewport()


@pytest.mark.parametrize(("width", "height"), [(1280, 600), (360, 640)])
def test_what_a_key_did_and_its_undo_stay_in_view(page: Page, product: Product, width: int, height: int):
    told = ANSWERED.replace("Review by keyboard", f"Told at {width}").replace("review ", f"told at {width} ")
    pk = product.python(told).strip().splitlines()[-1]
    sign_in(page, product, "ben")
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"/admin/review/{pk}/")

    press(page, "a")

    expect(page.get_by_role("status").get_by_text("Answer 1: accepted.")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Undo my last")).to_be_in_viewport(ratio=1)
    expect(page.locator(".answer--current .answer__phrase")).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") > 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    told_box, answer_box = (page.locator(one).bounding_box() for one in (".told", ".answer--current h3"))
    assert told_box is not None
    assert answer_box is not None
    assert told_box["y"] + told_box["height"] <= answer_box["y"]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
@pytest.mark.parametrize(
    "path", ["/admin/review/{}/", "/admin/review/{}/tasks/", "/admin/review/{}/cleaning/", "/agreement/{}/"]
)
def test_its_pages_fit_and_pass_the_accessibility_rules(
    browser: Browser, product: Product, campaign: str, path: str, width: int, scheme: Literal["light", "dark"]
):
    context = browser.new_context(
        base_url=product.url, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    sign_in(page, product)
    page.goto(path.format(campaign))

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    context.close()
