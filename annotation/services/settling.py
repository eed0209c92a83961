"""A task's own answer: reviewers make it from the annotations' pieces or from scratch, and a further row undoes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction

from annotation.models import Annotation, AssignmentStatus, Settlement, Task
from annotation.selectors.settlements import standing_settlement
from annotation.services.assigning import lock_tasks
from annotation.services.reviewing import LONGEST_WHY, Unsure
from annotation.task_types import type_of
from annotation.task_types.base import as_objections
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.values import storable


@transaction.atomic(durable=True)
def settle(
    task_id: int,
    form: Mapping[str, str],
    *,
    by: User,
    made_of: Sequence[int] = (),
    why: str = "",
    confirmed: Sequence[str] = (),
) -> Settlement:
    """Add this reviewer's answer of the task; raises Unsure while objections to it are not confirmed."""
    lock_tasks([task_id])
    task = Task.objects.select_related("campaign").get(pk=task_id)
    type_ = type_of(task.campaign)
    if not type_.settles:
        raise WrongState("Tasks of this type have no answer of their own: decide on each answer.")
    if task.is_gold:
        raise WrongState("This is a check task: its known answers say what is right.")
    known = set(_annotations(task))
    if not known:
        raise WrongState("Nobody has answered this task yet.")
    if unknown := sorted(set(made_of) - known):
        raise InvalidInput(f"{unknown[0]} is no answer to this task", field="made_of")
    answer, remarks = type_.correction(task.question, form)
    objections = as_objections(remarks)
    if set(objections) - set(confirmed):
        raise Unsure(objections)
    return Settlement.objects.create(
        task=task,
        reviewer=by,
        reviewer_name=by.username,
        answer=answer,
        made_of=sorted(set(made_of)),
        why=storable(why).strip()[:LONGEST_WHY],
    )


def _annotations(task: Task) -> list[int]:
    answered = Annotation.objects.filter(assignment__task=task, assignment__status=AssignmentStatus.SUBMITTED)
    return list(answered.values_list("pk", flat=True))


@transaction.atomic(durable=True)
def undo(task_id: int, *, by: User) -> Settlement:
    """Take back this reviewer's answer of the task."""
    lock_tasks([task_id])
    last = standing_settlement(task_id, by)
    if last is None:
        raise WrongState("You have given this task no answer that could be taken back.")
    return Settlement.objects.create(task_id=task_id, reviewer=by, reviewer_name=by.username, undoes=last)
