"""Bonuses on a marketplace: decided and reserved here, paid by a job, and asked about before they are sent again."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import Campaign, LedgerEntry, LedgerKind, LedgerState, Placement, new_secret
from annotation.pricing import money
from annotation.providers.base import Doubtful, NotSent, Refused, Submission
from annotation.selectors import wages
from annotation.selectors.wages import CAN_HAVE
from annotation.services import ledger, marketplaces
from annotation.services.excluding import reason_in
from annotation.services.payments import add_money, add_payment
from annotation.services.publishing import ROUNDS, Done, Report
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import InvalidInput, WrongState
from tesa_site.kernel.models import User
from tesa_site.kernel.services import audit
from tesa_site.kernel.values import Json

OPEN = (LedgerState.PLANNED, LedgerState.DOUBTFUL)
HIGHEST_FLOOR = 1000
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
    return ledger.plan(
        campaign, LedgerKind.BONUS, cents, fee, token=f"bonus-{new_secret()}", by=by, reason=reason_in(reason),
        posting=placement.posting, placement=placement,
    )  # fmt: skip


def check_floor(floor: Decimal) -> Decimal:
    """Return an hourly wage that people can be topped up to; raise InvalidInput if it is none."""
    if not floor.is_finite() or not 0 < floor <= HIGHEST_FLOOR or money(floor) != floor:
        raise InvalidInput(f"give an hourly wage of at most {HIGHEST_FLOOR:,}, as in 9.00", field="floor")
    return money(floor)


@transaction.atomic(durable=True)
def top_up(campaign_id: int, floor: Decimal, *, shown_cents: int, by: User | None) -> int:
    """Plan the bonuses that bring everybody to an hourly wage; returns how many people get one.

    Repeating it plans nothing more, because a planned bonus counts as pay. Raises OverBudget, and WrongState if the
    total with fees is no longer `shown_cents`, which the person who decides has seen.
    """
    floor = check_floor(floor)
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)
    rows = wages.below(campaign, floor)
    total = sum(row.cents + row.fee_cents for row in rows)
    if not rows:
        return 0
    if total != shown_cents:
        raise WrongState(f"The total has changed to {campaign.currency} {ledger.dollars(total)}. Check it again.")
    if total > campaign.budget_cents - campaign.reserved_cents:
        raise ledger.OverBudget(campaign, total)
    reason = f"This brings your pay to {campaign.currency} {floor} an hour."
    for row in rows:
        plan(campaign, row.placement, row.cents, reason=reason, by=by)
    after: Json = {"floor": str(floor), "people": len(rows), "cents": total}
    audit.record("top up pay", campaign, by=by, after=after)
    return len(rows)


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
    except (NotSent, Doubtful) as error:
        ledger.postpone(entry, error)
    else:
        return record(entry)
    return False


@transaction.atomic
def record(entry: LedgerEntry, note: str = "") -> bool:
    """Store that a bonus is paid: it is earned and paid at the same moment. Repeating it has no effect."""
    if entry.placement is None or not ledger.finish(entry, note):
        return False
    change_pay(entry.placement.participation_id, entry.amount_cents)
    return True


def change_pay(person_id: int, cents: int) -> None:
    """Add to what a person has earned and was paid; a negative amount takes a bonus back that they never got."""
    amount = Decimal(cents) / 100
    add_money(person_id, earned=amount)
    add_payment(person_id, amount, now().date())
