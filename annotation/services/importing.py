"""Imports answers that were given and paid elsewhere, with their times. Importing a file twice adds nothing.

An answer that was rejected there was not paid. It is flagged, so that a reviewer decides whether it counts here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from pathlib import Path

from django.db import transaction
from django.db.models import F

from annotation.models import Annotation, Assignment, AssignmentStatus, Campaign, Participation, Task, Worker
from annotation.providers import RESULT_FORMATS
from annotation.providers.results import BadRow, Result, ResultFormat
from annotation.pseudonyms import SIMULATED
from annotation.services import joining, reviewing
from annotation.services.assigning import lock_tasks
from annotation.task_types import type_of
from annotation.task_types.base import ResultColumns, task_key
from kernel.clock import now
from kernel.errors import WrongState
from kernel.models import User
from kernel.services import audit

CHUNK = 100  # rows in one transaction
SIMULATION = "simulation"


@dataclass
class Import:
    """What an import has done so far."""

    added: int = 0
    known: int = 0
    bad: list[BadRow] = field(default_factory=list)

    @property
    def read(self) -> int:
        return self.added + self.known + len(self.bad)


def import_results(campaign: Campaign, format_: str, lines: Iterable[str], *, by: User | None) -> Iterator[Import]:
    """Store every usable row of a result file; yield the progress so far."""
    done, platform, columns = Import(), RESULT_FORMATS[format_], _columns(campaign)
    tasks = _tasks_by_id(campaign, columns)
    rows = platform.read(lines, columns)
    while some := list(islice(rows, CHUNK)):
        with transaction.atomic():
            _lock(campaign, platform, tasks, [row for row in some if isinstance(row, Result)])
            for row in some:
                _take(campaign, platform, tasks, row, done)
        yield done
    audit.record(f"import {platform.label} results", campaign, by=by, after={"added": done.added, "bad": len(done.bad)})
    yield done


def check_file(campaign: Campaign, format_: str, path: Path) -> None:
    """Raise InvalidInput, with the reason, if the file does not hold answers to this campaign's questions."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        next(RESULT_FORMATS[format_].read(file, _columns(campaign)), None)


def _columns(campaign: Campaign) -> ResultColumns:
    columns = type_of(campaign).result_columns
    if columns is None:
        raise WrongState(f"Answers of the task type {campaign.task_type!r} cannot be imported from result files.")
    return columns


def _tasks_by_id(campaign: Campaign, columns: ResultColumns) -> dict[str, int | None]:
    """Map the items' keys and other ids to tasks; None for other ids that several tasks have."""
    names = ("pk", "member__key", "variant", f"member__value__{columns.other_id}")
    others: dict[str, int | None] = {}
    keys: dict[str, int | None] = {}
    tasks = Task.objects.filter(campaign=campaign).values_list(*names)
    for pk, key, variant, other in tasks.iterator(chunk_size=2000):
        keys[task_key(key, variant)] = pk
        if other:
            others[str(other)] = None if str(other) in others else pk
    return others | keys


def _lock(campaign: Campaign, platform: ResultFormat, tasks: dict[str, int | None], rows: list[Result]) -> None:
    """Lock the campaign, the people and the tasks of these rows, in the order of all services (`assigning.py`)."""
    joining.lock_campaign(campaign)
    names = {row.worker for row in rows}
    known = Participation.objects.filter(
        campaign=campaign, worker__provider__in=(platform.name, SIMULATION), worker__external_id__in=names
    ).order_by("pk")
    list(known.select_for_update(of=("self",)).values_list("pk"))
    lock_tasks({task_id for row in rows if (task_id := tasks.get(row.id))})


def _take(
    campaign: Campaign, platform: ResultFormat, tasks: dict[str, int | None], row: Result | BadRow, done: Import
) -> None:
    if isinstance(row, BadRow):
        done.bad.append(row)
    elif row.id not in tasks:
        done.bad.append(BadRow(row.line, f"no task of the campaign has the id {row.id[:80]!r}"))
    elif (task_id := tasks[row.id]) is None:
        done.bad.append(BadRow(row.line, f"several tasks have the id {row.id[:80]!r}: use the item's key"))
    elif _store(campaign, platform, task_id, row):
        done.added += 1
    else:
        done.known += 1


def _store(campaign: Campaign, platform: ResultFormat, task_id: int, row: Result) -> bool:
    """Store one row as a finished turn; False if this person's answer to this task is already there."""
    provider = SIMULATION if row.worker.startswith(SIMULATED) else platform.name  # as in our own releases
    worker, _ = Worker.objects.get_or_create(provider=provider, external_id=row.worker)
    person = joining.place_of(campaign, worker)
    if Assignment.objects.filter(task=task_id, participation=person).exists():
        return False
    task, moment = Task.objects.get(pk=task_id), row.submitted or now()
    annotation = Annotation.objects.create(
        assignment=Assignment.objects.create(
            campaign=campaign,
            task=task,
            participation=person,
            group=_group(task, person),
            status=AssignmentStatus.SUBMITTED,
            taken_at=min(row.accepted or moment - timedelta(seconds=row.seconds), moment),
            expires_at=moment,
            ended_at=moment,
            is_imported=True,
        ),
        answer=row.answer,
        seconds=row.seconds,
        created_at=moment,
    )
    if row.rejection:
        reviewing.flag_rejected(annotation, platform.label, row.rejection.why, row.rejection.at)
    mine = Participation.objects.filter(pk=person.pk)
    more = {name: F(name) + 1 for name in ("given", "answered", "imported")}
    mine.update(**more, active_ms=F("active_ms") + row.seconds * 1000)
    if not (task.is_gold or person.excluded_at):
        rows = Task.objects.filter(pk=task_id)
        if not rows.filter(free__gt=0).update(free=F("free") - 1, answers=F("answers") + 1):
            rows.update(slots=F("slots") + 1, answers=F("answers") + 1)
    return True


def _group(task: Task, person: Participation) -> str:
    """Return the task's overlap group, or a name of its own if this person has answered another task of the group.

    Other platforms may have given somebody two tasks of one group, and both answers are kept.
    """
    if Assignment.objects.filter(participation=person, group=task.group).exists():
        return f"imported task {task.pk}"
    return task.group
