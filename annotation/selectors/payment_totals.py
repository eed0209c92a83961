"""The totals of the payments page: what the people of each filter earned, were paid and are owed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from annotation.models import Campaign, Participation
from annotation.pricing import money
from annotation.selectors.payments import filter_of, people_on_page


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


def totals(campaign: Campaign) -> dict[str, Totals]:
    """Return the totals of each filter of `payments.SHOW`; "" is for everybody on the page."""
    people, late = people_on_page(campaign), filter_of(campaign, "late")
    in_one_pass = {name: filter_of(campaign, name) for name in ("", "due", "paid")}
    return _sums(people, in_one_pass) | _sums(people.filter(late), {"late": Q()})  # few are late


def _sums(people: QuerySet[Participation], filters: dict[str, Q]) -> dict[str, Totals]:
    aggregates: dict[str, Any] = {}
    for name, where in filters.items():
        aggregates[f"{name}_people"] = Count("pk", filter=where)
        for what, column in (("answers", "answered"), ("earned", "earned"), ("paid", "paid")):
            aggregates[f"{name}_{what}"] = Sum(column, filter=where)
    figures = people.aggregate(**aggregates)

    def amount(name: str) -> Decimal:
        return money(Decimal(figures[name] or 0))

    return {
        name: Totals(
            people=figures[f"{name}_people"],
            answers=figures[f"{name}_answers"] or 0,
            earned=amount(f"{name}_earned"),
            paid=amount(f"{name}_paid"),
        )
        for name in filters
    }
