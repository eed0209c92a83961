"""Assessing a campaign: evidence about its workers, how far they agree, and how doubtful each task is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction

from annotation.models import AgreementReport, Campaign, Task
from annotation.quality.figures import Judged
from annotation.quality.report import measure
from annotation.selectors import assessed as selectors
from annotation.selectors.agreement import answers_now, word_vectors
from annotation.selectors.cleaned import CleanedRow, cleaned_rows
from annotation.services import doubts, people_checks
from annotation.task_types import type_of
from annotation.task_types.base import TaskType
from annotation.task_types.registry import DESCRIBED
from annotation.task_types.suggestions import SuggestionCounts
from kernel.clock import now
from kernel.errors import NotAllowed, WrongState
from kernel.models import Job, User
from kernel.services import jobs as job_services
from kernel.values import counted

LEAST = 10  # items with the lowest agreement, shown on the page
EVERY = 1000  # answers between two reports of progress


def start(campaign: Campaign, *, by: User | None) -> Job:
    """Queue the job that assesses the campaign."""
    parameters, lock = {"campaign": campaign.pk}, selectors.lock_of(campaign)
    return job_services.create_job("assess_campaign", subject=str(campaign), parameters=parameters, by=by, lock=lock)


def start_due(campaign_id: int, *, by: User | None) -> Job | None:
    """Queue the job if no more answers are expected; return None if it is not needed or already under way.

    No more answers are expected when the campaign is closed or every task has all its answers.
    """
    campaign = Campaign.objects.get(pk=campaign_id)
    if not selectors.is_over(campaign) or not selectors.is_due(campaign):
        return None
    try:
        return start(campaign, by=by)
    except (NotAllowed, WrongState):  # this person may not, or it is being assessed
        return None


def assess(campaign: Campaign) -> Iterator[str]:
    """Assess everything again and yield what is being done. Safe to repeat: it replaces the last assessment."""
    measured_on = answers_now(campaign).mark  # before they are read, so that later changes make it due again
    rows: list[CleanedRow] = []
    cleaning = type_of(campaign).cleaning.remembering()
    for row in cleaned_rows(campaign, cleaning, late=True):
        rows.append(row)
        if len(rows) % EVERY == 0:
            yield f"{counted(len(rows), 'answer')} cleaned"
    yield "Looking at the people"
    people_checks.look_at_people(campaign, rows)
    yield f"Measuring {counted(len(rows), 'answer')}"
    store_report(campaign, rows, measured_on)
    for done in doubts.score_campaign(campaign, cleaning):
        yield f"{counted(done, 'task')} scored"


def store_report(campaign: Campaign, rows: Sequence[CleanedRow], measured_on: str) -> AgreementReport:
    """Measure agreement over cleaned answers and store it, without people who withdraw in the meantime."""
    while True:
        fields = _measured(campaign, rows)
        with transaction.atomic():
            here = people_checks.lock_people(campaign)
            if all(row.participation in here for row in rows):
                fields["measured_on"] = measured_on
                return AgreementReport.objects.update_or_create(campaign=campaign, defaults=fields)[0]
        rows = [row for row in rows if row.participation in here]


def _judged(row: CleanedRow, type_: TaskType) -> Judged:
    day, label = row.created_at.date(), type_.label(row.cleaned)
    patterns = type_.patterns(row.cleaned, row.shown)
    return Judged(row.instance, str(row.participation), row.type, day, label, row.units, row.cleaned, patterns)


def _suggestions(campaign: Campaign, type_: TaskType, rows: Sequence[CleanedRow]) -> dict[str, Any]:
    """Return what became of the items' suggestions in people's answers, by part; {} where nothing is suggested."""
    counts = SuggestionCounts()
    if type_.name not in DESCRIBED:
        return {}
    answers: dict[int, list[CleanedRow]] = defaultdict(list)
    for row in rows:
        if row.cleaned.is_answered:
            answers[row.task].append(row)
    tasks = Task.objects.filter(campaign=campaign).values_list("pk", "question")
    for task, question in tasks.iterator(chunk_size=EVERY):
        for row in answers[task]:
            counts.add(type_.suggestion_changes(question, row.cleaned.answer))
    by_part = counts.to_json()
    return {"suggestions": by_part} if by_part else {}


def _measured(campaign: Campaign, rows: Sequence[CleanedRow]) -> dict[str, Any]:
    """Return the fields of a report."""
    type_ = type_of(campaign)
    vectors = None if type_.scales else word_vectors()  # they compare units
    rows = [row for row in rows if not row.is_late and not row.is_excluded]
    judged = [_judged(row, type_) for row in rows if not row.is_gold]
    gold = [(str(r.participation), r.is_gold_hit) for r in rows if r.is_gold_hit is not None]
    value = measure(judged, type_, gold, vectors=vectors, seed=campaign.seed)
    value |= _suggestions(campaign, type_, [row for row in rows if not row.is_gold])
    value["vectors"] = vectors.identity if vectors else ""
    by_instance = value.pop("by_instance")
    value["least"] = by_instance[:LEAST]
    return {
        "value": value,
        "by_instance": by_instance,
        "pipeline": type_.cleaning.identity,
        "answers": len(judged),
        "made_at": now(),
    }
