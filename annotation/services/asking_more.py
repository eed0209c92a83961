"""Asking one more person about tasks that people answered differently."""

from __future__ import annotations

from collections import defaultdict

from django.db import transaction
from django.db.models import F

from annotation.models import Annotation, AssignmentStatus, Campaign, Task
from annotation.quality.doubt import needs_another
from annotation.services.assigning import lock_tasks
from annotation.services.market import spending
from annotation.task_types import type_of
from annotation.task_types.cleaned import CleanedAnswer
from kernel.models import User
from kernel.services import audit
from kernel.values import batches

CHUNK = 500  # tasks a transaction


def doubtful_tasks(campaign: Campaign) -> list[int]:
    """Return the tasks that everybody asked has answered, but differently."""
    type_ = type_of(campaign)
    cleaning, answers = type_.cleaning.remembering(), defaultdict[int, list[CleanedAnswer]](list)
    counted = Annotation.objects.filter(
        assignment__campaign=campaign,
        assignment__status=AssignmentStatus.SUBMITTED,
        assignment__participation__excluded_at=None,
        assignment__task__is_gold=False,
        assignment__task__free=0,
        assignment__task__answers=F("assignment__task__slots"),
    )
    questions = dict(Task.objects.filter(campaign=campaign).values_list("pk", "question"))
    for task_id, answer in counted.order_by("assignment__task_id").values_list("assignment__task_id", "answer"):
        answers[task_id].append(cleaning.clean(questions[task_id], answer))
    return [task_id for task_id, cleaned in answers.items() if needs_another(cleaned, type_)]


def ask_one_more(campaign: Campaign, *, by: User | None) -> int:
    """Ask one more person about each doubtful task; returns how many tasks."""
    decided = spending.decision(campaign, by)
    tasks = doubtful_tasks(campaign)
    for some in batches(tasks, CHUNK):
        with transaction.atomic():
            lock_tasks(some)
            Task.objects.filter(pk__in=some, free=0).update(slots=F("slots") + 1, free=F("free") + 1)
    if tasks:
        if decided:
            Campaign.objects.filter(pk=campaign.pk).update(**decided)
        audit.record("ask one more person", campaign, by=by, after={"tasks": len(tasks)})
    return len(tasks)
