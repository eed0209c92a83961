"""Bonuses on a marketplace: decided and reserved here, paid by a job, and asked about before they are sent again."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import (
    Campaign,
    LedgerEntry,
    LedgerKind,
    LedgerState,
    Participation,
    Payment,
    Placement,
    PlacementState,
    new_secret,
)
from annotation.providers.base import Doubtful, NotSent, Refused, Submission
from annotation.services import ledger, marketplaces
from annotation.services.excluding import reason_in
from annotation.services.publishing import ROUNDS, Done, Report
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import InvalidInput, WrongState
from tesa_site.kernel.models import User

OPEN = (LedgerState.PLANNED, LedgerState.DOUBTFUL)
UNDER_WAY = (*OPEN, LedgerState.SENDING)
CAN_HAVE = (PlacementState.SUBMITTED, PlacementState.APPROVED)  # placements that a bonus can be paid for
WITHDREW = "The person has withdrawn: the marketplace's name for them is erased."


def plan(campaign: Campaign, placement: Placement, cents: int, *, reason: str, by: User | None) -> LedgerEntry:
    """Reserve a bonus and its fee, and add the entry that the next job pays. Raises OverBudget.

    The token is random, so that a database restored from a backup never gives one out again.
    """
    if cents <= 0:
        raise InvalidInput("must be at least one cent", field="amount")
    if placement.state not in CAN_HAVE:
        raise WrongState("A bonus can only be paid for submitted or approved work.")
    fee = marketplaces.provider_of(campaign).fee(campaign.provider_settings, cents)
    given: dict[str, Any] = {"token": f"bonus-{new_secret()}", "reason": reason_in(reason), "by": by}
    return ledger.plan(
        campaign, LedgerKind.BONUS, cents, fee, posting=placement.posting, placement=placement, **given
    )  # fmt: skip


def to_send(campaign: Campaign) -> QuerySet[LedgerEntry]:
    """Return the bonuses that are decided and not yet known to be paid."""
    rows = LedgerEntry.objects.filter(campaign=campaign, kind=LedgerKind.BONUS, state__in=OPEN)
    return rows.select_related("placement__participation__worker").order_by("pk")


def send(campaign: Campaign, client: Any, done: Done, report: Report) -> int:
    """Pay what is decided; returns how many bonuses are newly known to be paid. A refused one is free money again."""
    paid = 0
    for _ in range(ROUNDS):
        rows = list(to_send(campaign))
        for number, entry in enumerate(rows, 1):
            paid += _send_one(campaign, client, entry, done)
            report(number, len(rows), f"{paid} bonuses paid")
        if not rows:
            break
    done.waiting += to_send(campaign).count()
    return paid


def _send_one(campaign: Campaign, client: Any, entry: LedgerEntry, done: Done) -> bool:
    """Pay one bonus; True if it is newly known to be paid."""
    provider, placement = marketplaces.provider_of(campaign), entry.placement
    if placement is None:
        return False
    person = placement.participation
    if entry.state == LedgerState.DOUBTFUL:
        try:
            if provider.was_paid(client, placement.external_id, entry.token):
                return record(entry, "found on the marketplace")
        except (Refused, NotSent, Doubtful) as error:  # it stays doubtful
            done.note(error)
            return False
    if person.withdrawn_at:
        ledger.refuse(entry, WITHDREW)
        return False
    if not ledger.begin(entry):
        return False
    visit = Submission(placement.external_id, person.worker.external_id, "approved")
    try:
        amount = Decimal(entry.amount_cents) / 100
        provider.bonus(client, visit, amount, reason=entry.reason, token=entry.token)
    except Refused as error:
        ledger.refuse(entry, str(error))
        done.note(error)
    except NotSent as error:
        ledger.postpone(entry, str(error))
    except Doubtful as error:
        ledger.doubt(entry, str(error))
    else:
        return record(entry)
    return False


@transaction.atomic
def record(entry: LedgerEntry, note: str = "") -> bool:
    """Store that a bonus is paid: it is earned and paid at the same moment. Repeating it has no effect."""
    if entry.placement is None or not ledger.finish(entry, note):
        return False
    change_pay(entry.placement.participation_id, entry.amount_cents, by=entry.decided_by)
    return True


def change_pay(person_id: int, cents: int, *, by: User | None) -> None:
    """Add to what a person has earned and was paid; a negative amount takes a bonus back that they never got."""
    amount, rows = Decimal(cents) / 100, Participation.objects.filter(pk=person_id)
    for person in rows.select_for_update():
        rows.update(earned=person.earned + amount)
        Payment.objects.create(participation=person, amount=amount, paid_on=now().date(), marked_by=by)
