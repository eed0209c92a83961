"""Reads of measured agreement, people under their campaign's pseudonyms."""

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
from annotation.quality.free_text import MEASURES
from annotation.quality.report import SAME
from annotation.quality.reviewers import MEASURE, NOT_BLIND, first_and_second, reviewer_agreement
from annotation.quality.verdicts import Said
from annotation.selectors.people import pseudonym_of
from annotation.selectors.progress import has_simulated
from annotation.selectors.review import concerns
from corpus.models import SampledInstance
from tesa_site.kernel.values import counted

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Counted:
    """The answers that would be measured now; the mark is another one when others count or one is corrected."""

    number: int
    mark: str


def answers_now(campaign: Campaign) -> Counted:
    """Return them by sums alone. What does not count is little: leaving it out is three times as fast as joining."""
    gold = Task.objects.filter(campaign=campaign, is_gold=True).values("pk")
    excluded = Participation.objects.filter(campaign=campaign, excluded_at__isnull=False).values("pk")
    submitted = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.SUBMITTED)
    counted = submitted.exclude(task__in=gold).exclude(participation__in=excluded)
    found = counted.aggregate(n=Count("pk"), turns=Sum("pk"), people=Sum("participation_id"))
    here = Participation.objects.filter(campaign=campaign, excluded_at=None)
    corrections = here.aggregate(n=Sum("corrections"))["n"] or 0
    return Counted(found["n"], f"{found['n']} {found['turns'] or 0} {found['people'] or 0} {corrections}")


def _counted() -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        status=AssignmentStatus.SUBMITTED, participation__excluded_at=None, task__is_gold=False
    )


def campaigns() -> QuerySet[Campaign]:
    """Return the campaigns with answers, each with their number and its report, the newest first."""
    answers = _counted().filter(campaign=OuterRef("pk")).order_by().values("campaign").annotate(n=Count("pk"))
    number = Coalesce(Subquery(answers.values("n")), 0)
    found = Campaign.objects.annotate(answers=number, has_simulated=has_simulated()).filter(answers__gt=0)
    return found.select_related("agreement").defer("agreement__by_instance").order_by("-pk")


def reviewers(campaign: Campaign) -> Agreement:
    """Return how far the first and the second reviewer agree, as of now."""
    if campaign.reviewers < 2:
        return Agreement(MEASURE, NOT_BLIND, NOT_BLIND, 0, 0)
    rows = Review.objects.filter(annotation__assignment__campaign=campaign).order_by()
    histories: dict[int, list[Said]] = defaultdict(list)
    columns = ("annotation_id", "pk", "reviewer_id", "reviewer_name", "verdict", "undoes_id")
    for annotation, pk, reviewer, name, verdict, undoes in rows.values_list(*columns):
        histories[annotation].append(Said(pk, str(reviewer or name), verdict, undoes=undoes))
    pairs = [pair for history in histories.values() if (pair := first_and_second(history))]
    return reviewer_agreement(pairs, seed=campaign.seed)


def workers(campaign: Campaign, people: Rows) -> dict[str, Worker]:
    """Return each worker of a report who has not withdrawn, by the number the report has for them."""
    rows = Participation.objects.filter(campaign=campaign, pk__in=[one["worker"] for one in people])
    return {str(row.pk): row.worker for row in rows.select_related("worker")}


def authors(people: int, simulated: int) -> str:
    """Return who answered, as in "3 people and 1 simulated participant"."""
    told = [counted(people, "person", "people")] if people or not simulated else []
    return " and ".join([*told, *([counted(simulated, "simulated participant")] if simulated else [])])


def people(report: AgreementReport) -> list[dict[str, Any]]:
    """Return the workers of a report, those who agree least first, with names and what filters saw in them."""
    known, seen = workers(report.campaign, report.value["people"]), concerns(report.campaign)
    return [
        {**one, **_who(report.campaign, known.get(one["worker"])), "concerns": seen.get(int(one["worker"]), [])}
        for one in report.value["people"]
    ]


def _who(campaign: Campaign, worker: Worker | None) -> dict[str, Any]:
    if worker is None:
        return {"name": "withdrawn", "is_simulated": False}
    return {"name": pseudonym_of(campaign, worker), "is_simulated": worker.is_simulated}


def least_agreed(report: AgreementReport) -> list[dict[str, Any]]:
    """Return the instances on which people agree least, each with its task and entities."""
    rows = [one for one in report.value.get("least", ()) if one[SAME] is not None]
    keys = [one["instance"] for one in rows]
    # Asked first: a join would go through every task of the campaign.
    members = SampledInstance.objects.filter(sample=report.campaign.sample_id, key__in=keys)
    tasks = Task.objects.filter(campaign=report.campaign_id, member__in=[*members.values_list("pk", flat=True)])
    found = {key: (pk, question) for key, pk, question in tasks.values_list("member__key", "pk", "question")}
    return [
        {**one, "task": found[one["instance"]][0], "entities": found[one["instance"]][1]["entities"], "same": one[SAME]}
        for one in rows
        if one["instance"] in found
    ]


def plot_rows(report: AgreementReport, kind: str) -> list[dict[str, Any]]:
    """Return what a plot shows and its CSV holds; people only under their pseudonyms."""
    if kind == "instance":
        # In this order: PostgreSQL keeps the keys of JSON in its own.
        columns = ("instance", "type", "answers", "none", "phrases", "usual", *MEASURES)
        rows = report.by_instance
        return [{name: one[name] for name in columns if name in one} for one in rows]
    if kind == "worker":
        of_worker = ("name", "answers", "none", "same", "share", "kappa", "accuracy", "is_simulated")
        return [{name: one[name] for name in of_worker} for one in people(report)]
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
