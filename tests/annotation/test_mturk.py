"""A campaign on the marketplace, through boto3 over HTTP: published, worked on, paid, expired, and never paid twice."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.models import (
    Annotation,
    Campaign,
    HeldGrant,
    LedgerEntry,
    Participation,
    Payment,
    Placement,
    Posting,
    Task,
    Worker,
)
from annotation.providers.base import Arrival, Outcome, Preview
from annotation.providers.mturk.client import check_endpoint
from annotation.providers.mturk.provider import MTURK
from annotation.services import campaigns, excluding, grants, joining, reviewing, stopping
from annotation.services.market import following, ledger, rejecting
from annotation.services.market.marketplaces import worker_provider
from annotation.task_types.aggregation.answers import known_phrases
from kernel.errors import InvalidInput, NotAllowed
from marketplace.models import HIT
from marketplace.services import working
from tests.annotation.mturk import HITS, SITE, Visitor, accept, allow_to_spend, follow, make_published, quiet, use
from tests.make import make_campaign, make_participation, make_user
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market
from tests.pages import shown

database = pytest.mark.django_db(transaction=True)


@pytest.fixture
def here(market: Market, monkeypatch: pytest.MonkeyPatch) -> Market:
    use(market, monkeypatch)
    return market


def sums(campaign: Any) -> tuple[int, int]:
    """Return what is reserved, and what the entries that reserve come to."""
    campaign.refresh_from_db()
    rows = LedgerEntry.objects.filter(campaign=campaign, kind__in=ledger.RESERVED).exclude(state="refused")
    return campaign.reserved_cents, sum(entry.total_cents for entry in rows)


def locked(market: Market) -> int:
    return market.cents[1]


@database
def test_every_task_becomes_one_hit_with_our_key_and_its_price_is_reserved(here: Market):
    campaign = make_published(size=3)

    hits = HIT.objects.order_by("pk")
    assert [hit.annotation for hit in hits] == [*Posting.objects.order_by("pk").values_list("key", flat=True)]
    assert {hit.max_assignments for hit in hits} == {2}
    assert len({hit.hit_type_id for hit in hits}) == 1
    assert sums(campaign) == (144, 144)
    assert locked(here) == 144
    follow(campaign)
    assert HIT.objects.count() == 3, "publishing again adds nothing"


@database
def test_publishing_stops_at_the_budget(here: Market):
    campaign = make_published(size=3, budget=100)

    assert HIT.objects.count() == 2
    assert sums(campaign) == (96, 96)
    assert "raise it first" in follow(campaign)


@database
def test_an_account_without_money_refuses_one_hit_and_the_others_wait(here: Market):
    here.requester.refresh_from_db()
    here.requester.balance_cents = 0
    here.requester.save(update_fields=["balance_cents"])
    campaign = make_published(size=3)

    assert not HIT.objects.exists()
    assert sorted(Posting.objects.values_list("state", flat=True)) == ["planned", "planned", "refused"]
    assert sums(campaign) == (96, 96), "the money of the refused one is free again"


@database
def test_a_worker_does_a_hit_in_the_frame_and_is_paid_once(here: Market):
    campaign = make_published(size=1, redundancy=1)
    visitor = accept(campaign, Posting.objects.get(), here.worker())

    page = visitor.answer()
    assert Annotation.objects.count() == 1, "stored before anything is submitted"
    assert f'action="{SITE}/{visitor.taken.token}/mturk/externalSubmit"' in page
    assert f'name="assignmentId" value="{visitor.taken.assignment_id}"' in page
    assert Placement.objects.get().state == "handed over"
    visitor.submit()
    for _ in range(2):
        follow(campaign)

    assert Placement.objects.get().state == "approved"
    assert Payment.objects.get().amount == Decimal("0.20")
    assert (
        here.client.get_assignment(AssignmentId=visitor.taken.assignment_id)["Assignment"]["AssignmentStatus"]
        == "Approved"
    )
    assert [*LedgerEntry.objects.filter(kind="reward").values_list("state", "amount_cents", "fee_cents")] == [
        ("done", 20, 4)
    ]
    assert ledger.spent_cents(campaign) == 24
    assert not campaign.differences.exists()
    assert "This task is done" in shown(Client().get(visitor.home))


@database
def test_the_consent_says_that_the_marketplace_pays(here: Market):
    campaign = make_published(size=1)
    posting = Posting.objects.get()
    visitor = Visitor(working.accept(here.worker(), posting.external_id)).arrive(campaign, posting)

    assert "paid through this marketplace when the answer is approved" in shown(Client().get(visitor.home))


@database
def test_the_pages_may_be_framed_by_the_marketplace_alone_and_set_no_cookie(here: Market):
    campaign = make_published(size=1)
    visitor = accept(campaign, Posting.objects.get(), here.worker())

    page = Client().get(visitor.home)

    assert f"frame-ancestors 'self' {SITE};" in page.headers["Content-Security-Policy"]
    assert f"form-action 'self' {SITE};" in page.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in page.headers
    assert not page.cookies


@database
def test_a_preview_shows_the_task_and_stores_nothing(here: Market):
    campaign = make_published(size=1)
    posting = Posting.objects.get()

    page = Client().get(
        f"/task/panel/{campaign.slug}/", {"posting": posting.key, "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}
    )

    assert posting.task.html in page.content.decode()
    assert "disabled" in page.content.decode()
    assert not Worker.objects.exists()


@pytest.mark.parametrize("to", ["https://evil.example/x", "javascript:alert(1)", "//work.example", f"{SITE}/a b", ""])
def test_an_answer_is_submitted_only_to_sites_that_the_installation_names(to: str):
    query = {"assignmentId": "X1", "hitId": "H1", "workerId": "A1", "posting": "k", "turkSubmitTo": to}

    assert MTURK.arrival({**HITS, "sites": (SITE,)}, query) is None


def test_a_worker_is_known_by_their_id_and_hands_over_with_or_without_a_slash():
    query = {"assignmentId": "X1", "hitId": "H1", "workerId": "A1", "posting": "k"}
    urls = set()
    for to in (f"{SITE}/t", f"{SITE}/t/"):
        arrival = MTURK.arrival({**HITS, "sites": (SITE,)}, query | {"turkSubmitTo": to})
        assert isinstance(arrival, Arrival)
        assert (arrival.external_id, MTURK.acceptance(arrival)) == ("A1", ("k", "X1"))
        urls.add(MTURK.completion(HITS, Outcome.COMPLETED, arrival).url)

    assert urls == {f"{SITE}/t/mturk/externalSubmit"}
    assert MTURK.arrival(HITS, {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}) == Preview()


@pytest.mark.parametrize(
    "host", ["mturk-requester.us-east-1.amazonaws.com", "MTURK-requester-sandbox.us-east-1.amazonaws.com."]
)
def test_amazons_hosts_are_refused_with_the_closing_date_unless_asked_for(host: str):
    with pytest.raises(InvalidInput, match="closed on 30 September 2026"):
        check_endpoint(f"https://{host}", allow_aws=False)
    check_endpoint(f"https://{host}", allow_aws=True)
    check_endpoint("https://notamazonaws.com", allow_aws=False)


@database
def test_pausing_expires_the_hits_frees_their_money_and_resuming_offers_them_again(here: Market):
    campaign = make_published(size=2)
    campaigns.pause(campaign.pk, by=None)
    follow(campaign)
    assert {hit.is_expired for hit in HIT.objects.all()} == {True}
    follow(campaign)
    assert sums(campaign) == (0, 0)
    assert locked(here) == 0

    campaigns.resume(campaign.pk, by=None)
    follow(campaign)

    assert HIT.objects.count() == 2
    assert {hit.status for hit in HIT.objects.all()} == {"Assignable"}
    assert sums(campaign) == (96, 96)
    assert locked(here) == 96


@database
def test_what_was_expired_everywhere_stays_expired_until_somebody_resumes_the_campaign(here: Market):
    campaign = make_published(size=2)

    assert following.expire_everything(by=None, report=quiet) == "1 campaign paused, 2 postings expired."
    follow(campaign)

    assert {hit.is_expired for hit in HIT.objects.all()} == {True}
    assert Campaign.objects.get().status == "paused"


@database
def test_asking_for_more_answers_publishes_further_hits(here: Market):
    campaign = make_published(size=1)
    campaigns.extend(campaign.pk, people=10, by=None)
    follow(campaign)

    assert sorted(HIT.objects.values_list("max_assignments", flat=True)) == [1, 2, 9]


@database
def test_gold_takes_nine_people_and_is_renewed_when_they_have_come(here: Market):
    campaign = make_campaign(size=1, provider="mturk", provider_settings=HITS, reward=Decimal("0.20"))
    campaign.tasks.update(is_gold=True, free=0, gold={"accepted": [], "reason": "x"})
    ledger.set_budget(campaign.pk, 100_00, by=None)
    follow(campaign)
    follow(campaign)
    assert [*HIT.objects.values_list("max_assignments", flat=True)] == [9]
    posting = Posting.objects.get()
    for number in range(9):
        person = make_participation(campaign, f"A{number}")
        Placement.objects.create(posting=posting, participation=person, external_id=f"X{number}", state="approved")
    follow(campaign)

    assert [*HIT.objects.values_list("max_assignments", flat=True)] == [9, 9]


@database
def test_an_excluded_person_is_kept_out_and_not_rejected(here: Market):
    campaign = make_published(size=2, redundancy=1)
    worker = here.worker()
    first, second = Posting.objects.order_by("pk")
    visitor = accept(campaign, first, worker)
    visitor.answer()
    visitor.submit()
    excluding.exclude(Participation.objects.get().pk, reason="Copies texts.", by=None)
    follow(campaign)

    with pytest.raises(Exception, match="lack a qualification"):
        accept(campaign, second, worker)
    assert Placement.objects.get().state == "approved", "exclusion is not rejection"


@database
def test_a_stopped_person_is_kept_out_and_paid_and_let_in_again_when_the_stop_is_undone(here: Market):
    campaign = make_published(size=3, redundancy=1, trust_stop=50, trust_tests=1)
    gold = Task.objects.order_by("pk")[0]
    Task.objects.filter(pk=gold.pk).update(is_gold=True, free=0, gold=known_phrases(["gardeners"]).to_json())
    worker = here.worker()
    first, second, _ = Posting.objects.order_by("pk")
    assert first.task_id == gold.pk
    visitor = accept(campaign, first, worker)
    visitor.answer()
    visitor.submit()
    follow(campaign)

    person = Participation.objects.get()
    assert (person.stopped_at is None, person.kept_out_at is None) == (False, False)
    with pytest.raises(Exception, match="lack a qualification"):
        accept(campaign, second, worker)
    assert Placement.objects.get().state == "approved", "what is done is paid"
    stopping.undo_stop(person.pk, reason="The texts were unclear.", by=None)
    follow(campaign)
    person.refresh_from_db()
    assert person.kept_out_at is None
    assert accept(campaign, second, worker)


@database
def test_a_grant_is_a_qualification_there_while_it_is_held(here: Market):
    grant = grants.make_grant("Trained", by=None)
    campaign = make_published(size=2, redundancy=1, qualifications={"grant": str(grant.pk)})
    learner, stranger = here.worker(), here.worker()
    elsewhere = make_campaign("Training", size=1)
    known, _ = Worker.objects.get_or_create(provider=worker_provider(campaign), external_id=learner.worker_id)
    person = joining.join(elsewhere, known)
    first, second = Posting.objects.order_by("pk")

    grants.give(grant.pk, [person.pk], reason="did well", by=None)
    follow(campaign)
    assert HeldGrant.objects.get().sent_at
    visitor = accept(campaign, first, learner)
    visitor.answer()
    visitor.submit()
    with pytest.raises(Exception, match="lack a qualification"):
        accept(campaign, second, stranger)

    grants.take(HeldGrant.objects.get().pk, reason="copies", by=None)
    follow(campaign)
    assert not HeldGrant.objects.get().sent_at
    with pytest.raises(Exception, match="lack a qualification"):
        accept(campaign, second, learner)
    assert Placement.objects.get().state == "approved"


def make_waiting_for_review(here: Market) -> Campaign:
    """Make a campaign that pays after a review, with one submitted answer."""
    campaign = make_published(size=1, redundancy=1, provider_settings=HITS | {"approve": "reviewed"})
    visitor = accept(campaign, Posting.objects.get(), here.worker())
    visitor.answer()
    visitor.submit()
    follow(campaign)
    return campaign


@database
def test_a_review_lets_the_work_be_paid_and_the_ledger_names_who_promised_it(here: Market):
    campaign = make_waiting_for_review(here)
    ada, ben = make_user("ada"), make_user("ben")
    LedgerEntry.objects.update(decided_by=ada)

    reviewing.decide_many(campaign, [Annotation.objects.get().pk], "accept", by=ben)
    follow(campaign)

    assert Placement.objects.get().state == "approved"
    assert LedgerEntry.objects.get(kind="reward").decided_by == ada


@database
def test_rejecting_takes_two_people_frees_the_money_and_can_be_overturned(here: Market):
    campaign = make_waiting_for_review(here)
    placement = Placement.objects.get()
    assert placement.state == "submitted", "it waits for a review"
    ada, ben = allow_to_spend(make_user("ada")), allow_to_spend(make_user("ben"))
    rejecting.ask(placement.pk, reason="Only random letters.", by=ada)
    with pytest.raises(NotAllowed, match="somebody else"):
        rejecting.confirm(placement.pk, by=ada)
    follow(campaign)
    assert Placement.objects.get().state == "submitted"

    rejecting.confirm(placement.pk, by=ben)
    campaigns.pause(campaign.pk, by=None)
    follow(campaign)

    assert (
        here.client.get_assignment(AssignmentId=placement.external_id)["Assignment"]["RequesterFeedback"]
        == "Only random letters."
    )
    assert sums(campaign) == (0, 0)
    assert Participation.objects.get().earned == 0
    rejecting.overturn(placement.pk, reason="They were abbreviations.", by=ada)
    follow(campaign)
    assert Placement.objects.get().state == "approved"
    assert sums(campaign) == (24, 24)
    assert (Participation.objects.get().earned, Payment.objects.get().amount) == (Decimal("0.20"), Decimal("0.20"))
