"""Rewards of placements on a marketplace: approving pays. Every call is a ledger entry before it is made."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.models import (
    Assignment,
    Campaign,
    LedgerEntry,
    LedgerKind,
    Placement,
    PlacementState,
    Posting,
)
from annotation.providers.base import Doubtful, Market, NotSent, Outcome, Refused
from annotation.services.market import ledger, marketplaces
from annotation.services.market.calls import ROUNDS, Done, Report
from annotation.services.payments import add_money, add_payment
from kernel.clock import now
from kernel.models import User

BEFORE_AUTOMATIC = timedelta(days=1)  # submitted work is approved by then, reviewed or not


def to_approve(campaign: Campaign) -> QuerySet[Placement]:
    """Return the submitted placements that the campaign's settings let us approve now."""
    rows = Placement.objects.filter(posting__campaign=campaign, state=PlacementState.SUBMITTED, rejection=None)
    if marketplaces.pays_after_review(campaign):
        is_reviewed = ~Q(assignment__annotation__reviewed_at=None) & Q(assignment__annotation__isnull=False)
        is_due = Q(approve_by__lte=now() + BEFORE_AUTOMATIC) | Q(outcome=Outcome.SCREENED_OUT)
        rows = rows.filter(is_reviewed | is_due | Q(approved_by__isnull=False))
    return rows.select_related("participation", "posting", "approved_by").order_by("pk")


def approve(campaign: Campaign, market: Market, done: Done, report: Report) -> int:
    """Approve and pay what may be approved; returns how many were.

    Publishing promised these rewards. A review only says when they are paid, so the entry names who published.
    """
    approved = 0
    for _ in range(ROUNDS):
        rows, waiting = list(to_approve(campaign)), 0
        for number, placement in enumerate(rows, 1):
            by = placement.approved_by
            entry = plan_reward(campaign, placement, by=by)
            if not ledger.begin(entry):
                continue
            try:
                market.approve(placement.external_id)
            except Refused as error:  # such as no money in the account: it is tried again by the next job
                ledger.postpone(entry, error)
                done.note(error)
            except (NotSent, Doubtful) as error:
                ledger.postpone(entry, error)
                waiting += 1
            else:
                record_reward(campaign, placement, by=by)
                approved += 1
            report(number, len(rows), f"{approved} approved")
        if not waiting:
            break
    done.waiting += waiting
    return approved


def plan_reward(campaign: Campaign, placement: Placement, *, by: User | None) -> LedgerEntry:
    reward, fee = marketplaces.unit_cents(campaign, placement.posting.places)
    details: dict[str, Any] = {"token": f"reward-{placement.pk}", "placement": placement, "by": by}
    return ledger.plan(campaign, LedgerKind.REWARD, reward, fee, posting=placement.posting, **details)


def token_there(submission_id: str) -> str:
    """Return the token of a reward for work that was submitted there without an answer here."""
    return f"reward-there-{submission_id}"[:64]


def approve_unknown(
    campaign: Campaign, market: Market, posting: Posting, submission_id: str, *, by: User | None
) -> None:
    """Approve and pay what was submitted there without an answer here; raises what the marketplace answers."""
    reward, fee = marketplaces.unit_cents(campaign, posting.places)
    details: dict[str, Any] = {"token": token_there(submission_id), "reason": "no answer is stored", "by": by}
    entry = ledger.plan(campaign, LedgerKind.REWARD, reward, fee, posting=posting, **details)
    if not ledger.begin(entry):
        return
    try:
        market.approve(submission_id)
    except (Refused, NotSent, Doubtful) as error:
        ledger.postpone(entry, error)
        raise
    else:
        ledger.finish(entry)


@transaction.atomic
def record_reward(campaign: Campaign, placement: Placement, *, by: User | None, note: str = "") -> None:
    """Store that a placement is approved and its author paid, once."""
    entry = plan_reward(campaign, placement, by=by)
    if ledger.finish(entry, note):
        add_payment(placement.participation_id, Decimal(entry.amount_cents) / 100, now().date())
    Placement.objects.filter(pk=placement.pk).update(state=PlacementState.APPROVED, ended_at=now())


@transaction.atomic
def record_rejection(campaign: Campaign, placement: Placement, *, by: User | None = None) -> None:
    """Store that a placement is rejected: nothing is owed for it, and its money is free again."""
    posting, token = placement.posting, f"rejected-{placement.pk}"
    reward, fee = marketplaces.unit_cents(campaign, posting.places)
    if ledger.release(campaign, reward, fee, token=token, reason="rejected", posting=posting, by=by):
        _earn(placement, -campaign.reward)
        Placement.objects.filter(pk=placement.pk).update(state=PlacementState.REJECTED, ended_at=now())


@transaction.atomic
def reserve_overturned(campaign: Campaign, placement: Placement, *, by: User | None) -> None:
    """Reserve the price of a rejected placement again; raises OverBudget."""
    reward, fee = marketplaces.unit_cents(campaign, placement.posting.places)
    details: dict[str, Any] = {"token": f"overturned-{placement.pk}", "by": by, "posting": placement.posting}
    entry = ledger.plan(campaign, LedgerKind.POSTING, reward, fee, reason="rejection overturned", **details)
    if ledger.finish(entry):  # not if it was reserved before
        _earn(placement, campaign.reward)


def _earn(placement: Placement, amount: Decimal) -> None:
    add_money(placement.participation_id, earned=amount)
    if placement.assignment_id:
        Assignment.objects.filter(pk=placement.assignment_id).update(reward=max(amount, Decimal(0)))
