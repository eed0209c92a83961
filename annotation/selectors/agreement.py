"""Reads of measured agreement. People appear under their campaign's pseudonyms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotation.models import (
    AgreementReport,
    Assignment,
    AssignmentStatus,
    Campaign,
    Participation,
    Review,
    Task,
    Worker,
)
from annotation.quality.agreement import Agreement
from annotation.quality.reviewers import MEASURE, NOT_BLIND, first_and_second, reviewer_agreement
from annotation.quality.verdicts import ReviewEntry
from annotation.selectors.people import pseudonym_of
from annotation.selectors.progress import has_simulated
from annotation.selectors.review import concerns
from annotation.task_types import TASK_TYPES
from corpus.models import SampledInstance
from tesa_site.kernel.values import counted

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Counted:
    """The answers that would be measured now. The mark changes when other answers count or one is corrected."""

    number: int
    mark: str


def answers_now(campaign: Campaign) -> Counted:
    """Return them by sums alone. Few answers do not count: leaving them out is three times as fast as joining."""
    gold = Task.objects.filter(campaign=campaign, is_gold=True).values("pk")
    excluded = Participation.objects.filter(campaign=campaign, excluded_at__isnull=False).values("pk")
    submitted = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.SUBMITTED)
    counted = submitted.exclude(task__in=gold).exclude(participation__in=excluded)
    sums = counted.aggregate(n=Count("pk"), turns=Sum("pk"), people=Sum("participation_id"))
    included = Participation.objects.filter(campaign=campaign, excluded_at=None)
    corrections = included.aggregate(n=Sum("corrections"))["n"] or 0
    return Counted(sums["n"], f"{sums['n']} {sums['turns'] or 0} {sums['people'] or 0} {corrections}")


def _counted() -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        status=AssignmentStatus.SUBMITTED, participation__excluded_at=None, task__is_gold=False
    )


def campaigns() -> QuerySet[Campaign]:
    """Return the campaigns with answers, the newest first, each with the number of answers and its report."""
    answers = _counted().filter(campaign=OuterRef("pk")).order_by().values("campaign").annotate(n=Count("pk"))
    number = Coalesce(Subquery(answers.values("n")), 0)
    answered = Campaign.objects.annotate(answers=number, has_simulated=has_simulated()).filter(answers__gt=0)
    return answered.select_related("agreement").defer("agreement__by_instance").order_by("-pk")


def main_figures(campaign: Campaign) -> tuple[float | None, float | None] | None:
    """Return alpha and the share of pairs who gave the same unit, as last measured; None if nothing was."""
    report: AgreementReport | None = getattr(campaign, "agreement", None)
    if report is None or not report.answers:
        return None
    units = TASK_TYPES[campaign.task_type].answer_words.units
    return report.value["labels"][0]["value"], report.value[units][0]["value"]


def reviewers(campaign: Campaign) -> Agreement:
    """Return how far the first and the second reviewer agree, as of now."""
    if campaign.reviewers < 2:
        return Agreement(MEASURE, NOT_BLIND, NOT_BLIND, 0, 0)
    rows = Review.objects.filter(annotation__assignment__campaign=campaign).order_by()
    nothing = TASK_TYPES[campaign.task_type].nothing_fits
    nothing_fits = nothing.answer if nothing else None
    histories: dict[int, list[ReviewEntry]] = defaultdict(list)
    columns = ("annotation_id", "pk", "reviewer_id", "reviewer_name", "verdict", "after", "undoes_id")
    for annotation, pk, reviewer, name, verdict, after, undoes in rows.values_list(*columns):
        histories[annotation].append(ReviewEntry(pk, str(reviewer or name), verdict, after, undoes))
    pairs = [pair for history in histories.values() if (pair := first_and_second(history, nothing_fits))]
    return reviewer_agreement(pairs, seed=campaign.seed)


def workers(campaign: Campaign, people: Rows) -> dict[str, Worker]:
    """Return the workers of a report who have not withdrawn, by the id that the report has for them."""
    rows = Participation.objects.filter(campaign=campaign, pk__in=[person["worker"] for person in people])
    return {str(row.pk): row.worker for row in rows.select_related("worker")}


def authors(people: int, simulated: int) -> str:
    """Return who answered, as in "3 people and 1 simulated participant"."""
    real = [counted(people, "person", "people")] if people or not simulated else []
    return " and ".join([*real, *([counted(simulated, "simulated participant")] if simulated else [])])


def people(report: AgreementReport) -> list[dict[str, Any]]:
    """Return the workers of a report, lowest agreement first, with names and what filters noticed about them."""
    known, noticed = workers(report.campaign, report.value["people"]), concerns(report.campaign)
    return [
        {
            **person,
            **_name(report.campaign, known.get(person["worker"])),
            "concerns": noticed.get(int(person["worker"]), []),
        }
        for person in report.value["people"]
    ]


def _name(campaign: Campaign, worker: Worker | None) -> dict[str, Any]:
    if worker is None:
        return {"name": "withdrawn", "is_simulated": False}
    return {"name": pseudonym_of(campaign, worker), "is_simulated": worker.is_simulated}


def least_agreed(report: AgreementReport) -> list[dict[str, Any]]:
    """Return the items with the lowest agreement, each with its task and headline."""
    type_ = TASK_TYPES[report.campaign.task_type]
    words = type_.answer_words
    rows = [row for row in report.value.get("least", ()) if row[words.same_group] is not None]
    keys = [row["instance"] for row in rows]
    # A query of its own: a join would go through every task of the campaign.
    members = SampledInstance.objects.filter(sample=report.campaign.sample_id, key__in=keys)
    tasks = Task.objects.filter(campaign=report.campaign_id, member__in=[*members.values_list("pk", flat=True)])
    known = {key: (pk, type_.headline(q)) for key, pk, q in tasks.values_list("member__key", "pk", "question")}
    return [
        {**row, "task": task, "headline": headline, "different": row[words.units], "same": row[words.same_group]}
        for row in rows
        if row["instance"] in known
        for task, headline in [known[row["instance"]]]
    ]


def plot_rows(report: AgreementReport, kind: str) -> list[dict[str, Any]]:
    """Return what a plot shows and its CSV file contains; people only under their pseudonyms."""
    if kind == "instance":
        units = TASK_TYPES[report.campaign.task_type].answer_words.units
        measures = [measure["measure"] for measure in report.value[units]]
        columns = ("instance", "type", "answers", "none", units, "usual", *measures)  # PostgreSQL reorders JSON keys
        return [{name: row[name] for name in columns} for row in report.by_instance]
    if kind == "worker":
        of_worker = ("name", "answers", "none", "same", "share", "kappa", "accuracy", "is_simulated")
        return [{name: person[name] for name in of_worker} for person in people(report)]
    if kind == "type":
        return [
            {
                "type": category["type"],
                "instances": category["instances"],
                "alpha": category["alpha"]["value"],
                "low": category["alpha"]["low"],
                "high": category["alpha"]["high"],
                "same": category["same"]["value"],
            }
            for category in report.value["types"]
        ]
    return list(report.value["days"])
