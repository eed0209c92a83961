"""The people of a campaign and their work: for their pages, the worker filters and exports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby, islice
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Participation,
    ProblemReport,
    Task,
    Worker,
)
from annotation.models.people import INVITE
from annotation.pricing import hourly_wage
from annotation.providers import PROVIDERS
from annotation.providers.base import Outcome
from annotation.pseudonyms import pseudonym
from annotation.quality.agreement import HitRate
from annotation.quality.worker_filters import Work, WorkerRecord, shares_agreeing
from annotation.selectors import is_answered, stage
from annotation.selectors.cleaned import CleanedRow, cleaned_rows
from annotation.selectors.progress import reports_of
from annotation.stages import Stage
from annotation.task_types import TASK_TYPES

BATCH = 500  # tasks whose passages are read together


def pseudonym_of(campaign: Campaign, worker: Worker) -> str:
    """Return a person's name on this campaign's pages and in its exports; it differs from campaign to campaign."""
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
    is_over: bool = False  # the campaign is closed, or all its tasks are answered

    @property
    def state(self) -> str:
        """How far this person got, in a few words."""
        return state_of(self.row, is_over=self.is_over)

    @property
    def door(self) -> str:
        """How they came in."""
        invite, provider = self.row.invite, self.row.worker.provider
        if invite:
            return f"by the link for {invite.label}"
        if self.row.imported and not self.is_simulated:
            return "in a file of MTurk results"
        return PROVIDERS[provider].came if provider in PROVIDERS else CAME.get(provider, "")

    @property
    def external_id(self) -> str:
        """Their id at the provider; "" if they are our own people."""
        provider = self.row.worker.provider
        is_ours = provider == INVITE or (provider in PROVIDERS and PROVIDERS[provider].takes_own_people)
        return "" if is_ours else self.row.worker.external_id

    @property
    def is_simulated(self) -> bool:
        return self.row.worker.is_simulated

    @property
    def gold_rate(self) -> HitRate | None:
        return HitRate(self.row.gold_right, self.row.gold_seen) if self.row.gold_seen else None


CAME = {
    INVITE: "by a link",
    "simulation": "as a simulated participant",
    "demo": "as a simulated participant of the demo",
}
ENDED = {
    Outcome.COMPLETED: "completed",
    Outcome.SCREENED_OUT: "screened out: no task for them",
    Outcome.FAILED: "excluded",
    Outcome.LEFT_EARLY: "stopped early",
    Outcome.NO_CONSENT: "did not agree",
}
BEFORE_THE_TASKS = {
    Stage.CONSENT: "has not agreed yet",
    Stage.INSTRUCTIONS: "reads the instructions",
    Stage.PRACTICE: "practises",
    Stage.QUIZ: "takes the quiz",
    Stage.SCREENED_OUT: "failed the quiz",
}


def state_of(row: Participation, *, is_over: bool) -> str:
    """Return how far a person got, in a few words; `is_over`: the campaign has no task left to give."""
    if row.withdrawn_at:
        return f"withdrew · reference {row.pk}"
    if row.excluded_at:
        return "excluded"
    if row.answered and not row.consented_at:
        return "answered elsewhere"
    if before := BEFORE_THE_TASKS.get(stage(row)):
        return before
    if row.completion:
        return ENDED.get(Outcome(row.completion), "")
    most = row.campaign.per_person
    is_done = row.finished_at or (most and row.answered >= most) or (is_over and row.answered)
    return "finished" if is_done else "came, answered nothing" if is_over else "at the tasks"


def participations(campaign: Campaign, *, show: str = "") -> QuerySet[Participation]:
    """Return a campaign's people, most answers first; `show`: all, only those "seen" by a filter, or the "excluded"."""
    rows = (
        Participation.objects.filter(campaign=campaign)
        .select_related("campaign", "worker", "invite")
        .prefetch_related("verdicts")
    )
    if show == "seen":
        rows = rows.filter(verdicts__isnull=False).distinct()
    elif show == "excluded":
        rows = rows.exclude(excluded_at=None)
    return rows.order_by("-answered", "id")


