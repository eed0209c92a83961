"""What can be done about each kind of difference between us and a marketplace.

The person who decides it is stored. What needs a call is done by the next job, however many decisions wait for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.models import (
    CANCELLED,
    OWED,
    STORED,
    USED,
    Campaign,
    Difference,
    LedgerEntry,
    LedgerKind,
    LedgerState,
    MarketAction,
    MarketDecision,
    Placement,
    PlacementState,
    Posting,
    PostingState,
)
from annotation.providers.base import Market, Refused
from annotation.services.excluding import lock_person, reason_in
from annotation.services.market import balances, bonuses, handing_over, ledger, marketplaces, paying, placing, spending
from annotation.services.market.calls import Done
from annotation.services.market.reconciling import (
    ALIVE,
    BALANCE,
    BONUS_HERE,
    BONUS_THERE,
    BY_PLACEMENT,
    NO_ORDER,
    NO_POSTING,
    NOT_STORED,
    NOT_SUBMITTED,
    SETTLING,
    places_to_free,
)
from kernel.clock import now
from kernel.errors import InvalidInput, Unavailable
from kernel.models import User
from kernel.services import audit

STORED_IT = "Your decision is stored. A job will carry it out."
LABELS = {
    NOT_SUBMITTED: "Submit the answer again",
    NO_POSTING: "Write the HIT off",
    NO_ORDER: "Expire the HIT",
    ALIVE: "Expire the HIT",
    NOT_STORED: "Approve and pay",
    BONUS_HERE: "Cancel the bonus here",
    BONUS_THERE: "Record the bonus here",
    BALANCE: "Accept this balance",
}
CALLS = {
    NOT_SUBMITTED: MarketAction.HAND_OVER,
    NO_ORDER: MarketAction.EXPIRE,
    ALIVE: MarketAction.EXPIRE,
    NOT_STORED: MarketAction.APPROVE,
}


@dataclass(frozen=True)
class Offer:
    """What the page offers for a difference: one button, or to pay or leave an answer; nothing while a job is at it."""

    difference: Difference
    waiting: MarketDecision | None = None
    label: str = ""
    is_unpaid: bool = False
    cents: int = 0  # that a bonus would pay; 0: none can be paid, and `why_not` says why
    why_not: str = ""


def offers(differences: list[Difference]) -> list[Offer]:
    return [_offer(difference) for difference in differences]


def _offer(difference: Difference) -> Offer:
    placement = difference.placement
    if difference.kind in CALLS and (waiting := _same(difference).select_related("decided_by").first()):
        return Offer(difference, waiting)
    if placement is None or difference.kind not in BY_PLACEMENT:
        return Offer(difference, label=LABELS.get(difference.kind, ""))
    if placing.is_stored(placement):
        return Offer(difference, label=LABELS.get(difference.kind, ""))
    cents = bonuses.owed_cents(placement) if bonuses.work_of(placement) else 0
    return Offer(difference, is_unpaid=True, cents=cents, why_not="" if cents else bonuses.NO_WORK)


def _same(difference: Difference) -> Any:
    """Return the open decisions to make the call that mends this difference."""
    rows = MarketDecision.objects.filter(campaign=difference.campaign_id, action=CALLS[difference.kind], done_at=None)
    there = {"posting_id_there": difference.posting_id_there, "submission_id_there": difference.submission_id_there}
    return rows.filter(placement=difference.placement_id, **there)


# ---- Deciding


def mend(difference: Difference, *, choice: str = "", reason: str = "", by: User | None) -> str:
    """Decide it, and do it as far as no call is needed; return what follows. Repeating it has no effect.

    An answer that can no longer be submitted is paid or left (`choice`), for a reason.
    """
    spending.check(difference.campaign, by)
    if difference.placement_id and _offer(difference).is_unpaid:
        return settle(difference.placement_id, choice, reason=reason, by=by)
    if difference.kind in CALLS:
        return _order(difference, by=by)
    with transaction.atomic():
        if difference.kind == NO_POSTING:
            for posting in difference.campaign.postings.filter(external_id=difference.posting_id_there):
                write_off(posting, by=by)
        elif difference.kind == BONUS_HERE and difference.entry:
            cancel_bonus(difference.entry, by=by)
        elif difference.kind == BONUS_THERE:
            record_bonus(difference, by=by)
        elif difference.kind == BALANCE:
            balances.accept(difference.campaign, by=by)
        Difference.objects.filter(pk=difference.pk).delete()
    return "TESA and the marketplace will be compared again."


def _order(difference: Difference, *, by: User | None) -> str:
    if not _same(difference).exists():
        MarketDecision.objects.create(
            campaign=difference.campaign, action=CALLS[difference.kind], placement=difference.placement, decided_by=by,
            posting_id_there=difference.posting_id_there, submission_id_there=difference.submission_id_there,
        )  # fmt: skip
    return STORED_IT


@transaction.atomic(durable=True)
def settle(placement_id: int, choice: str, *, reason: str, by: User | None) -> str:
    """Pay an answer that the marketplace will never have by a bonus, or leave it due. Raises OverBudget.

    Leaving it takes the right to spend too, because it settles what a marketplace was to pay.
    """
    if choice not in SETTLING:
        raise InvalidInput("choose whether to pay the answer or to leave it due", field="choice")
    reason, rows = reason_in(reason), Placement.objects.select_related("assignment", "participation__campaign")
    person = lock_person(rows.get(pk=placement_id).participation_id)
    spending.check(person.campaign, by)
    placement = rows.get(pk=placement_id)
    earlier = MarketDecision.objects.filter(placement=placement, action__in=SETTLING, outcome="")
    if not earlier.exclude(entry__state=LedgerState.REFUSED).exists():
        entry = bonuses.plan_owed(placement, reason=reason, by=by) if choice == MarketAction.PAY else None
        details = {"reason": reason, "entry": entry, "decided_by": by, "done_at": now()}
        MarketDecision.objects.create(campaign=person.campaign, action=choice, placement=placement, **details)
        audit.record(f"{choice} an answer that was not submitted", person, by=by, reason=reason)
    Difference.objects.filter(placement=placement, kind__in=BY_PLACEMENT).delete()
    return "A job will pay the bonus." if choice == MarketAction.PAY else "It stays due under Payments."


# ---- Carrying out


def carry_out(campaign: Campaign, market: Market, done: Done) -> int:
    """Make the calls that people decided; returns how many need no further try. The others wait for the next pass."""
    number = 0
    rows = MarketDecision.objects.filter(campaign=campaign, done_at=None).select_related("placement", "decided_by")
    for decision in rows.exclude(pk__in=done.tried).order_by("pk"):
        done.tried.add(decision.pk)
        outcome = ""
        try:
            CARRIES[decision.action](campaign, market, decision)
        except Refused as error:
            done.note(error)
            outcome = str(error)
        except Unavailable as error:
            done.note(error)
            done.waiting += 1
            continue
        number += MarketDecision.objects.filter(pk=decision.pk).update(done_at=now(), outcome=outcome)
    return number


def _expire(campaign: Campaign, market: Market, decision: MarketDecision) -> None:
    market.close(decision.posting_id_there)


def _approve(campaign: Campaign, market: Market, decision: MarketDecision) -> None:
    if posting := campaign.postings.filter(external_id=decision.posting_id_there).first():
        paying.approve_unknown(campaign, market, posting, decision.submission_id_there, by=decision.decided_by)


def _hand_over(campaign: Campaign, market: Market, decision: MarketDecision) -> None:
    if decision.placement:
        handing_over.hand_over_again(campaign, decision.placement)


CARRIES: dict[str, Callable[[Campaign, Any, MarketDecision], None]] = {
    MarketAction.EXPIRE: _expire,
    MarketAction.APPROVE: _approve,
    MarketAction.HAND_OVER: _hand_over,
}


# ---- What needs no call


def write_off(posting: Posting, *, by: User | None) -> None:
    """Free the money of a posting that the marketplace no longer has; what is missing is published again."""
    campaign = posting.campaign
    for placement in posting.placements.filter(state__in=(PlacementState.OPENED, *STORED)):
        placing.end(placement, PlacementState.RETURNED)
    unused = places_to_free(posting)
    rows = Posting.objects.filter(pk=posting.pk).exclude(state=PostingState.REFUSED)
    if not rows.update(state=PostingState.REFUSED, released=posting.released + unused):
        return
    if unused:
        reward, fee = marketplaces.unit_cents(campaign, posting.places)
        details: dict[str, Any] = {"token": f"gone-{posting.key}", "reason": "gone from the marketplace", "by": by}
        ledger.release(campaign, reward * unused, fee * unused, posting=posting, **details)
    Campaign.objects.filter(pk=campaign.pk).update(**spending.decision(campaign, by))  # what is missing is published
    audit.record("write off a posting", campaign, by=by, after={"posting": posting.external_id})


def cancel_bonus(entry: LedgerEntry, *, by: User | None) -> None:
    """Take a bonus back that the marketplace does not know: its money is free, and topping up offers it again."""
    if entry.posting is None:
        return
    details: dict[str, Any] = {"token": f"{CANCELLED}{entry.pk}", "reason": "bonus not on the marketplace", "by": by}
    if ledger.release(entry.campaign, entry.amount_cents, entry.fee_cents, posting=entry.posting, **details):
        if entry.placement:
            is_owed = entry.token.startswith(OWED)
            bonuses.change_pay(entry.placement.participation_id, -entry.amount_cents, is_owed=is_owed)
        MarketDecision.objects.filter(entry=entry).update(outcome="The bonus was cancelled.")
        audit.record("cancel a bonus", entry.campaign, by=by, after={"token": entry.token})


def record_bonus(difference: Difference, *, by: User | None) -> None:
    """Add a bonus that somebody paid on the marketplace by other means. Raises OverBudget."""
    campaign, bonus = difference.campaign, difference.bonus_there
    named = Placement.objects.filter(posting__campaign=campaign, external_id=difference.submission_id_there)
    placement = named.filter(state__in=USED).first()
    fee = marketplaces.bonus_fee(campaign, bonus["cents"])
    details: dict[str, Any] = {"token": bonus["name"], "reason": bonus["reason"], "by": by, "placement": placement}
    details["posting"] = Posting.objects.get(external_id=difference.posting_id_there)
    entry = ledger.plan(campaign, LedgerKind.BONUS, bonus["cents"], fee, **details)
    if ledger.finish(entry, "found on the marketplace") and placement:
        bonuses.change_pay(placement.participation_id, bonus["cents"])
