"""Bonuses on a marketplace: decided and reserved here, paid by a job, and asked about before they are sent again."""

from __future__ import annotations

from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import (
    OWED,
    Campaign,
    LedgerEntry,
    LedgerKind,
    LedgerState,
    MarketDecision,
    Participation,
    Placement,
    PlacementState,
    new_secret,
)
from annotation.pricing import money
from annotation.providers.base import Doubtful, Market, NotSent, Refused, Submission
from annotation.selectors import wages
from annotation.selectors.payments import owed_to
from annotation.selectors.wages import CAN_HAVE
from annotation.services.excluding import reason_in
from annotation.services.market import ledger, marketplaces, spending
from annotation.services.market.calls import ROUNDS, Done, Report
from annotation.services.payments import add_money, add_payment
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json

OPEN = (LedgerState.PLANNED, LedgerState.DOUBTFUL)
HIGHEST_FLOOR = 1000
NO_WORK = "The marketplace pays bonuses for submitted work only, and this person has submitted none in this campaign."
PAID_ALREADY = "The answer was submitted or paid after all."
WITHDREW = "The person has withdrawn: the marketplace's name for them is erased."


def plan(campaign: Campaign, placement: Placement, cents: int, *, reason: str, by: User | None) -> LedgerEntry:
    """Reserve a bonus and its fee, and add the entry that the next job pays. Raises OverBudget.

    The token is random, so that a database restored from a backup never gives one out again.
    """
    if cents <= 0:
        raise InvalidInput("must be at least one cent", field="amount")
    if placement.state not in CAN_HAVE:
        raise WrongState("A bonus can only be paid for submitted or approved work.")
    fee = marketplaces.bonus_fee(campaign, cents)
    return ledger.plan(
        campaign, LedgerKind.BONUS, cents, fee, token=f"bonus-{new_secret()}", by=by, reason=reason_in(reason),
        posting=placement.posting, placement=placement,
    )  # fmt: skip


def work_of(placement: Placement) -> Placement | None:
    """Return the work for which the marketplace pays this person a bonus; None if they have submitted nothing."""
    rows = Placement.objects.filter(participation=placement.participation_id, state__in=CAN_HAVE)
    return rows.select_related("posting").order_by("-pk").first()


def owed_cents(placement: Placement) -> int:
    """Return what is due for a stored answer that the marketplace will never have."""
    turn = placement.assignment
    return int((turn.reward if turn else placement.participation.campaign.reward) * 100)


def plan_owed(placement: Placement, *, reason: str, by: User | None) -> LedgerEntry:
    """Plan the bonus that pays for such an answer. Raises WrongState if nothing is due or can be paid, OverBudget."""
    person, work, cents = placement.participation, work_of(placement), owed_cents(placement)
    if placement.state != PlacementState.RETURNED or cents <= 0 or cents > 100 * owed_to(person):
        raise WrongState("Nothing is due for this answer any more.")
    if work is None:
        raise WrongState(NO_WORK)
    fee = marketplaces.bonus_fee(person.campaign, cents)
    return ledger.plan(
        person.campaign, LedgerKind.BONUS, cents, fee, token=f"{OWED}{new_secret()}", by=by, reason=reason_in(reason),
        posting=work.posting, placement=work,
    )  # fmt: skip


def check_floor(floor: Decimal) -> Decimal:
    """Return the hourly pay that people are topped up to; raise InvalidInput if it cannot be one."""
    if not floor.is_finite() or not 0 < floor <= HIGHEST_FLOOR or money(floor) != floor:
        raise InvalidInput(f"enter the hourly pay, at most {HIGHEST_FLOOR:,}, as in 9.00", field="floor")
    return money(floor)


@transaction.atomic(durable=True)
def top_up(campaign_id: int, floor: Decimal, *, shown_cents: int, by: User | None) -> int:
    """Plan the bonuses that bring everybody to a given hourly pay; returns how many people get one.

    Repeating it plans nothing more, because a planned bonus counts as pay. Raises OverBudget, and WrongState if the
    total with fees is no longer `shown_cents`, which the person who decides has seen.
    """
    floor = check_floor(floor)
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)
    spending.check(campaign, by)
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


def send(campaign: Campaign, market: Market, done: Done, report: Report) -> int:
    """Pay what is decided; returns how many bonuses are newly known to be paid. A refused one is free money again."""
    paid = 0
    for _ in range(ROUNDS):
        rows = list(to_send(campaign))
        for number, entry in enumerate(rows, 1):
            paid += _send_one(campaign, market, entry, done)
            report(number, len(rows), f"{paid} bonuses paid")
        if not rows:
            break
    done.waiting += to_send(campaign).count()
    return paid


def _send_one(campaign: Campaign, market: Market, entry: LedgerEntry, done: Done) -> bool:
    """Pay one bonus; True if it is newly known to be paid."""
    placement = entry.placement
    if placement is None:
        return False
    person = placement.participation
    if entry.state == LedgerState.DOUBTFUL:
        try:
            if market.was_paid(placement.external_id, entry.token):
                return record(entry, "found on the marketplace")
        except (Refused, NotSent, Doubtful) as error:  # it stays doubtful
            done.note(error)
            return False
    if person.withdrawn_at:
        ledger.refuse(entry, WITHDREW)
        return False
    if entry.token.startswith(OWED) and not _is_still_owed(entry, person):
        ledger.refuse(entry, PAID_ALREADY)
        return False
    if not ledger.begin(entry):
        return False
    visit = Submission(placement.external_id, person.worker.external_id, "approved")
    try:
        amount = Decimal(entry.amount_cents) / 100
        market.bonus(visit, amount, reason=entry.reason, token=entry.token)
    except Refused as error:
        ledger.refuse(entry, str(error))
        done.note(error)
    except (NotSent, Doubtful) as error:
        ledger.postpone(entry, error)
    else:
        return record(entry)
    return False


def _is_still_owed(entry: LedgerEntry, person: Participation) -> bool:
    """Say whether the answer that this bonus pays for was neither submitted nor paid since that was decided."""
    unpaid = MarketDecision.objects.filter(entry=entry, placement__state=PlacementState.RETURNED)
    return unpaid.exists() and entry.amount_cents <= 100 * owed_to(person)


@transaction.atomic
def record(entry: LedgerEntry, note: str = "") -> bool:
    """Store that a bonus is paid: it is earned and paid at the same moment. Repeating it has no effect."""
    if entry.placement is None or not ledger.finish(entry, note):
        return False
    change_pay(entry.placement.participation_id, entry.amount_cents, is_owed=entry.token.startswith(OWED))
    return True


def change_pay(person_id: int, cents: int, *, is_owed: bool = False) -> None:
    """Add to what a person has earned and was paid; a negative amount takes a bonus back that they never got.

    What was owed was earned before.
    """
    amount = Decimal(cents) / 100
    if not is_owed:
        add_money(person_id, earned=amount)
    add_payment(person_id, amount, now().date())
