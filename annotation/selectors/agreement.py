"""Reads of measured agreement. People have numbers on pages and pseudonyms in files."""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, Sum

from annotation.models import (
    AgreementReport,
    Assignment,
    AssignmentStatus,
    Campaign,
    Participation,
    Review,
    Task,
)
from annotation.models.participants import simulated
from annotation.quality.agreement import Agreement
from annotation.quality.reviewers import MEASURE, NOT_BLIND, first_and_second, reviewer_agreement
from annotation.quality.thresholds import is_same
from annotation.quality.verdicts import ReviewEntry
from annotation.selectors.participants import pseudonym_of
from annotation.selectors.review import concerns
from annotation.task_types import type_of
from annotation.task_types.base import item_key, task_key
from corpus.models import SampledInstance
from kernel.errors import InvalidInput
from kernel.values import counted
from kernel.vectors import VECTORS, installed
from kernel.vectors.base import WordVectors

log = logging.getLogger(__name__)


MOST_MARKERS = 50  # people in a table of the page
SERIES_COLUMNS = {  # of the files of a report with series; PostgreSQL reorders JSON keys
    "instance": ("instance", "type", "answers", "none", "same"),
    "worker": ("name", "answers", "none", "same", "is_simulated"),
    "day": ("day", "instances", "same"),
}


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


def reviewers(campaign: Campaign) -> Agreement:
    """Return how far the first and the second reviewer agree, as of now."""
    if campaign.reviewers < 2:
        return Agreement(MEASURE, NOT_BLIND, NOT_BLIND, 0, 0)
    rows = Review.objects.filter(annotation__assignment__campaign=campaign).order_by()
    type_ = type_of(campaign)
    histories: dict[int, list[ReviewEntry]] = defaultdict(list)
    columns = ("annotation_id", "pk", "reviewer_id", "reviewer_name", "verdict", "after", "undoes_id")
    for annotation, pk, reviewer, name, verdict, after, undoes in rows.values_list(*columns):
        histories[annotation].append(ReviewEntry(pk, str(reviewer or name), verdict, after, undoes))
    pairs = [pair for history in histories.values() if (pair := first_and_second(history, type_.is_skip))]
    return reviewer_agreement(pairs, seed=campaign.seed)


def authors(people: int, software: int) -> str:
    """Return who answered, as in "3 people and 1 simulated participant"."""
    real = [counted(people, "person", "people")] if people or not software else []
    return " and ".join([*real, *([counted(software, "simulated participant")] if software else [])])


def people(report: AgreementReport, most: int | None = None) -> list[dict[str, Any]]:
    """Return the workers of a report, lowest agreement first, with names and what filters noticed about them."""
    shown = report.value["people"][:most]
    ids = [person["worker"] for person in shown]
    rows = Participation.objects.filter(campaign=report.campaign, pk__in=ids).select_related("worker")
    known, noticed = {str(row.pk): row for row in rows}, concerns(report.campaign)
    return [
        {
            **person,
            **_name(report.campaign, known.get(person["worker"])),
            "concerns": noticed.get(int(person["worker"]), []),
        }
        for person in shown
    ]


def marks(report: AgreementReport) -> list[dict[str, Any]]:
    """Return agreement on marks, part by part; of the people, the first `MOST_MARKERS` with their names."""
    parts = report.value.get("marks", ())
    shown = {part["part"]: part["people"][:MOST_MARKERS] for part in parts}
    ids = {person["worker"] for people in shown.values() for person in people}
    rows = Participation.objects.filter(campaign=report.campaign, pk__in=ids).select_related("worker")
    known = {str(row.pk): row for row in rows}
    return [
        {
            **part,
            "people": [
                {**person, **_name(report.campaign, known.get(person["worker"]))} for person in shown[part["part"]]
            ],
            "people_number": len(part["people"]),
        }
        for part in parts
    ]


def simulated_people(report: AgreementReport) -> int:
    """Return how many of a report's workers are software."""
    ids = [person["worker"] for person in report.value["people"]]
    return Participation.objects.filter(simulated("worker"), campaign=report.campaign, pk__in=ids).count()


def _name(campaign: Campaign, person: Participation | None) -> dict[str, Any]:
    if person is None:
        return {"name": "withdrawn", "pseudonym": "withdrawn", "is_simulated": False}
    pseudonym = pseudonym_of(campaign, person.worker)
    return {"name": person.name, "pseudonym": pseudonym, "is_simulated": person.worker.is_simulated}


def has_series(report: AgreementReport) -> bool:
    """Tell whether a report has parts by their scale; one stored before its type named scales has units."""
    return "series" in report.value


def least_agreed(report: AgreementReport) -> list[dict[str, Any]]:
    """Return the items with the lowest agreement, where people disagree at all, each with its task and headline."""
    type_ = type_of(report.campaign)
    words = type_.answer_words
    same, limit = ("same", type_.thresholds.same) if has_series(report) else (words.same_key, 1.0)
    least = report.value.get("least", ())
    rows = [row for row in least if row[same] is not None and not is_same(row[same], limit)]
    keys = {item_key(row["instance"]) for row in rows}
    # A query of its own: a join would go through every task of the campaign.
    members = SampledInstance.objects.filter(sample=report.campaign.sample_id, key__in=keys)
    tasks = Task.objects.filter(campaign=report.campaign_id, member__in=[*members.values_list("pk", flat=True)])
    task_rows = tasks.values_list("member__key", "variant", "pk", "question")
    known = {task_key(key, variant): (pk, type_.headline(q)) for key, variant, pk, q in task_rows}
    return [
        {**row, "task": task, "headline": headline, "different": row.get(words.units_key, 0), "same": row[same]}
        for row in rows
        if row["instance"] in known
        for task, headline in [known[row["instance"]]]
    ]


def plot_rows(report: AgreementReport, kind: str, *, name: str = "pseudonym") -> list[dict[str, Any]]:
    """Return what a plot shows and its CSV file contains; people by their pseudonym or, on pages, by their "name"."""
    if has_series(report) and kind in SERIES_COLUMNS:
        named = [{**row, "name": row[name]} for row in people(report)] if kind == "worker" else []
        rows = {"instance": report.by_instance, "worker": named, "day": report.value["days"]}[kind]
        return [{column: row[column] for column in SERIES_COLUMNS[kind]} for row in rows]
    if kind == "instance":
        units = type_of(report.campaign).answer_words.units_key
        measures = [measure["measure"] for measure in report.value[units]]
        columns = ("instance", "type", "answers", "none", units, "usual", *measures)  # PostgreSQL reorders JSON keys
        return [{name: row[name] for name in columns} for row in report.by_instance]
    if kind == "worker":
        columns = ("answers", "none", "same", "share", "kappa", "accuracy", "is_simulated")
        return [{"name": row[name], **{column: row[column] for column in columns}} for row in people(report)]
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


def word_vectors() -> WordVectors | None:
    """Return the first word vectors that can be read, or None."""
    for place, _ in installed(Path(settings.VECTORS_FOLDER), settings.SPACY_PIPELINE):
        kind, _, path = place.partition(":")
        try:
            return VECTORS[kind](path)
        except InvalidInput as error:  # for example a small spaCy pipeline, which has none
            log.warning("word vectors left aside: %s", error)
    return None
