"""The crowd's log against what the application stored: nothing lost, nothing twice, nothing that nobody wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Stored:
    """One annotation as the application has it."""

    assignment: int
    task: int
    person: int
    phrases: tuple[str, ...]
    impossible: bool
    is_late: bool
    slots: int  # different people the task is for


def compare(events: Sequence[dict[str, Any]], stored: Iterable[Stored]) -> list[str]:
    """Return what does not fit, one sentence each; nothing when everything does."""
    rows = list(stored)
    return [*_errors(events), *_lost_or_changed(events, rows), *_twice(rows), *_lost_drafts(events)]


def _errors(events: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row in events:
        if row.get("status", 200) not in (200, 409, 422):
            yield f"person {row['person']}: {row['event']} was answered with {row['status']} ({row.get('text', '')})"


def _lost_or_changed(events: Sequence[dict[str, Any]], stored: Sequence[Stored]) -> Iterator[str]:
    by_assignment = {row.assignment: row for row in stored}
    sent: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        if event["event"] == "submit":
            sent.setdefault(event["assignment"], []).append(event)
    for assignment, submits in sent.items():
        told = {submit["outcome"] for submit in submits}
        found = by_assignment.get(assignment)
        if found is None and told & {"stored", "late", "repeated"}:
            yield f"assignment {assignment}: the page said that it was stored, and it is not"
        elif found and not any(_says(submit["form"], found) for submit in submits):
            yield f"assignment {assignment}: holds {found.phrases}, which was never sent"
        if len([submit for submit in submits if submit["outcome"] == "stored"]) > 1:
            yield f"assignment {assignment}: two submits were both called the first"
    for assignment in by_assignment.keys() - sent.keys():
        yield f"assignment {assignment}: is stored, and nobody sent it"


def _says(form: dict[str, str], stored: Stored) -> bool:
    if form.get("impossible"):
        return stored.impossible
    given = (" ".join(form.get(name, "").split()) for name in ("phrase_1", "phrase_2"))
    return not stored.impossible and tuple(phrase for phrase in given if phrase) == stored.phrases


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
