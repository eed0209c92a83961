"""Answers that are stored and were not handed over: seen in time, every decision carried out, then paid or left."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from annotation.models import (
    Campaign,
    Difference,
    LedgerEntry,
    MarketDecision,
    Participation,
    Placement,
    Posting,
)
from annotation.providers.mturk.client import Client as Boto
from annotation.selectors.payments import owed_to
from annotation.services.campaigns import start_job
from annotation.services.market import (
    bonuses,
    collecting,
    following,
    ledger,
    mending,
    paying,
    publishing,
    reconciling,
)
from kernel import clock
from kernel.models import AuditEntry, Job
from marketplace.models import Bonus
from tests.annotation.mturk import Visitor, accept, follow, make_published, quiet, use
from tests.annotation.test_market_pages import spender
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def here(market: Market, monkeypatch: pytest.MonkeyPatch) -> Market:
    use(market, monkeypatch)
    return market


def make_missed(here: Market, size: int = 1, *, minutes: int = 3) -> Campaign:
    """Return a campaign with answers that are stored, and that no browser has handed over since."""
    campaign = make_published(size=size, redundancy=1)
    for posting in Posting.objects.all():
        answer_without_handing_over(campaign, posting, here)
    Placement.objects.update(answered_at=clock.now() - timedelta(minutes=minutes))
    return campaign


def answer_without_handing_over(campaign: Campaign, posting: Any, here: Market, worker: Any = None) -> Visitor:
    visitor = accept(campaign, posting, worker or here.worker())
    visitor.answer()
    submit_to = f"{here.url.removesuffix('/mturk/')}/marketplace/submit/{visitor.taken.token}"
    placement = Placement.objects.latest("pk")
    Placement.objects.filter(pk=placement.pk).update(arrival=placement.arrival | {"submit_to": submit_to})
    return visitor


def states() -> list[str]:
    return [*Placement.objects.order_by("pk").values_list("state", flat=True)]


def press(client: Client, campaign: Campaign, difference: Difference, **data: str) -> Any:
    return client.post(f"/campaigns/{campaign.pk}/marketplace/differences/{difference.pk}/", data, follow=True)


def test_all_five_are_handed_over_although_a_job_was_running_when_four_were_pressed(here: Market, client: Client):
    ben = spender(client)
    campaign = make_missed(here, 5)
    following.follow(campaign, report=quiet)
    rows = list(campaign.differences.order_by("pk"))
    assert {row.kind for row in rows} == {"stored here, not submitted there"}

    pages = [shown(press(client, campaign, row)) for row in rows]

    assert Job.objects.filter(kind="follow_marketplace").count() == 1
    assert all("Your decision is stored. A job will carry it out." in page for page in pages)
    assert all("This is done before that ends, or right after it" in page for page in pages[1:])
    assert [*MarketDecision.objects.values_list("decided_by", "done_at")] == [(ben.pk, None)] * 5
    follow(campaign)
    assert states() == ["approved"] * 5
    assert not campaign.differences.exists()
    assert not MarketDecision.objects.filter(done_at=None).exists()


def test_a_row_that_is_found_again_keeps_its_button(here: Market, client: Client):
    spender(client)
    campaign = make_missed(here)
    follow(campaign)
    row = campaign.differences.get()
    follow(campaign)

    press(client, campaign, row)

    assert MarketDecision.objects.get().action == "hand over"


def test_pressing_twice_decides_once(here: Market, client: Client):
    spender(client)
    campaign = make_missed(here)
    follow(campaign)

    for _ in range(2):
        press(client, campaign, campaign.differences.get())

    assert MarketDecision.objects.count() == 1


def test_a_decision_survives_a_job_that_was_killed(here: Market, client: Client, monkeypatch: pytest.MonkeyPatch):
    spender(client)
    campaign = make_missed(here, 2)
    follow(campaign)
    with monkeypatch.context() as patched:
        patched.setattr(mending, "CARRIES", {"hand over": kill})
        press(client, campaign, campaign.differences.order_by("pk")[0])
        press(client, campaign, campaign.differences.order_by("pk")[1])
        with pytest.raises(KeyboardInterrupt):
            follow(campaign)

    follow(campaign)

    assert states() == ["approved"] * 2


def kill(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_marketplace_that_does_not_answer_is_asked_again_by_the_next_job(here: Market):
    campaign = make_missed(here)
    follow(campaign)
    arrival = Placement.objects.get().arrival
    Placement.objects.update(arrival=arrival | {"submit_to": "http://127.0.0.1:9/x"})
    mending.mend(campaign.differences.get(), by=None)

    assert "1 call will be retried" in follow(campaign)
    assert states() == ["handed over"]
    Placement.objects.update(arrival=arrival)
    follow(campaign)

    assert states() == ["approved"]


def test_a_missed_hand_over_is_seen_by_every_job_without_listing_hits(here: Market, monkeypatch: pytest.MonkeyPatch):
    campaign, calls, real = make_missed(here), [], Boto.call
    campaign.refresh_from_db()

    def call(self: Boto, operation: str, **parameters: Any) -> dict[str, Any]:
        calls.append(operation)
        return real(self, operation, **parameters)

    monkeypatch.setattr(Boto, "call", call)
    following.follow(campaign, report=quiet)

    assert campaign.differences.get().kind == "stored here, not submitted there"
    assert "list_hits" not in calls


def test_what_is_decided_while_a_job_runs_is_done_before_it_ends(here: Market, monkeypatch: pytest.MonkeyPatch):
    campaign, real = make_missed(here), collecting.collect
    follow(campaign)
    rows = list(campaign.differences.all())

    def collect(*arguments: Any) -> Any:
        if rows:  # somebody presses the button when the calls for decisions are over
            mending.mend(rows.pop(), by=None)
        return real(*arguments)

    monkeypatch.setattr(collecting, "collect", collect)
    following.follow_all(campaign, report=quiet)

    assert states() == ["approved"]


STEPS: list[tuple[Any, str]] = [
    (collecting, "collect"), (paying, "approve"), (bonuses, "send"), (publishing, "apply_changes"),
    (reconciling, "reconcile"),
]  # fmt: skip


@pytest.mark.parametrize(("step", "following_step"), [*pairwise(STEPS)])
def test_what_is_decided_during_one_step_of_a_job_is_done_before_the_next(
    here: Market, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str], following_step: tuple[Any, str]
):
    campaign = make_missed(here)
    follow(campaign)
    row, real, then, waiting = campaign.differences.get(), getattr(*step), getattr(*following_step), []

    def decide(*arguments: Any, **more: Any) -> Any:
        mending.mend(row, by=None)
        return real(*arguments, **more)

    def look(*arguments: Any, **more: Any) -> Any:
        waiting.append(MarketDecision.objects.filter(done_at=None).count())
        return then(*arguments, **more)

    monkeypatch.setattr(*step, decide)
    monkeypatch.setattr(*following_step, look)
    following.follow(campaign, report=quiet)

    assert waiting == [0]


def test_a_script_follows_the_running_job_and_sends_nothing_twice(here: Market, client: Client):
    spender(client)
    campaign = make_missed(here)
    follow(campaign)
    running = following.start(campaign, by=None)
    assert running

    address = f"/campaigns/{campaign.pk}/marketplace/differences/{campaign.differences.get().pk}/"
    answer = client.post(address, headers={"HX-Request": "true"})

    assert (answer.status_code, f"/jobs/{running.pk}/" in answer.headers["HX-Trigger"]) == (204, True)
    assert MarketDecision.objects.count() == 1


def make_job_ended(campaign: Campaign, *, seconds_ago: int) -> None:
    moment = clock.now() - timedelta(seconds=seconds_ago)
    Campaign.objects.update(spend_at=moment - timedelta(minutes=10))
    fields = {"queue": "default", "lock": f"campaign {campaign.pk}", "status": "succeeded", "created_at": moment}
    Job.objects.create(kind="follow_marketplace", **fields)


@pytest.mark.parametrize(("minutes_open", "is_urgent"), [(3, False), (11, True), (16, False)])
def test_the_scheduler_looks_sooner_if_there_would_be_no_time_left(here: Market, minutes_open: int, is_urgent: bool):
    campaign = make_missed(here, minutes=0)
    moment = clock.now()
    answered = moment - timedelta(minutes=2, seconds=1)
    Placement.objects.update(opened_at=moment - timedelta(minutes=minutes_open), answered_at=answered)
    make_job_ended(campaign, seconds_ago=90)

    assert bool(following.start_due()) == is_urgent, "a HIT of 15 minutes"
    Job.objects.filter(status="queued").update(status="succeeded")
    assert following.start_due() == [], "once"


def test_the_scheduler_carries_out_at_once_what_was_decided_during_another_job(here: Market, client: Client):
    spender(client)
    campaign = make_missed(here)
    follow(campaign)
    make_job_ended(campaign, seconds_ago=30)
    assert following.start_due() == []

    held = start_job("look_at_people", campaign, by=None)
    press(client, campaign, campaign.differences.get())
    assert following.start_due() == [], "another job works on the campaign"
    Job.objects.filter(pk=held.pk).update(status="succeeded")

    assert len(following.start_due()) == 1


def make_unpaid(here: Market, client: Client) -> tuple[Campaign, Difference]:
    """Return a campaign in which somebody was paid for one answer, and handed the other over too late."""
    campaign = make_published(size=2, redundancy=1)
    worker = here.worker()
    first, second = Posting.objects.order_by("pk")
    visitor = accept(campaign, first, worker)
    visitor.answer()
    visitor.submit()
    answer_without_handing_over(campaign, second, here, worker)
    Placement.objects.filter(posting=second).update(answered_at=clock.now() - timedelta(minutes=3))
    follow(campaign)
    here.pass_time(campaign.time_limit_s + 1)
    press(client, campaign, campaign.differences.get())
    follow(campaign)
    return campaign, campaign.differences.get()


def test_what_can_no_longer_be_handed_over_is_paid_by_a_bonus_once(here: Market, client: Client):
    ben = spender(client)
    campaign, difference = make_unpaid(here, client)
    assert owed_to(Participation.objects.get()) == Decimal("0.20")
    page = shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))
    assert "Pay $0.20 by bonus" in page
    assert "Submit the answer again" not in page

    for _ in range(2):
        press(client, campaign, difference, choice="pay", reason="Your browser lost the form.")
    for _ in range(2):
        follow(campaign)

    decision = MarketDecision.objects.get(action="pay")
    assert (decision.decided_by, decision.reason) == (ben, "Your browser lost the form.")
    assert (decision.entry.decided_by, decision.entry.state) == (ben, "done")  # type: ignore[union-attr]
    assert Bonus.objects.get().cents == 20
    person = Participation.objects.get()
    assert (person.earned, person.paid) == (Decimal("0.40"), Decimal("0.40")), "earned once, and nothing is due"
    assert not campaign.differences.exists()
    assert ledger.spent_cents(campaign) == 48
    assert AuditEntry.objects.get(action="pay an answer that was not submitted").actor == ben


def test_what_can_no_longer_be_handed_over_is_left_due_for_a_reason(here: Market, client: Client):
    ben = spender(client)
    campaign, difference = make_unpaid(here, client)

    assert press(client, campaign, difference, choice="leave", reason=" ").status_code == 422
    assert press(client, campaign, difference, choice="", reason="Why not").status_code == 422
    page = press(client, campaign, difference, choice="leave", reason="They wrote that they do not want it.")
    follow(campaign)

    assert "It stays due under Payments." in shown(page)
    decision = MarketDecision.objects.get(action="leave")
    assert (decision.decided_by, decision.reason) == (ben, "They wrote that they do not want it.")
    assert not campaign.differences.exists()
    assert owed_to(Participation.objects.get()) == Decimal("0.20")
    assert not LedgerEntry.objects.filter(kind="bonus").exists()


def test_somebody_without_submitted_work_gets_no_bonus_and_the_page_says_so(here: Market, client: Client):
    spender(client)
    campaign = make_missed(here)
    follow(campaign)
    here.pass_time(campaign.time_limit_s + 1)
    press(client, campaign, campaign.differences.get())
    follow(campaign)

    page = shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))
    refused = press(client, campaign, campaign.differences.get(), choice="pay", reason="Thanks.")

    assert "this person has submitted none in this campaign" in page
    assert "by bonus" not in page
    assert refused.status_code == 409
    assert not LedgerEntry.objects.filter(kind="bonus").exists()


def test_a_bonus_for_work_that_was_submitted_after_all_is_not_sent(here: Market, client: Client):
    spender(client)
    campaign, difference = make_unpaid(here, client)
    press(client, campaign, difference, choice="pay", reason="Sorry.")
    Placement.objects.filter(state="returned").update(state="submitted")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(collecting, "collect", lambda *_: [])
        follow(campaign)

    assert not Bonus.objects.exists()
    assert LedgerEntry.objects.get(kind="bonus").state == "refused"


def test_a_bonus_above_the_budget_is_refused_and_the_row_stays(here: Market, client: Client):
    spender(client)
    campaign, difference = make_unpaid(here, client)
    campaign.refresh_from_db()
    ledger.set_budget(campaign.pk, campaign.reserved_cents, by=None)

    refused = press(client, campaign, difference, choice="pay", reason="Sorry.")

    assert (refused.status_code, "raise it first" in shown(refused)) == (409, True)
    assert campaign.differences.get() == difference


def test_two_people_on_one_place_are_one_difference(here: Market, client: Client):
    spender(client)
    campaign = make_missed(here)
    here.pass_time(campaign.time_limit_s + 1)  # the place goes to the next worker, under the same name
    posting = Posting.objects.get()
    second = accept(campaign, posting, here.worker())
    second.answer()
    second.submit()
    follow(campaign)

    assert states() == ["returned", "approved"]
    assert [*campaign.differences.values_list("kind", flat=True)] == ["two people on one place"]
    assert "Pay or leave" in shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))
