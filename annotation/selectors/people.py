"""Who works in a campaign and how: for the people page, the worker filters and whatever leaves the application."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet

from annotation.cleaning.predicates import About
from annotation.cleaning.tesa import TESA
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentStatus,
    Campaign,
    Participation,
    ProblemReport,
    Task,
    Worker,
)
from annotation.pricing import hourly_wage
from annotation.pseudonyms import pseudonym
from annotation.quality.free_text import shares_agreeing
from annotation.quality.gold import HitRate
from annotation.quality.worker_filters import Work, WorkerRecord
from annotation.selectors.progress import reports_of

COUNTED = (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)
WALL_CLOCK_PROVIDERS = ("mturk",)  # their results carry no active time; the time from accepting to submitting stands in


def pseudonym_of(campaign: Campaign, worker: Worker) -> str:
    """Return what a person is called on this campaign's pages and in its exports; elsewhere they have another name."""
    return pseudonym_for(campaign.slug, worker.provider, worker.external_id)


def pseudonym_for(slug: str, provider: str, external_id: str) -> str:
    return pseudonym(f"{provider} {external_id}", scope=slug, key=settings.SECRET_KEY)


@dataclass(frozen=True)
class Person:
    """One participation as a page shows it."""

    row: Participation
    name: str
    wage: Decimal | None
    seconds: float | None  # active time for one answer, on average
    verdicts: tuple[Any, ...]

    @property
    def gold_rate(self) -> HitRate | None:
        return HitRate(self.row.gold_right, self.row.gold_seen) if self.row.gold_seen else None


def participations(campaign: Campaign, *, show: str = "") -> QuerySet[Participation]:
    """Return a campaign's people, those with most answers first; `show`: "seen" by a filter, or "excluded"."""
    found = Participation.objects.filter(campaign=campaign).select_related("worker").prefetch_related("verdicts")
    if show == "seen":
        found = found.filter(verdicts__isnull=False).distinct()
    elif show == "excluded":
        found = found.exclude(excluded_at=None)
    return found.order_by("-answered", "id")


def person_of(campaign: Campaign, row: Participation) -> Person:
    seconds = row.active_ms / 1000 / row.answered if row.answered else None
    verdicts = sorted(row.verdicts.all(), key=lambda verdict: (verdict.level != "strong", verdict.filter))
    wage = hourly_wage(row.earned / row.answered, seconds) if row.answered else None
    return Person(row, pseudonym_of(campaign, row.worker), wage, seconds, tuple(verdicts))


def answers_of(row: Participation) -> QuerySet[Annotation]:
    found = Annotation.objects.filter(assignment__participation=row).select_related("assignment__task")
    return found.order_by("-id")


def late_answers(campaign: Campaign) -> QuerySet[Assignment]:
    found = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.LATE)
    return found.select_related("annotation", "task", "participation__worker").order_by("ended_at")


def reports(campaign: Campaign) -> QuerySet[ProblemReport]:
    """Return what people said is wrong with a text; what is open comes first."""
    found = reports_of(campaign).select_related("assignment__task", "assignment__participation__worker", "settled_by")
    return found.order_by(F("settled_at").asc(nulls_first=True), "id")


# ---- Records for the worker filters ---------------------------------------------------------------


@dataclass(frozen=True)
class _Given:
    """One person's answer to one task, cleaned."""

    participation: int
    phrases: tuple[str, ...]
    seconds: float | None


def worker_records(campaign: Campaign) -> list[WorkerRecord]:
    """Return each person's record, by the number of their participation; reads every answer once."""
    work: dict[int, list[Work]] = {}
    for task_id, given in _answers_by_task(campaign):
        context = _context(task_id)
        agrees = shares_agreeing(("", str(one.participation), one.phrases) for one in given)
        for one in given:
            piece = Work(one.phrases, context, one.seconds, agrees.get(("", str(one.participation))))
            work.setdefault(one.participation, []).append(piece)
    rows = campaign.participations.values_list("pk", "gold_right", "gold_seen")
    gold = {pk: (right, seen) for pk, right, seen in rows}
    return [
        WorkerRecord(str(pk), tuple(pieces), HitRate(*gold[pk]) if gold[pk][1] else None)
        for pk, pieces in sorted(work.items())
    ]


def _answers_by_task(campaign: Campaign) -> Iterator[tuple[int, list[_Given]]]:
    rows = (
        Annotation.objects.filter(assignment__campaign=campaign, assignment__status__in=COUNTED)
        .order_by("assignment__task_id", "id")
        .values_list(
            "assignment__task_id",
            "assignment__task__question",
            "assignment__participation_id",
            "assignment__participation__worker__provider",
            "answer",
            "active_ms",
            "seconds",
        )
    )
    for task_id, group in groupby(rows.iterator(chunk_size=2000), key=lambda row: row[0]):
        yield task_id, [_given(*row[1:]) for row in group]


def _given(
    question: dict[str, Any], person: int, provider: str, answer: dict[str, Any], active: int | None, seconds: int
) -> _Given:
    about = About(tuple(question.get("entities", ())), str(question.get("entity_type", "")))
    phrases = () if answer.get("impossible") else answer.get("phrases", ())
    cleaned = [TESA.clean(str(phrase), about).phrase for phrase in phrases]
    if active is None and provider in WALL_CLOCK_PROVIDERS:
        active = seconds * 1000
    return _Given(person, tuple(filter(None, cleaned)), None if active is None else active / 1000)


def _context(task_id: int) -> str:
    rows = Task.objects.filter(pk=task_id).values_list("member__value__context", flat=True)
    return str(rows[0] or "")
