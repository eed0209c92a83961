"""A HIT in Chromium: the task's pages are in a frame of another site, and that browser blocks third-party cookies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect, sync_playwright

from annotation.models import Annotation, Campaign, Placement
from marketplace.models import HIT
from tests.annotation.mturk import follow, make_published, use
from tests.browser.conftest import FLAGS, OneAtATime
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market


@pytest.fixture
def strict_page(chromium: str, live_server: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A page of a browser that blocks third-party cookies."""
    server = live_server.thread.httpd
    monkeypatch.setattr(server, "application", OneAtATime(server.application))
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright runs a loop in this thread
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=[*FLAGS, "--test-third-party-cookie-phaseout"]
        )
        yield browser.new_context().new_page()
        browser.close()


# As requesters wrote them for Amazon: its script from its own address, and a form that only this script completes.
TEMPLATE = """<HTMLQuestion
  xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd"><HTMLContent>
<![CDATA[<!DOCTYPE html>
<html>
 <head>
  <meta http-equiv='Content-Type' content='text/html; charset=UTF-8'/>
  <script type='text/javascript' src='https://s3.amazonaws.com/mturk-public/externalHIT_v1.js'></script>
 </head>
 <body>
  <form name='mturk_form' method='post' id='mturk_form' {action}>{field}
   <label>Which plants are these? <input type='text' name='plants'></label>
   <input type='submit' id='submitButton' value='Submit' />
  </form>
  <script language='Javascript'>turkSetAssignmentID();</script>
 </body>
</html>]]></HTMLContent><FrameHeight>450</FrameHeight></HTMLQuestion>"""
FIELD = "<input type='hidden' value='' name='assignmentId' id='assignmentId'/>"


@dataclass
class Place:
    """A campaign with one HIT, the site that offers it, and a worker who is signed in there."""

    campaign: Campaign
    site: str
    page: Page
    market: Market

    @property
    def frame(self) -> FrameLocator:
        return self.page.frame_locator("iframe")

    def preview(self) -> None:
        self.page.goto(f"{self.site}/marketplace/groups/{HIT.objects.get().hit_type.group_id}/")

    def accept(self) -> None:
        self.preview()
        self.page.get_by_role("button", name="Accept this HIT").click()

    def begin(self) -> None:
        self.frame.get_by_role("button", name="I agree and want to begin").click()
        self.frame.locator("form[action$='/instructions/'] button").first.click()

    def answer(self, words: str, page: Page | None = None) -> None:
        frame = (page or self.page).frame_locator("iframe")
        frame.get_by_role("textbox").first.fill(words)
        frame.get_by_role("button", name="Submit").click()


