"""Tasks' own answers: what reviewers made of them, and what that comes to.

A settlement counts while every answer it is made of counts and says what it said. The contract of task types does not
tell pieces apart, so this looks at whole answers: once one of them is gone or changed, the settlement is outdated
unless an answer that counts says exactly the same. Nothing is stored: when the answer counts again, so does it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.models import Annotation, AssignmentStatus, Settlement
from annotation.quality.verdicts import CONTESTED, OPEN, Resolution, ReviewEntry, resolve, standing
from annotation.selectors.review import fingerprint
from kernel.models import User
from kernel.values import canonical_json


@dataclass(frozen=True)
class SettledTask(Resolution):
    """What becomes of a task that somebody settled."""

    outdated: frozenset[int] = frozenset()  # settlements that no longer count
    reviewers: frozenset[int] = frozenset()  # those whose settlement counts

    @property
    def is_open(self) -> bool:
        return not self.is_settled

    @property
    def needs_another_look(self) -> bool:
        return bool(self.outdated) and self.verdict == OPEN


def settlements_of(task_ids: Iterable[int], *, needed: int) -> Mapping[int, SettledTask]:
    """Return what becomes of each task with a settlement; as many reviewers must agree as for an annotation."""
    by_task: dict[int, dict[int, Settlement]] = defaultdict(dict)
    for row in Settlement.objects.filter(task__in=[*task_ids]).order_by("pk"):
        by_task[row.task_id][row.pk] = row
    last = {task: standing(map(entry_of, rows.values())) for task, rows in by_task.items()}
    counted = _counted([task for task, entries in last.items() if entries])
    settled = {}
    for task, entries in last.items():
        outdated = frozenset(
            entry.number for entry in entries if _is_outdated(by_task[task][entry.number], counted[task])
        )
        counting = [entry for entry in entries if entry.number not in outdated]
        end = resolve(counting, needed=needed)
        reviewers = frozenset(int(entry.reviewer) for entry in counting if entry.reviewer.isdecimal())
        if entries:
            settled[task] = SettledTask(end.verdict, end.corrected, end.decided, outdated, reviewers)
    return settled


def entry_of(row: Settlement) -> ReviewEntry:
    verdict = "undo" if row.undoes_id else "correct"
    return ReviewEntry(row.pk, str(row.reviewer_id or row.reviewer_name), verdict, row.answer, row.undoes_id)


def counted_answers(task_id: int) -> Mapping[int, Annotation]:
    """Return the answers to a task that count, by id: given in time, by people who are not excluded."""
    return _counted([task_id])[task_id]


def _counted(task_ids: Sequence[int]) -> dict[int, dict[int, Annotation]]:
    # The status is looked at here: asked for it, SQLite walks through every answer of the installation instead.
    rows = Annotation.objects.filter(assignment__task__in=task_ids).order_by("pk")
    by_task: dict[int, dict[int, Annotation]] = {task: {} for task in task_ids}
    for row in rows.select_related("assignment__participation"):
        turn = row.assignment
        if turn.status == AssignmentStatus.SUBMITTED and turn.participation.excluded_at is None:
            by_task[turn.task_id][row.pk] = row
    return by_task


def _is_outdated(row: Settlement, counted: Mapping[int, Annotation]) -> bool:
    if all(pk in counted and not _has_changed(counted[pk], row) for pk in row.made_of):
        return False
    same = canonical_json(row.answer)
    return all(canonical_json(source.corrected or source.answer) != same for source in counted.values())


def _has_changed(source: Annotation, row: Settlement) -> bool:
    return source.corrected_at is not None and source.corrected_at > row.created_at


def standing_settlement(task_id: int, user: User) -> Settlement | None:
    """Return what this person last said and did not take back."""
    rows = Settlement.objects.filter(task=task_id, reviewer=user, undoes=None, undone_by=None)
    return rows.order_by("-pk").first()


def seen_by(task_id: int, user: User, *, needed: int) -> Sequence[Settlement]:
    """Return each reviewer's answer of the task, as far as this person may see it.

    Where two reviewers are asked, each sees the other's only after their own. A third, who decides where they differ,
    sees both.
    """
    outcome = settlements_of([task_id], needed=needed).get(task_id)
    if outcome is None:
        return []
    rows = Settlement.objects.filter(task=task_id, undoes=None, undone_by=None).order_by("pk")
    last = {row.reviewer_id or row.reviewer_name: row for row in rows}
    is_known = needed < 2 or outcome.is_settled or outcome.verdict == CONTESTED or user.pk in outcome.reviewers
    return [row for row in last.values() if is_known or row.reviewer_id == user.pk]


def seen_of(answers: Iterable[Annotation]) -> str:
    """Return what a reviewer saw of these answers, so that a settlement made of an earlier text can be refused."""
    return " ".join(fingerprint(answer) for answer in answers)
