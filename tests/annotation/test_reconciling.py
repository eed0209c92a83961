"""Both sides compared: each difference is found with its evidence, and its one action makes it go away."""

from __future__ import annotations

import inspect
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.models import Annotation, Campaign, Difference, LedgerEntry, Participation, Placement, Posting, Worker
from annotation.providers.mturk.client import Client as Boto
from annotation.services.market import bonuses, following, ledger, mending, reconciling
from kernel import clock
from marketplace.models import HIT, Bonus
from marketplace.services import money, working
from tests.annotation.mturk import accept, follow, make_published, quiet, use
from tests.annotation.test_bonuses import make_worked
from tests.annotation.test_market_pages import act, make_market_campaign, spender
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def here(market: Market, monkeypatch: pytest.MonkeyPatch) -> Market:
    use(market, monkeypatch)
    return market


def differences(campaign: Campaign) -> list[str]:
    follow(campaign)
    return sorted(campaign.differences.values_list("kind", flat=True))


def mend(campaign: Campaign) -> None:
    """Do what the only difference offers, and let the job follow."""
    mending.mend(campaign.differences.get(), by=None)
    follow(campaign)


def forget_bonus() -> None:
    """Let the marketplace lose a bonus, with its money, as after a backup was restored there."""
    for bonus in Bonus.objects.select_related("assignment"):
        money.deposit(bonus.assignment.requester_id, bonus.cents + bonus.fee_cents)
        bonus.delete()


def pay_elsewhere(here: Market, placement: Placement, *amounts: str) -> None:
    """Pay bonuses without this application."""
    worker = placement.participation.worker.external_id
    bonus = {"WorkerId": worker, "AssignmentId": placement.external_id, "Reason": "From my own script"}
    for amount in amounts:
        here.client.send_bonus(BonusAmount=amount, **bonus)


def test_a_bonus_that_the_marketplace_does_not_know_is_listed_and_can_be_cancelled(here: Market):
    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    assert differences(campaign) == []
    forget_bonus()

    assert differences(campaign) == ["bonus paid here, not there"], "and not the balance for the same money"
    mending.mend(campaign.differences.get(), by=None)

    assert differences(campaign) == [], "and the balance is right again"
    campaign.refresh_from_db()
    assert (campaign.reserved_cents, ledger.spent_cents(campaign)) == (24, 24)
    assert Participation.objects.get().earned == Decimal("0.20")


def test_a_bonus_that_somebody_paid_by_other_means_is_found_and_can_be_recorded(here: Market):
    campaign, placement = make_worked(here)
    pay_elsewhere(here, placement, "0.30")

    assert differences(campaign) == ["bonus paid there, not here"], "and not the balance for the same money"
    assert "From my own script" in campaign.differences.get().evidence
    mending.mend(campaign.differences.get(), by=None)

    assert differences(campaign) == []
    assert [*LedgerEntry.objects.filter(kind="bonus").values_list("amount_cents", "fee_cents", "state")] == [
        (30, 6, "done")
    ]
    assert Participation.objects.get().earned == Decimal("0.50")


def test_money_that_came_or_went_without_an_entry_is_listed_until_it_is_accepted(here: Market):
    campaign = make_published(size=1)
    assert differences(campaign) == []
    money.deposit(here.requester.pk, 500)

    assert differences(campaign) == ["balance off"]
    assert "5.00 more than the ledger says" in campaign.differences.get().evidence
    mend(campaign)

    assert differences(campaign) == []


KINDS = ["balance off", "bonus paid there, not here"]


@pytest.mark.parametrize("order", [KINDS, KINDS[::-1]])
@pytest.mark.parametrize(("paid_in", "rest"), [(500, "5.00 more"), (-500, "5.00 less"), (7, "0.07 more")])
def test_money_is_listed_once_and_mended_in_any_order(here: Market, order: list[str], paid_in: int, rest: str):
    campaign, placement = make_worked(here)
    differences(campaign)
    pay_elsewhere(here, placement, "0.30")
    money.deposit(here.requester.pk, paid_in)

    assert differences(campaign) == KINDS
    evidence = campaign.differences.get(kind=reconciling.BALANCE).evidence
    assert f"{rest} than the ledger says. The other differences do not explain it." in evidence
    for kind in order:
        mending.mend(campaign.differences.get(kind=kind), by=None)

    assert differences(campaign) == []


