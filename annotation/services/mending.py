"""The one thing that can be done about each kind of difference between us and a marketplace."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from annotation.models import (
    CANCELLED,
    STORED,
    USED,
    Difference,
    LedgerEntry,
    LedgerKind,
    Placement,
    Posting,
    PostingState,
)
from annotation.models import PlacementState as State
from annotation.services import balances, bonuses, ledger, marketplaces, placing
from annotation.services.reconciling import (
    ALIVE,
    BALANCE,
    BONUS_HERE,
    BONUS_THERE,
    NO_ORDER,
    NO_POSTING,
    NOT_STORED,
    NOT_SUBMITTED,
)
from tesa_site.kernel.models import User
from tesa_site.kernel.services import audit

# Other kinds lead to the participant.
LABELS = {
    NOT_SUBMITTED: "Hand it over again",
    NO_POSTING: "Write the HIT off",
    NO_ORDER: "Expire the HIT",
    ALIVE: "Expire the HIT",
    NOT_STORED: "Approve and pay",
    BONUS_HERE: "Cancel the bonus here",
    BONUS_THERE: "Record the bonus here",
    BALANCE: "Accept this balance",
}


def label(difference: Difference) -> str:
    """Return what its button says; "" if nothing can be done about it here."""
    placement = difference.placement
    if difference.kind == NOT_SUBMITTED and not (placement and placing.is_stored(placement)):
        return ""  # it was returned there, and cannot be submitted any more
    return LABELS.get(difference.kind, "")


def mend(difference: Difference, *, by: User | None) -> dict[str, str]:
    """Do it, as far as no call is needed; return what the job shall call. Repeating it has no effect."""
    if difference.kind in (NO_ORDER, ALIVE):
        return {"expire": difference.posting_id_there}
    if difference.kind == NOT_SUBMITTED:
        return {"hand_over": str(difference.placement_id or "")}
    if difference.kind == NOT_STORED:
        return {"approve": difference.submission_id_there, "posting": difference.posting_id_there}
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
    return {}


def write_off(posting: Posting, *, by: User | None) -> None:
    """Free the money of a posting that the marketplace no longer has; what is missing is published again."""
    campaign = posting.campaign
    for placement in posting.placements.filter(state__in=(State.OPENED, *STORED)):
        placing.end(placement, State.RETURNED)
    unused = posting.places - posting.released - posting.placements.filter(state__in=USED).count()
    rows = Posting.objects.filter(pk=posting.pk).exclude(state=PostingState.REFUSED)
    if not rows.update(state=PostingState.REFUSED, released=posting.released + max(0, unused)):
        return
    if unused > 0:
        reward, fee = marketplaces.unit_cents(campaign, posting.places)
        details: dict[str, Any] = {"token": f"gone-{posting.key}", "reason": "gone from the marketplace"}
        ledger.release(campaign, reward * unused, fee * unused, posting=posting, **details)
    audit.record("write off a posting", campaign, by=by, after={"posting": posting.external_id})


def cancel_bonus(entry: LedgerEntry, *, by: User | None) -> None:
    """Take a bonus back that the marketplace does not know: its money is free, and topping up offers it again."""
    if entry.placement is None or entry.posting is None:
        return
    details: dict[str, Any] = {"token": f"{CANCELLED}{entry.pk}", "reason": "bonus not on the marketplace"}
    if ledger.release(entry.campaign, entry.amount_cents, entry.fee_cents, posting=entry.posting, **details):
        bonuses.change_pay(entry.placement.participation_id, -entry.amount_cents)
        audit.record("cancel a bonus", entry.campaign, by=by, after={"token": entry.token})


def record_bonus(difference: Difference, *, by: User | None) -> None:
    """Add a bonus that somebody paid on the marketplace by other means. Raises OverBudget."""
    campaign, bonus = difference.campaign, difference.bonus_there
    named = Placement.objects.filter(posting__campaign=campaign, external_id=difference.submission_id_there)
    placement = named.filter(state__in=USED).first()
    fee = marketplaces.provider_of(campaign).fee(campaign.provider_settings, bonus["cents"])
    details: dict[str, Any] = {"token": bonus["name"], "reason": bonus["reason"], "by": by, "placement": placement}
    details["posting"] = Posting.objects.get(external_id=difference.posting_id_there)
    entry = ledger.plan(campaign, LedgerKind.BONUS, bonus["cents"], fee, **details)
    if ledger.finish(entry, "found on the marketplace") and placement:
        bonuses.change_pay(placement.participation_id, bonus["cents"])
