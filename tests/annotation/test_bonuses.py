"""Bonuses on a marketplace: reserved, sent once, asked about when nobody knows, and what is left of a refused one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.models import (
    Campaign,
    LedgerEntry,
    LedgerEvent,
    Participation,
    Payment,
    Placement,
    Posting,
    PostingState,
)
from annotation.providers.mturk.client import Client
from annotation.services import campaigns, leaving
from annotation.services.market import bonuses, following, ledger
from kernel.errors import InvalidInput, WrongState
from kernel.models import Job
from marketplace.models import Bonus
from marketplace.services import accounts
from tests.annotation.mturk import accept, follow, make_published, use
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def here(market: Market, monkeypatch: pytest.MonkeyPatch) -> Market:
    use(market, monkeypatch)
    return market


def make_worked(here: Market, **fields: Any) -> tuple[Campaign, Placement]:
    """Return a campaign in which one person has done one HIT and was paid."""
    campaign = make_published(size=1, **{"redundancy": 1, **fields})
    visitor = accept(campaign, Posting.objects.get(), here.worker())
    visitor.answer()
    visitor.submit()
    follow(campaign)
    return campaign, Placement.objects.get()


def faults(here: Market, *rules: dict[str, Any]) -> None:
    fault_rules = [{"operation": "SendBonus", "rate": 1.0, **rule} for rule in rules]
    accounts.configure_sandbox(here.requester.pk, fault_rules=fault_rules)


def states() -> list[str]:
    return [*LedgerEvent.objects.filter(entry__kind="bonus").order_by("pk").values_list("state", flat=True)]


def test_a_bonus_is_reserved_with_its_fee_then_paid_once_with_a_reference_at_the_end_of_its_reason(here: Market):
    campaign, placement = make_worked(here)
    before = here.cents[0]
    entry = bonuses.plan(campaign, placement, 50, reason="It took longer.", by=None)
    campaign.refresh_from_db()
    assert campaign.reserved_cents == 24 + 60

    assert "1 bonus paid" in follow(campaign)
    follow(campaign)

    paid = Bonus.objects.get()
    assert (paid.cents, paid.fee_cents) == (50, 10)
    assert paid.reason == f"It took longer. ({entry.token})"
    assert here.cents[0] == before - 60
    assert ledger.spent_cents(campaign) == 24 + 60
    assert states() == ["planned", "sending", "done"]
    assert Participation.objects.get().earned == Decimal("0.70")
    assert sum(Payment.objects.values_list("amount", flat=True)) == Decimal("0.70"), "nothing stays due"


def test_a_call_that_failed_after_it_was_carried_out_is_asked_about_and_not_sent_again(here: Market):
    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    faults(here, {"kind": "error", "when": "after"})

    follow(campaign)

    assert Bonus.objects.count() == 1
    assert states() == ["planned", "sending", "doubtful", "done"]


def test_a_doubtful_bonus_that_the_marketplace_does_not_list_is_sent_again(here: Market):
    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    faults(here, {"kind": "error", "when": "before"})
    assert "1 call will be retried" in follow(campaign)
    assert states()[-1] == "doubtful"
    assert not Bonus.objects.exists()

    faults(here)
    follow(campaign)

    assert Bonus.objects.count() == 1
    assert states()[-2:] == ["sending", "done"]


def test_a_bonus_stays_doubtful_while_nobody_answers_what_became_of_it(here: Market):
    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    faults(here, {"kind": "error", "when": "after"}, {"kind": "error", "operation": "ListBonusPayments"})

    follow(campaign)

    assert Bonus.objects.count() == 1, "it is never sent unasked"
    assert states() == ["planned", "sending", "doubtful"]


def test_a_killed_job_is_followed_by_one_that_asks(here: Market, monkeypatch: pytest.MonkeyPatch):
    class Killed(BaseException):
        pass

    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    real = Client.call

    def die(self: Client, operation: str, **parameters: Any) -> dict[str, Any]:
        answer = real(self, operation, **parameters)
        if operation == "send_bonus":
            raise Killed
        return answer

    monkeypatch.setattr(Client, "call", die)
    with pytest.raises(Killed):
        follow(campaign)
    assert states() == ["planned", "sending"]

    follow(campaign)

    assert Bonus.objects.count() == 1
    assert states() == ["planned", "sending", "doubtful", "done"]


def test_a_refused_bonus_frees_its_money(here: Market):
    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    here.requester.refresh_from_db()
    here.requester.balance_cents = 0
    here.requester.save(update_fields=["balance_cents"])

    assert "first problem: This costs 0.60 USD" in follow(campaign)

    campaign.refresh_from_db()
    assert campaign.reserved_cents == 24
    assert LedgerEntry.objects.get(kind="bonus").state == "refused"
    assert Participation.objects.get().earned == Decimal("0.20")


def test_no_bonus_is_planned_above_the_budget_below_a_cent_or_for_work_that_was_not_submitted(here: Market):
    campaign, placement = make_worked(here, budget=50)

    with pytest.raises(ledger.OverBudget):
        bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    with pytest.raises(InvalidInput):
        bonuses.plan(campaign, placement, 0, reason="Thanks.", by=None)
    with pytest.raises(InvalidInput, match="reason"):
        bonuses.plan(campaign, placement, 1, reason=" ", by=None)
    placement.state = "returned"
    with pytest.raises(WrongState):
        bonuses.plan(campaign, placement, 1, reason="Thanks.", by=None)
    assert not LedgerEntry.objects.filter(kind="bonus").exists()


def test_people_who_withdrew_cannot_be_named_so_their_bonus_is_free_money_again(here: Market):
    campaign, placement = make_worked(here)
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)
    leaving.withdraw(placement.secret)

    follow(campaign)

    assert not Bonus.objects.exists()
    assert LedgerEntry.objects.get(kind="bonus").state == "refused"


def test_the_scheduler_pays_bonuses_of_closed_campaigns_too(here: Market):
    campaign, placement = make_worked(here)
    campaigns.close(campaign.pk, by=None)
    follow(campaign)
    Posting.objects.update(state=PostingState.EXPIRED)
    assert following.start_due() == []
    bonuses.plan(campaign, placement, 50, reason="Thanks.", by=None)

    assert [job.kind for job in following.start_due()] == ["follow_marketplace"]
    assert Job.objects.count() == 1