def test_several_bonuses_with_their_rounded_fees_explain_the_balance_to_the_cent(here: Market):
    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 52, reason="Thanks.", by=None)
    assert differences(campaign) == []
    forget_bonus()
    pay_elsewhere(here, placement, "0.01", "0.12", "0.13", "0.13")  # fees of 1, 2, 3 and 3 cents

    assert differences(campaign) == ["bonus paid here, not there", *["bonus paid there, not here"] * 4]
    for number, row in enumerate(campaign.differences.order_by("-pk")):
        mending.mend(row, by=None)
        assert len(differences(campaign)) == 4 - number, "no rest appears on the way"


def test_two_differences_that_cancel_out_are_both_found(here: Market):
    campaign, worker = make_published(size=2, redundancy=1), here.worker()
    for posting in Posting.objects.order_by("pk"):
        visitor = accept(campaign, posting, worker)
        visitor.answer()
        visitor.submit()
    follow(campaign)
    first, second = Placement.objects.order_by("pk")
    bonuses.plan(campaign, first, 30, reason="Thanks.", by=None)
    assert differences(campaign) == []
    forget_bonus()
    pay_elsewhere(here, second, "0.30")

    assert differences(campaign) == ["bonus paid here, not there", "bonus paid there, not here"]


def test_what_another_campaign_lists_is_not_listed_as_the_balance_of_the_account_they_share(here: Market):
    campaign, placement = make_worked(here)
    other = make_published(size=1, name="Second")
    assert differences(other) == []
    pay_elsewhere(here, placement, "0.30")
    assert differences(campaign) == ["bonus paid there, not here"]

    assert differences(other) == []
    mend(campaign)
    assert (differences(other), differences(campaign)) == ([], [])


def test_a_difference_is_still_known_after_a_comparison_during_calls(here: Market):
    campaign, placement = make_worked(here)
    pay_elsewhere(here, placement, "0.30")
    row = campaign.differences.get() if differences(campaign) else None
    entry = ledger.plan(campaign, "bonus", 7, 1, token="t", by=None)  # type: ignore[arg-type]

    assert differences(campaign) == ["bonus paid there, not here"]
    assert campaign.differences.get() == row
    ledger.refuse(entry, "no")
    assert differences(campaign) == ["bonus paid there, not here"]


def test_a_hit_made_elsewhere_is_listed_without_the_money_it_locks(here: Market):
    campaign = make_published(size=1)
    assert differences(campaign) == []
    made = here.create_hit(MaxAssignments=10, Reward="0.13")  # with a fee of 40 %, 5 cents

    assert differences(campaign) == ["HIT without an order"]
    taken = [working.accept(here.worker(), made["HITId"]) for _ in range(2)]
    working.submit(taken[0].token, taken[0].assignment_id, [("phrase", "x")])
    assert differences(campaign) == ["HIT without an order", "balance off"], (
        "somebody will be paid for what they submitted"
    )
    assert "0.18 less than the ledger says" in campaign.differences.get(kind=reconciling.BALANCE).evidence
    mending.mend(campaign.differences.get(kind=reconciling.NO_ORDER), by=None)
    mending.mend(campaign.differences.get(kind=reconciling.BALANCE), by=None)

    assert differences(campaign) == [], "although somebody is still at work on it"
    assert taken[1].worker
    working.give_back(taken[1].worker, taken[1].assignment_id)
    assert differences(campaign) == []


def test_bonuses_of_a_hit_that_is_gone_are_not_taken_for_lost(here: Market):
    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    assert differences(campaign) == []
    Posting.objects.update(external_id="GONE")

    assert "bonus paid here, not there" not in differences(campaign)


def test_the_balance_is_not_judged_while_calls_are_under_way(here: Market):
    campaign = make_published(size=1)
    money.deposit(here.requester.pk, 500)
    entry = ledger.plan(campaign, "bonus", 7, 1, token="t", by=None)  # type: ignore[arg-type]

    assert differences(campaign) == []
    ledger.refuse(entry, "no")
    assert differences(campaign) == ["balance off"]


