"""Qualification tests in Chromium: by keyboard, on a phone, without JavaScript, and with a clock that runs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.rules import check
from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser

MAKE = """
from uuid import uuid4
from kernel.clock import now
from kernel.models import User
from marketplace.models import Requester
from marketplace.services import accounts, hits, joining, qualifications
from tests.marketplace.exams import MOVES, MOVES_KEY, choice, form, question, typed
from tests.marketplace.market import QUESTION, TYPE
name = f"wanda{uuid4().hex[:8]}"
joining.join(User.objects.create_user(name, password="correct horse battery staple"), country="DE")
lab = accounts.create_requester(f"Lab of {name}")
Requester.objects.filter(pk=lab.pk).update(fresh_seconds=0)
about = {"Description": "For people who know the rules", "QualificationTypeStatus": "Active"}
scored = {"Name": "Moves", "Test": MOVES, "AnswerKey": MOVES_KEY, "TestDurationInSeconds": 600}
kind = qualifications.create_type(lab, about | scored, now()).type_id
typing = typed('<Length minLength="3"/>', "<NumberOfLinesSuggestion>3</NumberOfLinesSuggestion>")
several = choice("a", "b", "c", before="<MaxSelectionCount>2</MaxSelectionCount>")
essay = form(question(typing, "why"), question(several, "which"), question(choice("a", other="<OtherSelection/>"), "o"))
read = {"Name": "Essay", "Test": essay, "TestDurationInSeconds": 600, "RetryDelayInSeconds": 0}
essay = qualifications.create_type(lab, about | read, now()).type_id
need = [{"QualificationTypeId": kind, "Comparator": "GreaterThan", "IntegerValues": [60]}]
hits.create_hit(lab, TYPE | {"Title": f"HIT of {name}", "LifetimeInSeconds": 3600, "Question": QUESTION,
                             "QualificationRequirements": need}, now())
print(name, lab.pk, kind, essay)
"""


def worker(browser: Browser, product: Product, name: str, *, has_script: bool = True) -> Page:
    """Return a page of a worker who is signed in."""
    page = browser.new_context(base_url=product.url, bypass_csp=True, java_script_enabled=has_script).new_page()
    page.goto("/account/sign-in/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("correct horse battery staple")
    page.get_by_role("button", name="Sign in").click()
    expect(page).not_to_have_url(re.compile("sign-in"))
    return page


@pytest.fixture
def made(product: Product) -> list[str]:
    """A worker, a requester, and its two types: one scored, one read."""
    return product.python(MAKE).split()[-4:]


def test_a_worker_takes_a_test_by_keyboard_and_accepts_the_hit(browser: Browser, product: Product, made: list[str]):
    name, _, kind, _ = made
    page = worker(browser, product, name)
    page.goto("/marketplace/")
    expect(page.get_by_role("link", name=re.compile("Take the test")).first).to_be_visible()
    check(page)
    page.goto("/marketplace/qualifications/")
    check(page)
    page.goto(f"/marketplace/qualifications/{kind}/")
    check(page)
    page.get_by_role("button", name="Start the test").press("Enter")
    expect(page.locator("[data-left]")).to_have_text(re.compile(r"^9:\d\d$"))
    check(page)

    page.get_by_role("button", name="Send answers").press("Enter")
    wrong = page.locator("#wrong")
    expect(wrong).to_be_focused()
    expect(wrong).to_contain_text("1 answer needs a change")
    check(page)
    wrong.get_by_role("link").press("Enter")
    page.keyboard.press("Tab")
    page.get_by_role("radio", name="Option C").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Option D")).to_be_checked()
    page.get_by_role("combobox").select_option("apples")
    page.get_by_role("button", name="Send answers").press("Enter")

    expect(page.get_by_text("You have this qualification with the value 100.")).to_be_visible()
    check(page)
    page.get_by_role("link", name=f"HIT of {name}").click()
    expect(page.get_by_role("button", name="Accept this HIT")).to_be_visible()
    page.context.close()


def test_what_was_typed_outlives_a_reload(browser: Browser, product: Product, made: list[str]):
    name, _, _, essay = made
    page = worker(browser, product, name)
    page.goto(f"/marketplace/qualifications/{essay}/")
    page.get_by_role("button", name="Start the test").click()
    page.get_by_role("textbox").first.fill("Because")
    page.get_by_role("checkbox", name="Option b").check()

    page.goto("/marketplace/qualifications/")
    page.get_by_role("link", name="Continue the test").click()

    expect(page.get_by_role("textbox").first).to_have_value("Because")
    expect(page.get_by_role("checkbox", name="Option b")).to_be_checked()
    expect(page.get_by_role("checkbox", name="Option a")).not_to_be_checked()
    page.context.close()


def test_without_javascript_a_test_is_taken_and_its_requester_decides(
    strict: Page, browser: Browser, product: Product, made: list[str]
):
    name, lab, _, essay = made
    page = worker(browser, product, name, has_script=False)
    page.goto(f"/marketplace/qualifications/of/{lab}/")
    page.get_by_role("link", name="Essay").click()
    page.get_by_role("button", name="Start the test").click()
    expect(page.locator("[data-left]")).to_contain_text("min")
    expect(page.get_by_text(re.compile(r"until \d\d:\d\d:\d\d"))).to_be_visible()
    page.get_by_role("textbox").first.fill("no")
    page.get_by_role("checkbox", name="Option a").check()
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_text("it must have at least 3 characters.").first).to_be_visible()
    expect(page.get_by_role("checkbox", name="Option a")).to_be_checked()
    page.get_by_role("textbox").first.fill("Because I read.")
    page.get_by_label("Another answer").fill("mine")
    page.get_by_role("button", name="Send answers").click()
    expect(page.get_by_text("The requester decides.").first).to_be_visible()

    sign_in(strict, product)
    strict.goto(f"/marketplace/requesters/{lab}/")
    check(strict)
    strict.get_by_role("link", name="Qualification requests (1)").click()
    expect(strict.get_by_text("Because I read.")).to_be_visible()
    check(strict)
    strict.get_by_label("Reason, shown to the worker").fill("Please write more.")
    strict.get_by_role("button", name="Reject").click()
    expect(strict.get_by_text("Nobody waits for a decision.")).to_be_visible()
    check(strict)

    page.goto(f"/marketplace/qualifications/{essay}/")
    expect(page.get_by_text("They wrote: “Please write more.”")).to_be_visible()
    expect(page.get_by_role("button", name="Start the test")).to_be_visible()
    page.context.close()


def test_the_clock_says_when_the_time_has_run_out(browser: Browser, product: Product, made: list[str]):
    name, _, kind, _ = made
    page = worker(browser, product, name)
    page.clock.install()
    page.goto(f"/marketplace/qualifications/{kind}/")
    page.get_by_role("button", name="Start the test").click()
    expect(page.locator("[data-left]")).to_have_text(re.compile(r"^9:\d\d$"))

    page.clock.fast_forward(599_000)
    page.clock.run_for(2000)

    expect(page.get_by_role("alert")).to_contain_text("The time ran out. Answers sent now are not saved.")
    expect(page.locator("[data-left]")).to_have_text("0:00")
    page.context.close()
