"""Sessions that end while a page is open, in real Chromium: people sign in over the page and go on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.rules import check
from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser

TESTS_WITH_A_REVIEW = 5
ANSWERED = """
import sys
from annotation.services import assessing
from tests.make import make_answer, make_campaign, make_participation
for number in range(int(sys.argv[1])):
    name = f"Signed out {number}"
    campaign = make_campaign(name, size=2, redundancy=3)
    people = [make_participation(campaign, f"{name} {who}") for who in ("cleo", "dan", "eve")]
    for _ in range(2):
        for person, phrase in zip(people, ("botanists", "opera singers", "moss experts")):
            make_answer(person, phrase)
    list(assessing.assess(campaign))
    print(campaign.pk)
"""
STORED = """
import sys
from annotation.models import Review
rows = Review.objects.filter(annotation__assignment__campaign=sys.argv[1])
print(*[row.verdict for row in rows])
"""
END_ALL_SESSIONS = "from django.contrib.sessions.models import Session\nSession.objects.all().delete()"


@pytest.fixture(scope="module")
def campaigns(product: Product) -> Iterator[str]:
    return iter(product.python(ANSWERED, str(TESTS_WITH_A_REVIEW)).split())


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page on whose console refused requests may stand."""
    return context.new_page()


def end_session(page: Page) -> None:
    page.context.clear_cookies(name="tesa_session")


def decide(page: Page, number: int, name: str) -> None:
    page.get_by_role("group", name=f"Decision on answer {number}").get_by_role("button", name=name).click()


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="You were signed out")


def sign_in_over(page: Page, product: Product, name: str = "ben") -> None:
    expect(dialog(page).get_by_label("Password")).to_be_focused()
    expect(dialog(page).get_by_label("Username")).to_have_value("ben")
    dialog(page).get_by_label("Username").fill(name)
    dialog(page).get_by_label("Password").fill(product.passwords[name])
    page.keyboard.press("Enter")


def stored(product: Product, campaign: str) -> list[str]:
    return product.python(STORED, campaign).split()


def test_a_review_goes_on_after_signing_in_over_the_page(page: Page, product: Product, campaigns: Iterator[str]):
    campaign = next(campaigns)
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{campaign}/")
    decide(page, 1, "Accept")
    expect(page.get_by_text("Answer 1: accepted")).to_be_visible()
    product.python(END_ALL_SESSIONS)

    decide(page, 2, "Exclude")
    sign_in_over(page, product)

    expect(page.get_by_text("Answer 2: excluded")).to_be_visible()
    expect(dialog(page)).to_have_count(0)
    page.get_by_label("More for answer 3").click()
    page.get_by_role("link", name="Correct…").locator("visible=true").click()
    page.get_by_label("Corrected phrase").locator("visible=true").fill("growers of moss")
    end_session(page)
    page.get_by_role("button", name="Save correction").locator("visible=true").click()
    sign_in_over(page, product)
    expect(page.get_by_text("Answer 3: corrected")).to_be_visible()
    page.get_by_role("button", name="Undo").click()  # a plain form: its token was renewed as well
    expect(page.get_by_text("Undone: corrected.")).to_be_visible()
    assert stored(product, campaign) == ["accept", "exclude", "correct", "undo"]


def test_decisions_that_wait_for_each_other_are_all_sent_after_signing_in(
    page: Page, product: Product, campaigns: Iterator[str]
):
    campaign = next(campaigns)
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{campaign}/")
    end_session(page)

    def once_all_are_pressed(route: Route) -> None:  # the dialog takes the keys as soon as it is open
        expect(page.locator(".answer [aria-pressed=true]")).to_have_count(3)
        route.continue_()

    page.route("**/sign-in/**", once_all_are_pressed, times=1)
    for key in "axa":
        page.keyboard.press(key)
    sign_in_over(page, product)

    expect(page.get_by_text("All answers decided")).to_be_visible()
    assert stored(product, campaign) == ["accept", "exclude", "accept"]