def test_a_hit_that_is_gone_is_written_off_and_published_again(here: Market):
    campaign = make_published(size=1)
    gone = Posting.objects.get()
    Posting.objects.filter(pk=gone.pk).update(external_id="GONE")
    HIT.objects.filter(annotation=gone.key).update(annotation="somebody else's")

    assert "order without a HIT" in differences(campaign)
    mending.mend(campaign.differences.get(kind=reconciling.NO_POSTING), by=None)
    assert differences(campaign) == ["HIT without an order"], "the HIT that only the marketplace knows"
    assert campaign.postings.filter(state="open").count() == 1
    campaign.refresh_from_db()
    assert campaign.reserved_cents == 48

    mend(campaign)
    assert differences(campaign) == [], "its money came back, as the ledger said"


def test_what_was_submitted_without_an_answer_here_is_approved_and_paid_once(here: Market):
    campaign = make_published(size=1, redundancy=1)
    posting = Posting.objects.get()
    taken = working.accept(here.worker(), posting.external_id)
    working.submit(taken.token, taken.assignment_id, [("phrase", "x")])
    Posting.objects.update(expires_at=clock.now() - timedelta(minutes=1), state="expired")

    assert differences(campaign) == ["submitted there, not stored here"]
    mend(campaign)

    assert not campaign.differences.exists()
    assert ledger.spent_cents(campaign) == 24
    answer = here.client.get_assignment(AssignmentId=taken.assignment_id)
    assert answer["Assignment"]["AssignmentStatus"] == "Approved"


def make_stored(here: Market) -> Campaign:
    """Return a campaign with an answer that is stored, and that no browser has handed over."""
    campaign = make_published(size=1, redundancy=1)
    visitor = accept(campaign, Posting.objects.get(), here.worker())
    visitor.answer()
    submit_to = f"{here.url.removesuffix('/mturk/')}/marketplace/submit/{visitor.taken.token}"
    arrival = Placement.objects.get().arrival | {"submit_to": submit_to}
    Placement.objects.update(answered_at=clock.now() - timedelta(minutes=3), arrival=arrival)
    return campaign


def test_an_answer_that_no_browser_handed_over_is_handed_over_again(here: Market):
    campaign = make_stored(here)

    assert differences(campaign) == ["stored here, not submitted there"]
    assert [offer.label for offer in mending.offers([campaign.differences.get()])] == ["Submit the answer again"]
    mend(campaign)

    assert not campaign.differences.exists()
    assert Placement.objects.get().state == "approved"


def test_an_answer_that_comes_too_late_for_the_marketplace_stays_stored(here: Market):
    campaign = make_stored(here)
    assert "stored here, not submitted there" in differences(campaign)
    here.pass_time(campaign.time_limit_s + 1)

    mending.mend(campaign.differences.get(kind=reconciling.NOT_SUBMITTED), by=None)
    summary = follow(campaign)

    assert "the time for it is over there" in summary
    assert Annotation.objects.count() == 1


def test_every_hit_is_listed_hourly_and_when_asked_not_with_every_job(here: Market, monkeypatch: pytest.MonkeyPatch):
    campaign, calls, real = make_published(size=1), [], Boto.call

    def call(self: Boto, operation: str, **parameters: Any) -> dict[str, Any]:
        calls.append(operation)
        return real(self, operation, **parameters)

    monkeypatch.setattr(Boto, "call", call)
    campaign.refresh_from_db()
    following.follow(campaign, report=quiet)
    assert "list_hits" not in calls
    following.follow(campaign, report=quiet, compare=True)
    assert calls.count("list_hits") > 0
    Campaign.objects.update(compared_at=clock.now() - timedelta(minutes=61))
    campaign.refresh_from_db()
    calls.clear()
    following.follow(campaign, report=quiet)
    assert "list_hits" in calls


def test_every_kind_of_difference_has_an_action_on_the_tab(client: Client):
    spender(client)
    campaign = make_market_campaign()
    constants = re.findall(r'^([A-Z_]+) = "', inspect.getsource(reconciling), re.MULTILINE)
    kinds = {getattr(reconciling, name) for name in constants}
    posting = Posting.objects.create(campaign=campaign, task=campaign.tasks.get(position=0), places=1)
    worker = Worker.objects.create(provider="mturk", external_id="A1")
    person = Participation.objects.create(campaign=campaign, worker=worker, number=1)
    placement = Placement.objects.create(posting=posting, participation=person, external_id="X1", state="returned")
    for kind in kinds:
        Difference.objects.create(campaign=campaign, kind=kind, evidence="…", placement=placement)

    page = shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))

    assert len(kinds) == 9
    assert page.count("/marketplace/differences/") == len(kinds)
    assert act(client, campaign, "differences/0").status_code == 302, "somebody was faster"
