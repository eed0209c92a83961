"""Answers that were given elsewhere, brought into a campaign with their times. Importing twice adds nothing.

An answer that was rejected there is flagged for a reviewer: it was not paid, but whether it counts is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F

from annotation.models import Annotation, Assignment, AssignmentStatus, Campaign, Participation, Task, Worker
from annotation.mturk_results import BadRow, Result, read_results
from annotation.releasing.pseudonyms import SIMULATED
from annotation.services import reviewing
from annotation.services.assigning import lock_tasks
from tesa_site.kernel.clock import now
from tesa_site.kernel.models import User
from tesa_site.kernel.services import audit

CHUNK = 100  # rows a transaction
PROVIDER, PLATFORM = "mturk", "MTurk"
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


def import_mturk_results(campaign: Campaign, lines: Iterable[str], *, by: User | None) -> Iterator[Import]:
    """Store every row that can be used; yields how far it is. The tasks are found by instance key or article id."""
    done = Import()
    tasks = _tasks_by_id(campaign)
    rows = read_results(lines)
    while some := list(islice(rows, CHUNK)):
        with transaction.atomic():
            _lock(campaign, tasks, [row for row in some if isinstance(row, Result)])
            for row in some:
                _take(campaign, tasks, row, done)
        yield done
    audit.record("import MTurk results", campaign, by=by, after={"added": done.added, "bad": len(done.bad)})
    yield done


def check_file(path: Path) -> None:
    """Raise InvalidInput that says why this cannot be a result file of our HIT; reads its first lines."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        next(read_results(file), None)


def _tasks_by_id(campaign: Campaign) -> dict[str, int | None]:
    """Map instance keys to tasks, and article ids where an article has one task; None: it has several."""
    names = ("pk", "member__key", "member__value__article_id")
    found: dict[str, int | None] = {}
    keys: dict[str, int | None] = {}
    for pk, key, article in Task.objects.filter(campaign=campaign).values_list(*names).iterator(chunk_size=2000):
        keys[key] = pk
        if article:
            found[str(article)] = None if str(article) in found else pk
    return found | keys


def _lock(campaign: Campaign, tasks: dict[str, int | None], rows: list[Result]) -> None:
    """Lock the people and the tasks of these rows in the order that all services keep (`assigning.py`)."""
    names = {row.worker for row in rows}
    known = Participation.objects.filter(
        campaign=campaign, worker__provider__in=(PROVIDER, SIMULATION), worker__external_id__in=names
    ).order_by("pk")
    list(known.select_for_update(of=("self",)).values_list("pk"))
    lock_tasks({task_id for row in rows if (task_id := tasks.get(row.id))})


def _take(campaign: Campaign, tasks: dict[str, int | None], row: Result | BadRow, done: Import) -> None:
    if isinstance(row, BadRow):
        done.bad.append(row)
    elif row.id not in tasks:
        done.bad.append(BadRow(row.line, f"no task of the campaign has the id {row.id[:80]!r}"))
    elif (task_id := tasks[row.id]) is None:
        done.bad.append(BadRow(row.line, f"several tasks are of the article {row.id[:80]!r}: give the instance's key"))
    elif _store(campaign, task_id, row):
        done.added += 1
    else:
        done.known += 1


def _store(campaign: Campaign, task_id: int, row: Result) -> bool:
    """Store one row as a finished turn; False when this person's answer to this task is there already."""
    provider = SIMULATION if row.worker.startswith(SIMULATED) else PROVIDER  # our own releases mark them so
    worker, _ = Worker.objects.get_or_create(provider=provider, external_id=row.worker)
    person, _ = Participation.objects.get_or_create(campaign=campaign, worker=worker)
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
        ),
        answer=_answer(row),
        seconds=row.seconds,
        created_at=moment,
    )
    if row.rejection:
        reviewing.flag_rejected(annotation, PLATFORM, row.rejection.why, row.rejection.at)
    mine = Participation.objects.filter(pk=person.pk)
    mine.update(given=F("given") + 1, answered=F("answered") + 1, active_ms=F("active_ms") + row.seconds * 1000)
    if not (task.is_gold or person.excluded_at):
        rows = Task.objects.filter(pk=task_id)
        if not rows.filter(free__gt=0).update(free=F("free") - 1, answers=F("answers") + 1):
            rows.update(slots=F("slots") + 1, answers=F("answers") + 1)
    return True


def _group(task: Task, person: Participation) -> str:
    """Return the task's overlap group; other platforms may have given somebody two tasks of one, and both are kept."""
    if Assignment.objects.filter(participation=person, group=task.group).exists():
        return f"imported task {task.pk}"
    return task.group


def _answer(row: Result) -> dict[str, Any]:
    """Return the row as our own form would have stored it; words beside a ticked box are kept as the reason."""
    if row.impossible:
        return {"phrases": [], "impossible": True, "reason": " / ".join(row.phrases)}
    return {"phrases": [*row.phrases], "impossible": not row.phrases, "reason": ""}
