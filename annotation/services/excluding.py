"""Excluding participants, and counting them again. Filters propose, a person decides, nobody is rejected.

Excluded people are still paid and keep their answers, which no longer count; other people are asked instead.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from annotation.models import AssignmentStatus, Participation, Task
from annotation.services import doubts
from annotation.services.assigning import end_turn, lock_tasks
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import batches, storable

CHUNK = 500


def lock_person(participation_id: int) -> Participation:
    """Return this participation with its campaign and worker, locked until the transaction ends."""
    rows = Participation.objects.select_related("campaign", "worker").select_for_update(of=("self",))
    return rows.get(pk=participation_id)


def reason_in(text: str) -> str:
    """Return a reason as it is stored; raises if it is empty."""
    reason = " ".join(storable(text).split())
    if not reason:
        raise InvalidInput("enter a reason: it may have to be explained to the person", field="reason")
    return reason[:500]


@transaction.atomic(durable=True)
def exclude(participation_id: int, *, reason: str, by: User | None) -> Participation:
    """Stop counting this person's answers and ask other people instead; they keep what they earned."""
    reason = reason_in(reason)
    person = lock_person(participation_id)
    if person.excluded_at:
        return person
    if person.withdrawn_at:
        raise WrongState("This person has withdrawn: none of their answers count.")
    person.excluded_at, person.excluded_why = now(), reason
    person.save(update_fields=["excluded_at", "excluded_why"])
    in_hand = list(person.assignments.filter(status=AssignmentStatus.TAKEN).select_for_update(of=("self",)))
    tasks = _counted_tasks(person)
    lock_tasks([*tasks, *(turn.task_id for turn in in_hand)])
    for turn in in_hand:
        end_turn(turn, AssignmentStatus.EXPIRED, person.excluded_at)
    uncount(tasks, free=1)
    doubts.forget_scores(tasks)
    audit.record("exclude person", person, by=by, reason=reason, after={"answers": len(tasks)})
    return person


@transaction.atomic(durable=True)
def include(participation_id: int, *, reason: str, by: User | None) -> Participation:
    """Count this person's answers again, beside those that others gave in the meantime."""
    reason = reason_in(reason)
    person = lock_person(participation_id)
    if not person.excluded_at:
        return person
    before = person.excluded_why
    person.excluded_at, person.excluded_why = None, ""
    person.save(update_fields=["excluded_at", "excluded_why"])
    tasks = lock_tasks(_counted_tasks(person))
    for some in batches(tasks, CHUNK):
        count_again(some)
    doubts.forget_scores(tasks)
    audit.record("include person", person, by=by, reason=reason, before={"excluded": before})
    return person


def _counted_tasks(person: Participation) -> list[int]:
    turns = person.assignments.filter(status=AssignmentStatus.SUBMITTED, task__is_gold=False)
    return sorted(turns.values_list("task_id", flat=True))


def uncount(ids: list[int], *, free: int) -> None:
    """Subtract one answer from each of these locked tasks, and let `free` more people have it."""
    for some in batches(ids, CHUNK):
        Task.objects.filter(pk__in=some).update(answers=F("answers") - 1, free=F("free") + free)


def count_again(ids: list[int]) -> None:
    """Add one answer to each of these locked tasks, in a free slot or, if there is none, in an additional one."""
    tasks = Task.objects.filter(pk__in=ids)
    full = list(tasks.filter(free=0).values_list("pk", flat=True))
    tasks.exclude(pk__in=full).update(answers=F("answers") + 1, free=F("free") - 1)
    Task.objects.filter(pk__in=full).update(answers=F("answers") + 1, slots=F("slots") + 1)
