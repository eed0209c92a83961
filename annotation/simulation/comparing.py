"""The crowd's log against what the application stored: nothing lost, nothing twice, nothing that nobody wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.task_types.base import InvalidAnswer, TaskType, as_objections


@dataclass(frozen=True)
class Stored:
    """One annotation as the application has it."""

    assignment: int
    task: int
    person: int
    question: dict[str, Any]
    answer: dict[str, Any]
    is_late: bool
    slots: int  # different people the task is for


def compare(events: Sequence[dict[str, Any]], stored: Iterable[Stored], type_: TaskType) -> list[str]:
    """Return what does not fit, one sentence each; nothing when everything does."""
    rows = list(stored)
    return [*_errors(events), *_lost_or_changed(events, rows, type_), *_twice(rows), *_lost_drafts(events)]


def _errors(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in events:
        if row.get("status", 200) not in (200, 409, 422):
            yield f"person {row['person']}: {row['event']} was answered with {row['status']} ({row.get('text', '')})"


def _lost_or_changed(events: Sequence[dict[str, Any]], stored: Sequence[Stored], type_: TaskType) -> Iterator[str]:
    by_assignment = {row.assignment: row for row in stored}
    sent: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        if event["event"] == "submit":
            sent.setdefault(event["assignment"], []).append(event)
    for assignment, submits in sent.items():
        outcomes = {submit["outcome"] for submit in submits}
        row = by_assignment.get(assignment)
        if row is None and outcomes & {"stored", "late", "repeated"}:
            yield f"assignment {assignment}: the page said that it was stored, and it is not"
        elif row and not any(_gives(submit["form"], row, type_) for submit in submits):
            yield f"assignment {assignment}: holds “{type_.summary(row.question, row.answer)}”, which was never sent"
        if len([submit for submit in submits if submit["outcome"] == "stored"]) > 1:
            yield f"assignment {assignment}: two submits were both called the first"
    for assignment in by_assignment.keys() - sent.keys():
        yield f"assignment {assignment}: is stored, and nobody sent it"


def _gives(form: dict[str, str], stored: Stored, type_: TaskType) -> bool:
    """True when the form gives the stored answer, once everything the checks asked about is confirmed."""
    asked = " ".join(as_objections(type_.checks(stored.question, form)))
    try:
        return type_.parse(stored.question, {**form, "confirmed": asked}) == stored.answer
    except InvalidAnswer:
        return False


def _twice(stored: Sequence[Stored]) -> Iterator[str]:
    for (task, person), count in Counter((row.task, row.person) for row in stored).items():
        if count > 1:
            yield f"task {task}: person {person} answered it {count} times"
    slots = {row.task: row.slots for row in stored}
    for task, count in Counter(row.task for row in stored if not row.is_late).items():
        if count > slots[task]:
            yield f"task {task}: {count} people answered it, {slots[task]} were asked"


def _lost_drafts(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in events:
        if row["event"] == "reload" and not row["kept"]:
            yield f"person {row['person']}: the draft of assignment {row['assignment']} was gone after a reload"
