"""Hidden gold: tasks with a known answer, given to everybody who meets them and never counted as data.

What nobody has met can be changed freely. Once somebody has, known answers can still be corrected, or the check task
withdrawn: every answer to it is judged again, and everybody's trust follows in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet

from annotation.models import Annotation, Assignment, CampaignStatus, Participation, Task
from annotation.services import stopping
from annotation.services.submitting import GOLD_COUNTERS, count_judgement, judged
from annotation.task_types import type_of
from kernel.errors import WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json

ANSWERED = (
    "Somebody has this task or has answered it, so it stays a check task or an ordinary one. The known answers of a "
    "check task can be corrected, and it can be withdrawn."
)
Known = dict[str, Any]


@dataclass(frozen=True)
class Rejudged:
    """What came of judging the answers to a check task again."""

    task: Task
    answers: int  # to this task, by people who have not withdrawn
    changed: int  # of those, judged otherwise than before


@transaction.atomic(durable=True)
def set_gold(task_id: int, form: Mapping[str, str], *, by: User | None) -> Task:
    """Make a task gold, or change its known answers; it gives up its slots, since gold is not data."""
    task = _editable(task_id)
    gold = type_of(task.campaign).gold(task.question, form).to_json()
    if task.is_gold and task.gold == gold:
        return task
    untouched = Task.objects.filter(pk=task.pk, answers=0)
    untouched = untouched.filter(is_gold=True) if task.is_gold else untouched.filter(is_gold=False, free=F("slots"))
    return _changed(task, untouched, "set gold", by=by, is_gold=True, gold=gold, free=0)


@transaction.atomic(durable=True)
def unset_gold(task_id: int, *, by: User | None) -> Task:
    """Make gold an ordinary task again."""
    task = _editable(task_id)
    if not task.is_gold:
        return task
    untouched = Task.objects.filter(pk=task.pk, is_gold=True, answers=0)
    return _changed(task, untouched, "unset gold", by=by, is_gold=False, gold=None, free=F("slots"))


def _editable(task_id: int) -> Task:
    task = Task.objects.select_related("campaign").get(pk=task_id)
    if task.campaign.status not in (CampaignStatus.DRAFT, CampaignStatus.PAUSED):
        raise WrongState("Check tasks can be chosen before a campaign is opened, or while it is paused.")
    return task


def _changed(task: Task, untouched: QuerySet[Task], action: str, *, by: User | None, **fields: Any) -> Task:
    """Return the task with these fields; raises WrongState if it is not `untouched` or somebody was given it."""
    if Assignment.objects.filter(task=task).exists() or not untouched.update(**fields):
        raise WrongState(ANSWERED)
    audit.record(action, task, by=by, before=task.gold, after=fields["gold"])
    task.refresh_from_db()
    return task


# ---- Once somebody has met it


def correct_gold(task_id: int, form: Mapping[str, str], *, by: User | None) -> Rejudged:
    """Give a check task other known answers, at any time, and judge every answer to it by them."""

    def known(task: Task) -> Known:
        return type_of(task.campaign).gold(task.question, form).to_json()

    return _judge_again(task_id, known, "correct gold", by=by)


def withdraw_gold(task_id: int, *, by: User | None) -> Rejudged:
    """Give a check task to nobody else and let no answer to it count as right or wrong. It never becomes data."""
    return _judge_again(task_id, lambda _: None, "withdraw gold", by=by)


def _judge_again(task_id: int, known: Callable[[Task], Known | None], action: str, *, by: User | None) -> Rejudged:
    while (done := _try_to_judge_again(task_id, known, action, by)) is None:
        pass  # somebody new has answered it meanwhile: their row must be locked before the task
    return done


@transaction.atomic(durable=True)
def _try_to_judge_again(
    task_id: int, known: Callable[[Task], Known | None], action: str, by: User | None
) -> Rejudged | None:
    """Return what came of it, or None if somebody has answered whose row is not locked."""
    had_it = Assignment.objects.filter(task=task_id).values("participation")
    rows = Participation.objects.filter(pk__in=had_it).select_related("campaign").order_by("pk")
    people = {person.pk: person for person in rows.select_for_update(of=("self",))}
    task = Task.objects.select_related("campaign").select_for_update(of=("self",), no_key=True).get(pk=task_id)
    if not task.is_gold or not task.gold:
        raise WrongState("This is not a check task, or it has been withdrawn: no answer is judged by it.")
    answers = list(Annotation.objects.filter(assignment__task=task).select_related("assignment").order_by("pk"))
    if any(answer.assignment.participation_id not in people for answer in answers):
        transaction.set_rollback(True)
        return None
    before, task.gold = task.gold, known(task)
    task.save(update_fields=["gold"])
    changed = sum([_follow(people[answer.assignment.participation_id], task, answer, by) for answer in answers])
    after: Json = {"gold": task.gold, "answers": len(answers), "judged otherwise": changed}
    audit.record(action, task, by=by, before=before, after=after)
    return Rejudged(task, len(answers), changed)


def _follow(person: Participation, task: Task, answer: Annotation, by: User | None) -> bool:
    """Judge one answer again, and let its author's counters follow; return whether the judgement is another one."""
    before = (answer.is_gold_hit, answer.gold_score)
    count_judgement(person, answer, -1)
    answer.is_gold_hit, answer.gold_score = judged(person.campaign, task, answer.answer)
    count_judgement(person, answer)
    if before == (answer.is_gold_hit, answer.gold_score):
        return False
    answer.save(update_fields=["is_gold_hit", "gold_score"])
    stopping.follow_gold(person, by=by)
    person.save(update_fields=[*GOLD_COUNTERS, "stopped_at", "finished_at", "completion"])
    return True
