"""Hidden gold: tasks with a known answer, given to everybody who meets them and never counted as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet

from annotation.models import Assignment, CampaignStatus, Task
from annotation.task_types import type_of
from kernel.errors import WrongState
from kernel.models import User
from kernel.services import audit

ANSWERED = "Somebody has this task or has answered it: whether it is a check task, and its known answers, are fixed."


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
