"""Cleaned forms of stored answers, computed by a named pipeline when they are asked for: a raw answer never changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.models import Annotation, AssignmentStatus, Campaign
from annotation.quality.changes import Change, compare
from annotation.task_types import type_of
from annotation.task_types.base import task_key
from annotation.task_types.cleaned import CleanedAnswer, Cleaning

CHUNK = 2000
KINDS = ("lost", "regained", "renamed", "noted")
IN_TIME = (AssignmentStatus.SUBMITTED,)


@dataclass(frozen=True)
class CleanedRow:
    """One stored annotation with its cleaned form; `cleaned` names the rules that made it."""

    annotation: int
    task: int
    participation: int
    instance: str  # a task_key
    type: str
    is_gold: bool
    is_gold_hit: bool | None
    is_excluded: bool  # its author's answers are not counted
    created_at: datetime
    active_ms: int | None
    seconds: int
    is_imported: bool  # given elsewhere: its time is not the active time
    is_late: bool
    cleaned: CleanedAnswer
    shown: Mapping[str, Any]  # what its author was shown beyond the question

    @property
    def units(self) -> tuple[str, ...]:
        return self.cleaned.units


FIELDS = (
    "id", "answer", "shown", "is_gold_hit", "created_at", "active_ms", "seconds", "assignment__task_id",
    "assignment__status", "assignment__participation_id", "assignment__participation__excluded_at",
    "assignment__is_imported", "assignment__task__question", "assignment__task__is_gold",
    "assignment__task__member__key", "assignment__task__variant", "assignment__task__member__type",
)  # fmt: skip


def submitted(campaign: Campaign, *, late: bool = False) -> QuerySet[Annotation]:
    """Return what came in time, and if asked for what came late: that is kept, but not counted."""
    states = (*IN_TIME, AssignmentStatus.LATE) if late else IN_TIME
    return Annotation.objects.filter(assignment__campaign=campaign, assignment__status__in=states)


def cleaned_rows(campaign: Campaign, cleaning: Cleaning | None = None, *, late: bool = False) -> Iterator[CleanedRow]:
    """Yield every submitted annotation of a campaign after cleaning, task by task, a few in memory at a time.

    The task type's own cleaning is used unless another one is given.
    """
    cleaning = cleaning or type_of(campaign).cleaning
    rows = submitted(campaign, late=late).order_by("assignment__task_id", "id").values(*FIELDS)
    for row in rows.iterator(chunk_size=CHUNK):
        yield CleanedRow(
            annotation=row["id"],
            task=row["assignment__task_id"],
            participation=row["assignment__participation_id"],
            instance=task_key(row["assignment__task__member__key"], row["assignment__task__variant"]),
            type=row["assignment__task__member__type"],
            is_gold=row["assignment__task__is_gold"],
            is_gold_hit=row["is_gold_hit"],
            is_excluded=row["assignment__participation__excluded_at"] is not None,
            created_at=row["created_at"],
            active_ms=row["active_ms"],
            seconds=row["seconds"],
            is_imported=row["assignment__is_imported"],
            is_late=row["assignment__status"] == AssignmentStatus.LATE,
            cleaned=cleaning.clean(row["assignment__task__question"], row["answer"]),
            shown=row["shown"],
        )


@dataclass(frozen=True)
class DryRun:
    """What one cleaning in place of another would change."""

    before: Cleaning
    after: Cleaning
    annotations: int
    changes: tuple[Change, ...]

    @property
    def shown(self) -> list[Change]:
        """What a person would see, the gravest first: lost, regained, renamed, noted."""
        return sorted(
            (change for change in self.changes if change.is_visible), key=lambda change: KINDS.index(change.kind)
        )

    @property
    def hidden(self) -> int:
        """The number of answers that differ only in how they are displayed."""
        return sum(not change.is_visible for change in self.changes)

    @property
    def counts(self) -> dict[str, int]:
        """How many answers would be lost, regained, renamed or only noted, the most frequent kind first."""
        return dict(Counter(change.kind for change in self.changes).most_common())


def dry_run(campaign: Campaign, before: Cleaning, after: Cleaning) -> DryRun:
    """Compare two cleanings over every submitted answer of a campaign; nothing is stored."""
    rows = submitted(campaign).order_by("id").values_list("id", "answer", "assignment__task__question")
    seen = 0

    def answers() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        nonlocal seen
        for pk, answer, question in rows.iterator(chunk_size=CHUNK):
            seen += 1
            yield str(pk), question, answer

    changes = compare(before, after, answers())
    return DryRun(before, after, seen, changes)
