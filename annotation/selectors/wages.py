"""What people on a marketplace really earn by the hour, and what would bring each of them to a floor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from django.db.models import F, Max, QuerySet, Sum
from django.db.models.functions import Coalesce

from annotation.models import (
    OWED,
    Annotation,
    Campaign,
    LedgerEntry,
    LedgerKind,
    LedgerState,
    Participation,
    Placement,
    PlacementState,
)
from annotation.pricing import hourly_wage, missing_cents, money
from annotation.providers import PROVIDERS
from annotation.providers.base import Marketplace
from annotation.selectors.progress import people_in

UNDER_WAY = (LedgerState.PLANNED, LedgerState.SENDING, LedgerState.DOUBTFUL)
CAN_HAVE = (PlacementState.SUBMITTED, PlacementState.APPROVED)  # placements that a bonus can be paid for


@dataclass(frozen=True)
class Pay:
    """What one person earned in the time they worked. Bonuses that are decided count as earned."""

    person: Participation
    earned: Decimal
    active_ms: int  # without the time of rejected work, which earned nothing

    @property
    def seconds(self) -> float:
        return self.active_ms / 1000

    @property
    def wage(self) -> Decimal:
        return hourly_wage(self.earned, self.seconds) or Decimal(0)


@dataclass(frozen=True)
class TopUp:
    """The bonus that one person needs to reach a floor, and the work it is paid for."""

    pay: Pay
    placement: Placement
    cents: int
    fee_cents: int


def pay_of_people(campaign: Campaign) -> Iterator[Pay]:
    """Yield the pay of everybody who has worked and has not withdrawn, in the order of joining."""
    rejected = _rejected_ms(campaign)
    coming = dict(
        LedgerEntry.objects.filter(campaign=campaign, kind=LedgerKind.BONUS, state__in=UNDER_WAY)
        .exclude(token__startswith=OWED)  # earned before
        .order_by()
        .values_list("placement__participation")
        .annotate(Sum("amount_cents"))
    )
    rows: QuerySet[Participation] = people_in(campaign).filter(withdrawn_at=None, imported=0)
    for person in rows.order_by("number"):
        earned = Decimal(person.earned) + Decimal(coming.get(person.pk, 0)) / 100
        worked = person.active_ms - rejected.get(person.pk, 0)
        if worked > 0:
            yield Pay(person, money(earned), worked)


def _rejected_ms(campaign: Campaign) -> dict[int, int]:
    rows = Annotation.objects.filter(assignment__campaign=campaign, assignment__placements__state="rejected")
    time = Coalesce(F("active_ms"), F("seconds") * 1000)
    return dict(rows.order_by().values_list("assignment__participation").annotate(ms=Sum(time)))


def median_wage(campaign: Campaign) -> Decimal | None:
    """Return the hourly pay that half of the people exceed; None if nobody has worked."""
    wages = [pay.wage for pay in pay_of_people(campaign)]
    return money(median(wages)) if wages else None


def below(campaign: Campaign, floor: Decimal) -> list[TopUp]:
    """Return what everybody needs to reach a given hourly pay, by their own measured time; largest amounts first.

    People without submitted or approved work are left out: the marketplace pays bonuses for such work only.
    """
    provider = PROVIDERS[campaign.provider]
    if not isinstance(provider, Marketplace):
        return []
    placed = Placement.objects.filter(posting__campaign=campaign, state__in=CAN_HAVE)
    last = dict(placed.order_by().values_list("participation").annotate(Max("pk")))
    short = [
        (pay, cents)
        for pay in pay_of_people(campaign)
        if pay.person.pk in last and (cents := missing_cents(pay.earned, pay.active_ms, floor))
    ]
    works = Placement.objects.select_related("posting").in_bulk([last[pay.person.pk] for pay, _ in short])
    top_ups = [
        TopUp(pay, works[last[pay.person.pk]], cents, provider.fee(campaign.provider_settings, cents))
        for pay, cents in short
    ]
    return sorted(top_ups, key=lambda top_up: (-top_up.cents, top_up.pay.person.number))
