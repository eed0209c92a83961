"""Tasks' own answers: what reviewers made of them, and what that comes to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from annotation.models import Settlement
from annotation.quality.verdicts import Resolution, ReviewEntry, resolve
from kernel.models import User


def settlements_of(task_ids: Iterable[int], *, needed: int) -> Mapping[int, Resolution]:
    """Return what becomes of each task that somebody settled: as many reviewers must agree as for an annotation."""
    rows = Settlement.objects.filter(task__in=[*task_ids]).order_by("pk")
    by_task: dict[int, list[ReviewEntry]] = defaultdict(list)
    for row in rows:
        by_task[row.task_id].append(entry_of(row))
    return {task: resolve(history, needed=needed) for task, history in by_task.items()}


def entry_of(row: Settlement) -> ReviewEntry:
    verdict = "undo" if row.undoes_id else "correct"
    return ReviewEntry(row.pk, str(row.reviewer_id or row.reviewer_name), verdict, row.answer, row.undoes_id)


def standing_settlement(task_id: int, user: User) -> Settlement | None:
    """Return what this person last said and did not take back."""
    rows = Settlement.objects.filter(task=task_id, reviewer=user, undoes=None, undone_by=None)
    return rows.order_by("-pk").first()


def seen_by(task_id: int, user: User, *, needed: int) -> Sequence[Settlement]:
    """Return what this person may see: where two reviewers are asked, the other's answer only after their own."""
    rows = Settlement.objects.filter(task=task_id, undoes=None, undone_by=None).order_by("pk")
    mine = rows.filter(reviewer=user)
    return list(rows if needed < 2 or mine.exists() else mine)
