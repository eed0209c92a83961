"""Withdrawing: what a person wrote and what tells who they are goes; what they are owed stays."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.db.models import F

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentStatus,
    Participation,
    ProblemReport,
    Task,
    Worker,
    WorkerVerdict,
)
from annotation.providers.base import Completion, Outcome
from annotation.services import finishing
from annotation.services.assigning import return_turn
from tesa_site.kernel.clock import now
from tesa_site.kernel.services import audit

CHUNK = 200


def outcome_of(person: Participation) -> Outcome:
    """Return what somebody who leaves now takes back: paid if they might have finished here, else as not agreed."""
    if person.completion:
        return Outcome(person.completion)
    return Outcome.COMPLETED if finishing.can_finish(person) else Outcome.NO_CONSENT


@transaction.atomic(durable=True)
def withdraw(secret: str) -> tuple[Participation, Completion | None]:
    """Erase a person's texts and ids in one campaign; returns them and what their panel wants. May be repeated."""
    rows = Participation.objects.select_related("campaign", "worker").select_for_update(of=("self",))
    person = rows.get(secret=secret)
    outcome = outcome_of(person)
    taken_back = finishing.completion(person, outcome)
    if person.withdrawn_at:
        return person, taken_back
    return_turn(person)
    answers = _erase_answers(person)
    _forget_who(person)
    moment = now()
    person.withdrawn_at = moment
    if finishing.is_from_panel(person):
        person.finished_at, person.completion = person.finished_at or moment, outcome
        person.arrival = {"panel": person.arrival.get("panel", "")}
    fields = ["withdrawn_at", "finished_at", "completion", "arrival", "worker", "invite", "active_ms"]
    person.invite, person.active_ms = None, 0
    person.save(update_fields=fields)
    audit.record("withdraw", person, by=None, after={"answers erased": answers, "earned": str(person.earned)})
    return person, taken_back


def _erase_answers(person: Participation) -> int:
    """Delete all texts, drafts, signals, reports and verdicts; let the answers count no more, and say how many."""
    mine = Assignment.objects.filter(participation=person)
    submitted = mine.filter(status=AssignmentStatus.SUBMITTED)
    counted = submitted.filter(task__is_gold=False) if person.excluded_at is None else submitted.none()
    _uncount(sorted(counted.values_list("task_id", flat=True)), free=1)
    _uncount(sorted(submitted.filter(task__is_gold=True).values_list("task_id", flat=True)), free=0)
    Annotation.objects.filter(assignment__participation=person).delete()
    ProblemReport.objects.filter(assignment__participation=person).delete()
    WorkerVerdict.objects.filter(participation=person).delete()
    count = mine.filter(status__in=(AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)).update(
        status=AssignmentStatus.WITHDRAWN
    )
    mine.filter(status=AssignmentStatus.EXPIRED).update(status=AssignmentStatus.RETURNED)  # no draft can come back
    mine.update(draft=None, draft_at=None)
    return count


def _uncount(tasks: list[int], *, free: int) -> None:
    """Take one answer off each task; locked in the order of ids, so that two at once wait for one another."""
    for start in range(0, len(tasks), CHUNK):
        some = tasks[start : start + CHUNK]
        list(Task.objects.filter(pk__in=some).order_by("pk").select_for_update().values_list("pk", flat=True))
        Task.objects.filter(pk__in=some).update(answers=F("answers") - 1, free=F("free") + free)


def _forget_who(person: Participation) -> None:
    """Let nothing in this campaign point to the person: in others, where they have not withdrawn, they stay known."""
    worker = person.worker
    nobody = f"erased {secrets.token_hex(16)}"
    if worker.participations.exclude(pk=person.pk).filter(withdrawn_at=None).exists():
        person.worker = Worker.objects.create(provider=worker.provider, external_id=nobody, is_demo=worker.is_demo)
        return
    worker.external_id, worker.user = nobody, None
    worker.save(update_fields=["external_id", "user"])
