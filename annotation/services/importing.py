"""Imports answers that were given and paid elsewhere, with their times. Importing a file twice adds nothing.

An answer that was rejected there was not paid. It is flagged, so that a reviewer decides whether it counts here.
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

CHUNK = 100  # rows in one transaction
PROVIDER, PLATFORM = "mturk", "MTurk"  # where the workers in a result file are known by their ids
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
    """Store every usable row, finding its task by instance key or article id; yields the progress so far."""
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
    """Raise InvalidInput, with the reason, if this is not a result file of our HIT; reads its first lines."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        next(read_results(file), None)


def _tasks_by_id(campaign: Campaign) -> dict[str, int | None]:
    """Map instance keys and article ids to tasks; None for articles that have several."""
    names = ("pk", "member__key", "member__value__article_id")
    articles: dict[str, int | None] = {}
    keys: dict[str, int | None] = {}
    for pk, key, article in Task.objects.filter(campaign=campaign).values_list(*names).iterator(chunk_size=2000):
        keys[key] = pk
        if article:
            articles[str(article)] = None if str(article) in articles else pk
    return articles | keys


def _lock(campaign: Campaign, tasks: dict[str, int | None], rows: list[Result]) -> None:
    """Lock the people and the tasks of these rows, in the order that all services keep (`assigning.py`)."""
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
        done.bad.append(BadRow(row.line, f"the article {row.id[:80]!r} has several tasks: use the instance's key"))
    elif _store(campaign, task_id, row):
        done.added += 1
    else:
        done.known += 1


def _store(campaign: Campaign, task_id: int, row: Result) -> bool:
    """Store one row as a finished turn; False if this person's answer to this task is already there."""
    provider = SIMULATION if row.worker.startswith(SIMULATED) else PROVIDER  # as in our own releases
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
            is_imported=True,
        ),
        answer=_answer(row),
        seconds=row.seconds,
        created_at=moment,
    )
    if row.rejection:
        reviewing.flag_rejected(annotation, PLATFORM, row.rejection.why, row.rejection.at)
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


def _answer(row: Result) -> dict[str, Any]:
    """Return the answer as our own form would store it; text beside a ticked box is kept as the reason."""
    if row.impossible:
        return {"phrases": [], "impossible": True, "reason": " / ".join(row.phrases)}
    return {"phrases": [*row.phrases], "impossible": not row.phrases, "reason": ""}
