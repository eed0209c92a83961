"""A bad day: calls fail before or after they were carried out, people come and go, and jobs are killed half-way.

`STORM=300x3` makes it one of 300 HITs with three answers each; benchmarks/README.md says how long that takes.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from annotation.models import Annotation, LedgerEntry, Payment, Placement, Posting
from annotation.providers.mturk.client import Client
from annotation.services import campaigns
from annotation.services.market import bonuses, following, ledger
from kernel.clock import now
from kernel.errors import Unavailable, WrongState
from marketplace.models import HIT, Assignment, Bonus, Movement
from marketplace.services import accounts, working
from tests.annotation.mturk import HITS, Visitor, accept, follow, quiet, use
from tests.make import make_campaign
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market

pytestmark = pytest.mark.django_db(transaction=True)
SIZE, ANSWERS = map(int, os.environ.get("STORM", "60x1").split("x"))
FAULTS = [
    {"kind": "error", "when": "before", "rate": 0.07},
    {"kind": "error", "when": "after", "rate": 0.07},
    {"kind": "throttle", "rate": 0.04},
    {"kind": "throttle_wrapped", "rate": 0.03},
]


class Killed(BaseException):
    """The job's process ended: nothing after the call is run."""


def kill_now_and_then(monkeypatch: pytest.MonkeyPatch, dice: random.Random, times: int) -> list[str]:
    """Let a process die after some of its calls, at most `times` times; return what it had called."""
    real = Client.call
    killed: list[str] = []

    def call(self: Client, operation: str, **parameters: Any) -> dict[str, Any]:
        answer = real(self, operation, **parameters)
        if len(killed) < times and dice.random() < 0.05:
            killed.append(operation)
            raise Killed
        return answer

    monkeypatch.setattr(Client, "call", call)
    return killed


def followed(campaign: Any) -> None:
    """Run the job; a killed one leaves things as they are, for the next."""
    campaign.refresh_from_db()
    with suppress(Killed, Unavailable):
        following.follow(campaign, report=quiet, compare=True)


@pytest.mark.slow
def test_the_ledger_equals_the_marketplace_to_the_cent_after_a_bad_day(market: Market, monkeypatch: pytest.MonkeyPatch):
    use(market, monkeypatch)
    dice = random.Random(14)
    monkeypatch.setattr("marketplace.faults.random.random", dice.random)
    fields: dict[str, Any] = {"provider": "mturk", "provider_settings": HITS, "reward": Decimal("0.20")}
    campaign = make_campaign(size=SIZE, redundancy=ANSWERS, **fields)
    ledger.set_budget(campaign.pk, SIZE * ANSWERS * 100, by=None)
    accounts.configure_sandbox(market.requester.pk, fault_rules=FAULTS)
    killed = kill_now_and_then(monkeypatch, dice, times=10)
    workers, stored = [market.worker() for _ in range(6)], set[str]()
    for _ in range(12):
        followed(campaign)
        work(campaign, workers, dice, stored)
        reward_some(campaign, dice)
    accounts.configure_sandbox(market.requester.pk, fault_rules=[])
    for _ in range(3 * ANSWERS):
        followed(campaign)
        work(campaign, workers, dice, stored, is_calm=True)
        if len(stored) == SIZE * ANSWERS:
            break
    campaigns.close(campaign.pk, by=None)
    for _ in range(3):
        follow(campaign)

    assert len(killed) == 10
    assert Placement.objects.filter(state="abandoned").count() > 2
    check_both_sides(campaign, market)
    assert Annotation.objects.count() == len(stored) == SIZE * ANSWERS
    assert not campaign.differences.exists(), [*campaign.differences.values_list("kind", "evidence")]


def work(campaign: Any, workers: list[Any], dice: random.Random, stored: set[str], *, is_calm: bool = False) -> None:
    """Let people accept what is open: most answer and submit, some twice, some return or abandon it."""
    for posting in Posting.objects.filter(campaign=campaign, state="open").order_by("pk"):
        if dice.random() < 0.6 and not is_calm:
            continue
        for worker in dice.sample(workers, len(workers) if is_calm else 1):
            with suppress(WrongState):  # they have done it already, or somebody holds it
                visitor = accept(campaign, posting, worker)
                break
        else:
            continue
        fate = 1.0 if is_calm else dice.random()
        if fate < 0.15:
            working.give_back(worker, visitor.taken.assignment_id)
            continue
        if fate < 0.25:
            abandon(visitor)
            continue
        visitor.answer()
        stored.add(visitor.secret)
        for _ in range(2 if fate < 0.5 else 1):
            visitor.submit()


def abandon(visitor: Visitor) -> None:
    """Close the page and never come back: the time for the HIT is over on both sides."""
    past = now() - timedelta(days=1)
    Assignment.objects.filter(pk=visitor.taken.pk).update(deadline=past, due_at=past)
    Placement.objects.filter(secret=visitor.secret).update(opened_at=past)


def reward_some(campaign: Any, dice: random.Random) -> None:
    """Decide a bonus for a few people whose work is approved."""
    for placement in Placement.objects.filter(state="approved").select_related("posting").order_by("pk"):
        if dice.random() < 0.1:
            bonuses.plan(campaign, placement, dice.randrange(1, 60), reason="Thanks.", by=None)


def check_both_sides(campaign: Any, market: Market) -> None:
    campaign.refresh_from_db()
    hits = HIT.objects.filter(requester=market.requester, annotation__in=campaign.postings.values("key"))
    assert max(Counter(hits.values_list("annotation", flat=True)).values()) == 1, "no HIT twice"
    theirs = Assignment.objects.filter(hit__in=hits)
    assert set(theirs.values_list("state", flat=True)) <= {"Approved", "Free"}
    approved = theirs.filter(state="Approved")
    assert approved.count() == Placement.objects.filter(state="approved").count()
    paid = Bonus.objects.filter(assignment__in=theirs)
    decided = LedgerEntry.objects.filter(kind="bonus", state="done")
    references = [bonus.reason.rpartition("(")[2].rstrip(")") for bonus in paid]
    assert sorted(references) == sorted(decided.values_list("token", flat=True)), "no bonus twice, none lost"
    assert len(references) > 10
    there = sum(assignment.reward_cents + assignment.fee_cents for assignment in approved) + sum(
        bonus.cents + bonus.fee_cents for bonus in paid
    )
    assert ledger.spent_cents(campaign) == there == campaign.reserved_cents
    rewards = Movement.objects.filter(requester=market.requester, kind__in=("reward", "bonus"))
    assert -sum(rewards.values_list("cents", flat=True)) == there
    earned = sum(assignment.reward_cents for assignment in approved) + sum(bonus.cents for bonus in paid)
    assert sum(Payment.objects.values_list("amount", flat=True)) * 100 == earned
    assert not LedgerEntry.objects.filter(state__in=("planned", "sending", "doubtful")).exists()
