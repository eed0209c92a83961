"""The totals of the payments page: what the people of each filter earned, were paid and are owed.

They come from the tables in a few passes. A sub-query for each of 100,000 people would take twice as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum

from annotation.models import Assignment, AssignmentStatus, Campaign, Participation, Payment, simulated
from annotation.pricing import money
from annotation.selectors.payments import HALF_A_CENT

EARNS = Q(earned__gt=0)
OF_PAID = {  # people with payments, by what they come to
    "paid": Q(sum__gt=0),
    "settled": Q(sum__gt=F("earned") - HALF_A_CENT, earned__gt=0),
    "unearned": Q(earned__lte=0),
}


@dataclass(frozen=True)
class Totals:
    """The sums over some people."""

    people: int = 0
    answers: int = 0
    earned: Decimal = Decimal(0)
    paid: Decimal = Decimal(0)

    @property
    def owed(self) -> Decimal:
        return self.earned - self.paid

    def plus(self, other: Totals, sign: int = 1) -> Totals:
        return Totals(
            self.people + sign * other.people,
            self.answers + sign * other.answers,
            self.earned + sign * other.earned,
            self.paid + sign * other.paid,
        )


def totals(campaign: Campaign) -> dict[str, Totals]:
    """Return the totals of each filter of `payments.SHOW`; "" is for everybody on the page."""
    everybody = Participation.objects.filter(campaign=campaign).exclude(simulated("worker"))
    software = simulated("participation__worker")
    valid = Payment.objects.filter(participation__campaign=campaign, cancelled_at=None).exclude(software)
    late = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.LATE, late_decision=None)
    late_people = everybody.filter(pk__in=late.values("participation"))
    earning = _read(everybody.filter(EARNS).aggregate(**_sums()))
    paid = _by_payments(valid)
    only_late = late_people.exclude(EARNS).exclude(pk__in=valid.values("participation"))
    is_late = _read(late_people.aggregate(**_sums()))
    of_late = valid.filter(participation__in=late_people).aggregate(sum=Sum("amount"))["sum"] if is_late.people else 0
    everything = earning.plus(paid["unearned"]).plus(_read(only_late.aggregate(**_sums())))
    all_paid = paid["all"].paid
    return {
        "": Totals(everything.people, everything.answers, everything.earned, all_paid),
        "due": Totals(earning.people, earning.answers, earning.earned, all_paid - paid["unearned"].paid).plus(
            paid["settled"], -1
        ),
        "paid": paid["paid"],
        "late": Totals(is_late.people, is_late.answers, is_late.earned, _amount(of_late)),
    }


def _by_payments(valid: Any) -> dict[str, Totals]:
    """Return the totals of everybody with payments ("all"), and of those whom each condition of OF_PAID takes."""
    paid = valid.order_by().values("participation").annotate(
        sum=Sum("amount"), earned=F("participation__earned"), answered=F("participation__answered")
    )  # fmt: skip
    sums: dict[str, Any] = {"all_paid": Sum("sum")}
    for name, where in OF_PAID.items():
        sums[f"{name}_paid"] = Sum("sum", filter=where)
        sums |= {f"{name}_{what}": aggregate for what, aggregate in _sums("participation", where).items()}
    figures = paid.aggregate(**sums)
    return {name: _read(figures, f"{name}_") for name in ("all", *OF_PAID)}


def _sums(key: str = "pk", where: Q | None = None) -> dict[str, Any]:
    return {
        "people": Count(key, filter=where),
        "answers": Sum("answered", filter=where),
        "earned": Sum("earned", filter=where),
    }


def _read(figures: Mapping[str, Any], prefix: str = "") -> Totals:
    people, answers, earned, paid = (figures.get(prefix + name) for name in ("people", "answers", "earned", "paid"))
    return Totals(people or 0, answers or 0, _amount(earned), _amount(paid))


def _amount(sum_: Any) -> Decimal:
    return money(Decimal(sum_ or 0))
