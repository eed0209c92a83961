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
for phrases in (("The botanists.", "opera singers"), ("botanists", "the botanists"), ("gardeners", "gardeners")):
    for person, phrase in zip(people, phrases):
        make_answer(person, phrase)
list(assessing.assess(campaign))
print(campaign.pk)
"""
CLEAN = """
from annotation.services import assessing
from tests.make import make_answer, make_campaign, make_participation
campaign = make_campaign("Three clean answers", size=2, redundancy=3)
people = [make_participation(campaign, name) for name in ("clean cleo", "clean dan", "clean eve")]
for _ in range(2):
    for person, phrase in zip(people, ("botanists", "botanists", "moss experts")):
        make_answer(person, phrase)
list(assessing.assess(campaign))
print(campaign.pk)
"""


@pytest.fixture(scope="module")
def campaign(product: Product) -> str:
    return product.python(ANSWERED).strip().splitlines()[-1]


def saved(page: Page, number: int, decision: str) -> None:
    expect(page.get_by_role("status").get_by_text(f"Answer {number}: {decision}")).to_be_visible()


def test_a_review_is_driven_by_keyboard_alone(page: Page, product: Product, campaign: str):
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{campaign}/")
    expect(page.get_by_text("Task 1 of 3")).to_be_visible()
    expect(page.get_by_text("People gave different phrases.")).to_be_visible()

    page.keyboard.press("a")
    saved(page, 1, "accepted")
    page.keyboard.press("m")
    page.keyboard.type("a and x are keys, not here")
    page.keyboard.press("Enter")
    saved(page, 2, "note saved")
    page.keyboard.press("c")
    page.keyboard.type("moss experts")  # in place of the text, which is selected
    expect(page.get_by_label("Corrected phrase").locator("visible=true")).to_have_value("moss experts")
    page.keyboard.press("Enter")
    saved(page, 2, "corrected")
    expect(page.get_by_text("All answers decided")).to_be_visible()

    press(page, "u")
    expect(page.get_by_text("Undone: corrected.")).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    saved(page, 2, "excluded")
    page.get_by_label("Reason").fill("not about them")
    page.keyboard.press("Enter")
    expect(page.get_by_text("All answers decided")).to_be_visible()
    page.get_by_role("link", name="Accept 2 unanimous tasks").click()
    page.get_by_role("dialog").get_by_role("button", name="Accept 2 tasks").click()
    expect(page.get_by_text("4 answers of 2 unanimous tasks accepted.")).to_be_visible()
    expect(page.get_by_text("You’re up to date")).to_be_visible()


def test_three_clean_answers_take_four_keys_and_fit_on_one_screen(page: Page, product: Product):
    pk = product.python(CLEAN).strip().splitlines()[-1]
    sign_in(page, product, "ben")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"/admin/review/{pk}/")
    expect(page.locator(".answer")).to_have_count(3)
    for place in (".passage", ".answer:last-child", "#next"):
        expect(page.locator(place).first).to_be_in_viewport(ratio=1)

    page.keyboard.press("a")
    page.keyboard.press("a")
    page.keyboard.press("a")
    press(page, "Enter")  # waits until everything is saved

    expect(page.get_by_text("Task 1 of 1")).to_be_visible()
    verdicts = product.python(
        "from annotation.models import Annotation\n"
        f"print(Annotation.objects.filter(assignment__campaign={pk}, verdict='accept').count())"
    )
    assert verdicts.split()[-1] == "3"


def test_a_decision_that_is_not_saved_is_unmarked_and_said(browser: Browser, product: Product):
    context = browser.new_context(base_url=product.url)  # its own: the failed request is meant to reach the console
    page = context.new_page()
    lost = ANSWERED.replace("Review by keyboard", "Review without a server").replace("review ", "lost ")
    pk = product.python(lost).strip().splitlines()[-1]
    sign_in(page, product, "ben")
    page.route("**/answers/**", lambda route: route.abort())  # before the page is there: a later one may miss a request
    page.goto(f"/admin/review/{pk}/")

    page.keyboard.press("a")

    expect(page.get_by_text("Answer 1 was not saved. Try again.")).to_be_visible()
    expect(page.locator("[aria-pressed=true]")).to_have_count(0)
    page.unroute("**/answers/**")
    page.keyboard.press("a")
    saved(page, 1, "accepted")
    context.close()


def test_a_key_held_down_decides_once_and_what_it_decides_on_is_in_view(page: Page, product: Product):
    held = ANSWERED.replace("Review by keyboard", "Review by a held key").replace("review ", "held ")
    pk = product.python(held).strip().splitlines()[-1]
    sign_in(page, product, "ben")
    page.set_viewport_size({"width": 1280, "height": 600})
    page.goto(f"/admin/review/{pk}/")
    page.keyboard.down("a")
    page.keyboard.down("a")  # not released: the browser reports a repetition
    saved(page, 1, "accepted")
    page.keyboard.up("a")
    expect(page.get_by_text("1 answer to decide")).to_be_visible()
    expect(page.locator(".answer--current .answer__phrase")).to_be_in_viewport()
    expect(page.locator(".passage")).to_be_in_viewport()


def test_without_a_script_plain_forms_decide(browser: Browser, product: Product):
    plain = ANSWERED.replace("Review by keyboard", "Review without a script").replace("review ", "plain ")
    pk = product.python(plain).strip().splitlines()[-1]
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{pk}/")

    page.get_by_role("group", name="Decision on answer 2").get_by_role("button", name="Exclude").click()
    expect(page.get_by_text("Answer 2: excluded.")).to_be_visible()
    page.get_by_label("Reason").fill("not about them")
    page.get_by_role("button", name="Save reason").click()
    page.get_by_label("More for answer 1").click()
    page.get_by_role("link", name="Correct…").click()
    page.get_by_label("Corrected phrase").locator("visible=true").fill("moss experts")
    page.get_by_role("button", name="Save correction").locator("visible=true").click()
    expect(page.get_by_text("Answer 1: corrected.")).to_be_visible()
    expect(page.get_by_text("Task 1 of 2")).to_be_visible()
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
@pytest.mark.parametrize(
    "path", ["/admin/review/{}/", "/admin/review/{}/tasks/", "/admin/review/{}/cleaning/", "/campaigns/{}/agreement/"]
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