def test_who_does_not_sign_in_keeps_what_they_typed_and_can_send_it_later(
    page: Page, product: Product, campaigns: Iterator[str]
):
    campaign = next(campaigns)
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{campaign}/")
    page.keyboard.press("m")
    page.keyboard.type("look at the text")
    end_session(page)
    page.keyboard.press("Enter")
    dialog(page).get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(dialog(page).get_by_role("alert").first).to_contain_text("password is wrong")
    expect(dialog(page).get_by_label("Password")).to_be_focused()

    page.keyboard.press("Escape")

    expect(page.get_by_text("Answer 1 was not saved. Try again.")).to_be_visible()
    expect(page.get_by_label("Note").locator("visible=true")).to_have_value("look at the text")
    page.get_by_role("status").get_by_role("button", name="Sign in").click()
    sign_in_over(page, product)
    expect(page.get_by_text("You were signed out.")).to_have_count(0)
    assert stored(product, campaign) == []
    page.get_by_role("button", name="Save note").locator("visible=true").click()
    expect(page.get_by_text("Answer 1: note saved")).to_be_visible()
    expect(page.get_by_text("Answer 1 was not saved")).to_have_count(0)
    assert stored(product, campaign) == ["comment"]


def test_nothing_is_sent_in_the_name_of_somebody_else(page: Page, product: Product, campaigns: Iterator[str]):
    campaign = next(campaigns)
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{campaign}/")
    end_session(page)
    decide(page, 1, "Accept")

    with page.expect_event("load"):
        sign_in_over(page, product, "ada")

    expect(page.locator(".menu__who b")).to_have_text("ada")
    expect(page.get_by_text("3 answers to decide")).to_be_visible()
    assert stored(product, campaign) == []


def test_somebody_who_signed_in_again_in_another_tab_is_not_asked(
    page: Page, product: Product, campaigns: Iterator[str]
):
    campaign = next(campaigns)
    sign_in(page, product, "ben")
    page.goto(f"/admin/review/{campaign}/")
    end_session(page)
    sign_in(page.context.new_page(), product, "ben")

    decide(page, 1, "Accept")

    expect(page.get_by_text("Answer 1: accepted")).to_be_visible()
    expect(dialog(page)).to_have_count(0)


def test_a_page_that_renews_itself_says_so_once_and_rests_until_somebody_signs_in(page: Page, product: Product):
    page.clock.install()
    sign_in(page, product, "ben")
    page.goto("/")
    expect(page.locator("[data-live]").first).to_be_visible()
    end_session(page)
    page.clock.run_for(16_000)
    notice = page.get_by_role("status").get_by_text("You were signed out.")
    expect(notice).to_be_visible()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))

    page.clock.run_for(60_000)

    assert requests == []
    expect(dialog(page)).to_have_count(0)
    expect(page.get_by_role("heading", name="Home")).to_be_visible()
    page.get_by_role("button", name="Sign in").click()
    sign_in_over(page, product)
    expect(notice).to_have_count(0)
    with page.expect_request(product.url + "/"):
        page.clock.run_for(16_000)


def test_nobody_is_interrupted_while_they_fill_in_a_form(page: Page, product: Product):
    sign_in(page, product, "ben")
    page.goto("/campaigns/new/")
    end_session(page)
    answers = page.get_by_label("Answers per task")
    answers.fill("7")
    expect(page.get_by_role("status").get_by_text("You were signed out.")).to_be_visible()
    expect(answers).to_be_focused()
    expect(dialog(page)).to_have_count(0)

    page.get_by_role("button", name="Sign in").click()
    with page.expect_response(lambda answer: answer.url.endswith("/campaigns/new/")) as cost:
        sign_in_over(page, product)

    assert cost.value.status == 200
    expect(answers).to_have_value("7")


def test_a_job_starts_after_signing_in_over_the_page(page: Page, product: Product):
    sign_in(page, product, "ben")
    page.goto("/jobs/")
    page.get_by_label("Duration").fill("1")
    end_session(page)

    page.get_by_role("button", name="Check worker").click()
    sign_in_over(page, product)

    expect(page.locator("#toasts .toast")).to_contain_text("Check worker")


def test_a_search_goes_on_after_signing_in_over_the_page(page: Page, product: Product):
    sign_in(page, product, "ben")
    page.goto("/admin/")
    end_session(page)
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("demo")

    sign_in_over(page, product)

    expect(page.get_by_role("dialog", name="Search").get_by_role("link").first).to_be_visible()


def test_the_dialog_fits_and_is_accessible(strict: Page, product: Product):
    sign_in(strict, product, "ben")
    strict.goto("/jobs/")
    end_session(strict)
    strict.get_by_role("button", name="Check worker").click()
    expect(dialog(strict)).to_be_visible()
    check(strict)
    dialog(strict).get_by_role("button", name="Cancel").click()
    expect(strict.get_by_role("status").get_by_role("button", name="Sign in")).to_be_visible()
    expect(strict.get_by_role("button", name="Check worker")).to_be_focused()
    check(strict)