def has_no_task_left(campaign: Campaign) -> bool:
    """Return whether the campaign has no task left to give: it is closed, or everything is answered."""
    return campaign.status == CampaignStatus.CLOSED or is_answered(campaign)


def person_of(campaign: Campaign, row: Participation, *, is_over: bool = False) -> Person:
    is_known = row.answered and not row.withdrawn_at  # withdrawal erases the time
    seconds = row.active_ms / 1000 / row.answered if is_known else None
    verdicts = sorted(row.verdicts.all(), key=lambda verdict: (verdict.level != "strong", verdict.filter))
    is_paid_here = seconds is not None and not row.worker.is_simulated and not row.imported
    wage = hourly_wage(row.earned / row.answered, seconds) if is_paid_here else None
    return Person(row, pseudonym_of(campaign, row.worker), wage, seconds, tuple(verdicts), is_over)


def answers_of(row: Participation) -> QuerySet[Annotation]:
    rows = Annotation.objects.filter(assignment__participation=row).select_related("assignment__task")
    return rows.order_by("-id")


def late_answers(campaign: Campaign) -> QuerySet[Assignment]:
    """Return the late answers that are still to be decided, oldest first."""
    rows = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.LATE, late_decision=None)
    return rows.select_related("annotation", "task", "participation__worker").order_by("ended_at", "pk")


def reports(campaign: Campaign) -> QuerySet[ProblemReport]:
    """Return the problems that people reported with texts, open ones first."""
    rows = reports_of(campaign).select_related("assignment__task", "assignment__participation__worker", "settled_by")
    return rows.order_by(F("settled_at").asc(nulls_first=True), "id")


# ---- Records for the worker filters ---------------------------------------------------------------


def worker_records(campaign: Campaign, rows: Iterable[CleanedRow] | None = None) -> list[WorkerRecord]:
    """Return each person's record, named by the id of their participation; reads every answer once.

    `rows` are the campaign's cleaned answers, task by task and late ones too, if the caller has them already.
    """
    work: dict[int, list[Work]] = {}
    closeness = TASK_TYPES[campaign.task_type].closeness
    for batch in _in_batches(cleaned_rows(campaign, late=True) if rows is None else rows):
        contexts = _contexts([task_id for task_id, _ in batch])
        for task_id, answers in batch:
            shares = shares_agreeing([row.cleaned for row in answers], closeness)
            for row, share in zip(answers, shares, strict=True):
                piece = Work(row.units, contexts[task_id], _active_seconds(row), share)
                work.setdefault(row.participation, []).append(piece)
    gold = {
        pk: (right, seen) for pk, right, seen in campaign.participations.values_list("pk", "gold_right", "gold_seen")
    }
    return [
        WorkerRecord(str(pk), tuple(pieces), HitRate(*gold[pk]) if gold[pk][1] else None)
        for pk, pieces in sorted(work.items())
    ]


def _in_batches(rows: Iterable[CleanedRow]) -> Iterator[list[tuple[int, list[CleanedRow]]]]:
    """Yield batches of tasks, each with its answers."""
    tasks = ((task_id, list(group)) for task_id, group in groupby(rows, key=lambda row: row.task))
    while batch := list(islice(tasks, BATCH)):
        yield batch


def _active_seconds(row: CleanedRow) -> float | None:
    """Return the active time, or None. Imported answers carry none: the time from accepting to submitting stands in."""
    if row.active_ms is None:
        return float(row.seconds) if row.is_imported else None
    return row.active_ms / 1000


def _contexts(task_ids: list[int]) -> dict[int, str]:
    rows = Task.objects.filter(pk__in=task_ids).values_list("pk", "member__value__context")
    return {pk: str(context or "") for pk, context in rows}
