"""Reads of measured agreement, people under their campaign's pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import AgreementReport, Assignment, AssignmentStatus, Campaign, Participation
from annotation.selectors.people import pseudonym_of
from annotation.selectors.review import concerns

Rows = Sequence[Mapping[str, Any]]


def answers_now(campaign: Campaign) -> int:
    """Return how many answers would be measured now."""
    return _counted().filter(campaign=campaign).count()


def _counted() -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        status=AssignmentStatus.SUBMITTED, participation__excluded_at=None, task__is_gold=False
    )


def campaigns() -> QuerySet[Campaign]:
    """Return the campaigns with answers, each with their number and its report, the newest first."""
    answers = _counted().filter(campaign=OuterRef("pk")).order_by().values("campaign").annotate(n=Count("pk"))
    found = Campaign.objects.annotate(answers=Coalesce(Subquery(answers.values("n")), 0)).filter(answers__gt=0)
    return found.select_related("agreement").order_by("-pk")


def names(campaign: Campaign, people: Rows) -> dict[str, str]:
    """Return the pseudonym of each worker of a report."""
    rows = Participation.objects.filter(campaign=campaign, pk__in=[one["worker"] for one in people])
    return {str(row.pk): pseudonym_of(campaign, row.worker) for row in rows.select_related("worker")}


def people(report: AgreementReport) -> list[dict[str, Any]]:
    """Return the workers of a report, those who agree least first, with names and what filters saw in them."""
    known, seen = names(report.campaign, report.value["people"]), concerns(report.campaign)
    return [
        {**one, "name": known.get(one["worker"], "withdrawn"), "concerns": seen.get(int(one["worker"]), [])}
        for one in report.value["people"]
    ]


def plot_rows(report: AgreementReport, kind: str) -> list[dict[str, Any]]:
    """Return what a plot shows and its CSV holds; people only under their pseudonyms."""
    if kind == "worker":
        columns = ("name", "answers", "none", "same", "share", "kappa", "accuracy")
        return [{name: one[name] for name in columns} for one in people(report)]
    if kind == "type":
        return [
            {
                "type": one["type"],
                "instances": one["instances"],
                "alpha": one["alpha"]["value"],
                "low": one["alpha"]["low"],
                "high": one["alpha"]["high"],
                "same": one["same"]["value"],
            }
            for one in report.value["types"]
        ]
    return list(report.value["days"])