@pytest.fixture
def place(market: Market, strict_page: Page, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Place:
    use(market, monkeypatch)
    port = market.url.split(":")[2].split("/")[0]
    tasks, site = f"http://127.0.0.1:{port}", f"http://localhost:{port}"
    settings.TESA_PROVIDERS["mturk"]["sites"] = (tasks, site)
    settings.PUBLIC_URL, settings.PUBLIC_ORIGIN = tasks, tasks
    campaign = make_published(size=1, redundancy=1)
    settings.PUBLIC_URL, settings.PUBLIC_ORIGIN = site, site
    strict_page.context.request.post(f"{site}/marketplace/enter/{market.worker().secret}/")
    return Place(campaign, site, strict_page, market)


def test_a_worker_previews_accepts_and_does_a_hit_whose_pages_come_from_another_site(place: Place):
    place.preview()
    expect(place.frame.get_by_text("This is a preview")).to_be_visible()
    expect(place.frame.get_by_role("textbox").first).to_be_disabled()
    assert not Placement.objects.exists()

    place.accept()
    place.begin()
    expect(place.page.get_by_role("timer")).to_be_visible()
    expect(place.frame.locator("[data-time]")).to_be_hidden()  # one clock is enough
    place.answer("the botanists")

    expect(place.page.get_by_text("Submitted. If the requester does not review it")).to_be_visible()
    assert Annotation.objects.get().answer
    follow(place.campaign)
    assert Placement.objects.get().state == "approved"
    place.page.goto(f"{place.site}/marketplace/dashboard/")
    expect(place.page.get_by_role("definition").filter(has_text="$0.20").first).to_be_visible()
    cookies = {cookie["domain"] for cookie in place.page.context.cookies()}
    assert cookies <= {"localhost"}, "the task's pages set none"


def test_a_hit_that_is_open_in_two_tabs_is_submitted_once(place: Place):
    place.accept()
    place.begin()
    expect(place.frame.get_by_role("textbox").first).to_be_visible()
    other = place.page.context.new_page()
    other.goto(place.page.url)
    expect(other.frame_locator("iframe").get_by_role("textbox").first).to_be_visible()

    place.answer("the botanists")
    expect(place.page.get_by_text("Submitted. If the requester does not review it")).to_be_visible()
    place.answer("something else", other)

    expect(other.get_by_text("Submitted. If the requester does not review it")).to_be_visible()
    assert "botanists" in str(Annotation.objects.get().answer)
    follow(place.campaign)
    assert [*Placement.objects.values_list("state", flat=True)] == ["approved"]


def test_a_hit_that_was_returned_can_be_taken_again(place: Place):
    place.accept()
    place.begin()
    expect(place.frame.get_by_role("textbox").first).to_be_visible()
    place.page.get_by_role("button", name="Return this HIT").click()
    expect(place.page.get_by_text("You returned the HIT. Other workers can accept it now.")).to_be_visible()

    place.accept()
    place.answer("the botanists")

    expect(place.page.get_by_text("Submitted. If the requester does not review it")).to_be_visible()
    follow(place.campaign)
    assert Placement.objects.get(state="approved").assignment is not None
    assert Annotation.objects.count() == 1
    assert not place.campaign.differences.exists()


def test_after_the_deadline_the_hit_is_gone_and_the_answer_is_kept(place: Place):
    place.accept()
    place.begin()
    expect(place.frame.get_by_role("textbox").first).to_be_visible()
    place.market.pass_time(place.campaign.time_limit_s + 1)

    place.answer("the botanists")

    expect(place.frame.get_by_role("heading", name="Not submitted")).to_be_visible()
    assert Annotation.objects.count() == 1, "nothing that was written is lost"
    place.page.reload()
    expect(place.page.get_by_text("You do not hold this HIT any more")).to_be_visible()
    place.preview()
    expect(place.page.get_by_role("button", name="Accept this HIT")).to_be_visible()


@pytest.mark.parametrize(
    ("action", "field"),
    [("action='https://www.mturk.com/mturk/externalSubmit'", FIELD), ("", ""), ("action='/mturk/externalSubmit'", "")],
    ids=["complete", "no action, no field", "no field"],
)
def test_a_template_made_for_amazon_is_previewed_accepted_and_submitted(
    market: Market, strict_page: Page, settings: Any, action: str, field: str
):
    site = market.url.removesuffix("/mturk/")
    settings.PUBLIC_URL = settings.PUBLIC_ORIGIN = site
    requests: list[str] = []
    strict_page.on("request", lambda request: requests.append(request.url))
    hit = market.create_hit(Question=TEMPLATE.format(action=action, field=field))
    strict_page.context.request.post(f"{site}/marketplace/enter/{market.worker().secret}/")
    frame = strict_page.frame_locator("iframe")

    strict_page.goto(f"{site}/marketplace/groups/{hit['HITGroupId']}/")
    expect(frame.locator("#submitButton")).to_be_disabled()
    expect(frame.locator("#submitButton")).to_have_value("Accept the HIT before you submit it")
    strict_page.get_by_role("button", name="Accept this HIT").click()
    frame.get_by_role("textbox").fill("ferns")
    frame.get_by_role("button", name="Submit").click()

    expect(strict_page.get_by_text("Submitted. If the requester does not review it")).to_be_visible()
    (work,) = market.client.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert "<QuestionIdentifier>plants</QuestionIdentifier><FreeText>ferns</FreeText>" in work["Answer"]
    assert [url for url in requests if not url.startswith(site)] == [], "nothing is fetched from Amazon"


def test_a_question_cannot_make_its_worker_somebody_else(market: Market, strict_page: Page, settings: Any):
    """The form may leave the frame for the window or a new one; an HTML question may send none, another site may."""
    site = market.url.removesuffix("/mturk/")
    settings.PUBLIC_URL = settings.PUBLIC_ORIGIN = site
    worker, intruder = market.worker(), market.worker()
    action = f"{site}/marketplace/enter/{intruder.secret}/"
    form = f"<form method=post target=_top action={action}><button>Win</button></form>"
    hit = market.create_hit(Question=TEMPLATE.format(action="", field="").replace("<body>", f"<body>{form}"))
    strict_page.context.request.post(f"{site}/marketplace/enter/{worker.secret}/")
    strict_page.goto(f"{site}/marketplace/groups/{hit['HITGroupId']}/")
    strict_page.get_by_role("button", name="Accept this HIT").click()

    with strict_page.expect_console_message(lambda message: "form-action" in message.text):
        strict_page.frame_locator("iframe").get_by_role("button", name="Win").click()
    elsewhere = strict_page.context.new_page()
    elsewhere.route("http://other.localhost/", lambda route: route.fulfill(content_type="text/html", body=form))
    elsewhere.goto("http://other.localhost/")
    elsewhere.get_by_role("button", name="Win").click()

    expect(elsewhere.get_by_text("came from another page")).to_be_visible()
    strict_page.goto(f"{site}/marketplace/")
    expect(strict_page.get_by_text(f"Worker {worker.worker_id}")).to_be_visible()
