"""The totals of the payments page: how many people each filter shows, and what they earned and were paid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, Sum

from annotation.models import Campaign
from annotation.pricing import money
from annotation.selectors.payments import filter_of, people_on_page
from annotation.selectors.progress import people_in


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


@dataclass(frozen=True)
class PageTotals:
    everybody: Totals
    shown: Totals  # of the filter that the page was asked for
    numbers: Mapping[str, int]  # people of each filter of `payments.SHOW`


def page_totals(campaign: Campaign, show: str = "") -> PageTotals:
    """Return the totals in two passes over the people: one for the few who are late, one for all others."""
    people = people_on_page(campaign)
    late = people_in(campaign).filter(filter_of(campaign, "late")).aggregate(**_aggregates("late"))
    filters = {name: filter_of(campaign, name) for name in ("due", "paid")}
    aggregates = _aggregates("") | {f"{name}_people": Count("pk", filter=where) for name, where in filters.items()}
    if show in filters:  # the sums of a filter take as long as those of everybody
        aggregates |= _aggregates(show, filters[show])
    figures = late | people.aggregate(**aggregates)
    numbers = {name: figures[f"{name}_people"] for name in (*filters, "late")}
    return PageTotals(_totals(figures, ""), _totals(figures, show), numbers)


def _aggregates(name: str, where: Q | None = None) -> dict[str, Any]:
    sums = {"answers": "answered", "earned": "earned", "paid": "paid"}
    return {f"{name}_people": Count("pk", filter=where)} | {
        f"{name}_{what}": Sum(column, filter=where) for what, column in sums.items()
    }


def _totals(figures: Mapping[str, Any], name: str) -> Totals:
    earned, paid = (money(Decimal(figures[f"{name}_{what}"] or 0)) for what in ("earned", "paid"))
    return Totals(figures[f"{name}_people"], figures[f"{name}_answers"] or 0, earned, paid)
