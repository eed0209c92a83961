"""A task's own answer: reviewers make it from the annotations' pieces or from scratch, and a further row undoes it.

What is sent twice, because the first response was lost or a button was pressed twice, has the effect of once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction

from annotation.models import Annotation, Settlement, Task
from annotation.selectors import review_queue, settlements
from annotation.selectors.settlements import standing_settlement
from annotation.services import doubts
from annotation.services.assigning import lock_tasks
from annotation.services.reviewing import LONGEST_WHY, Unsure
from annotation.task_types import type_of
from annotation.task_types.base import JsonObject, TaskType, as_objections
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.values import storable


@dataclass(frozen=True)
class TaskAnswer:
    """What a reviewer sends as the answer of a task.

    `made_of` are the annotations whose pieces it has; of those that it was `compared` with, the ones that it shares
    something with are added. `seen` is what all of them said (`seen_of`), if that is known. `confirmed` are objections
    that the reviewer has read and does not share.
    """

    form: Mapping[str, str]
    made_of: Sequence[int] = ()
    why: str = ""
    confirmed: Sequence[str] = field(default=())
    seen: str = ""
    compared: Sequence[int] = ()


@transaction.atomic(durable=True)
def settle(task_id: int, sent: TaskAnswer, *, by: User) -> Settlement:
    """Add this reviewer's answer of the task; raises Unsure while objections to it are not confirmed."""
    lock_tasks([task_id])
    task = Task.objects.select_related("campaign").get(pk=task_id)
    type_ = type_of(task.campaign)
    if not type_.settles:
        raise WrongState("Tasks of this type have no answer of their own: decide on each answer.")
    if task.is_gold:
        raise WrongState("This is a check task: its known answers say what is right.")
    shown = _sources(task, sorted({*sent.made_of, *sent.compared}), sent.seen)
    answer, why = _answer(type_, task, sent), storable(sent.why).strip()[:LONGEST_WHY]
    compared = {pk: own.corrected or own.answer for pk, own in shown.items() if pk in sent.compared}
    made_of = sorted({*sent.made_of, *type_.sources(answer, compared)})
    last = standing_settlement(task_id, by)
    if last and (last.answer, last.made_of, last.why) == (answer, made_of, why) and not _is_outdated(last, task):
        return last
    row = Settlement.objects.create(
        task=task, reviewer=by, reviewer_name=by.username, answer=answer, made_of=made_of, why=why
    )
    _score(task)
    return row


def _sources(task: Task, shown: Sequence[int], seen: str) -> dict[int, Annotation]:
    """Return the annotations that the reviewer saw; refuse one that does not count or says something else now."""
    counted = settlements.counted_answers(task.pk)
    if not counted:
        raise WrongState("This task has no answer that counts.")
    if missing := [pk for pk in shown if pk not in counted]:
        why = f"{missing[0]} is no answer to this task, or no longer counts: look at the answers again"
        raise InvalidInput(why, field="made_of")
    if seen and seen != settlements.seen_of(counted[pk] for pk in shown):
        raise WrongState("An author has changed their answer since you saw it: look at the answers again.")
    return {pk: counted[pk] for pk in shown}


def _answer(type_: TaskType, task: Task, sent: TaskAnswer) -> JsonObject:
    answer, remarks = type_.correction(task.question, sent.form)
    objections = as_objections(remarks)
    if set(objections) - set(sent.confirmed):
        raise Unsure(objections)
    return answer


def _is_outdated(row: Settlement, task: Task) -> bool:
    outcome = settlements.settlements_of([task.pk], needed=task.campaign.reviewers).get(task.pk)
    return outcome is not None and row.pk in outcome.outdated


def _score(task: Task) -> None:
    """Store the state of the task's review, if it is in the review already."""
    if review_queue.answered_tasks(task.campaign).filter(pk=task.pk).exists():
        doubts.score_tasks(task.campaign, [task.pk])


@transaction.atomic(durable=True)
def undo(task_id: int, *, by: User, settlement: int | None = None) -> Settlement:
    """Take back this reviewer's answer of the task: the one of this id, if given, and the last one otherwise.

    With the id, repeating it has no effect, and no other answer is taken back.
    """
    lock_tasks([task_id])
    task = Task.objects.select_related("campaign").get(pk=task_id)
    last = standing_settlement(task_id, by)
    if settlement is not None and (last is None or last.pk != settlement):
        done: Settlement | None = Settlement.objects.filter(task=task_id, reviewer=by, undoes=settlement).first()
        if done is None:
            raise WrongState("This is not the answer you last gave this task: look at the task again.")
        return done
    if last is None:
        raise WrongState("You have given this task no answer that could be taken back.")
    row = Settlement.objects.create(task=task, reviewer=by, reviewer_name=by.username, undoes=last)
    _score(task)
    return row
