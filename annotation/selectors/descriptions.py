"""Kept descriptions of own tasks, and the tasks that a campaign can ask."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery

from annotation.models import Campaign, CampaignStatus, TaskDescription
from annotation.task_types import DEFAULT_TASK_TYPE, TASK_TYPES, fixed_types
from annotation.task_types.base import TaskType
from annotation.task_types.registry import DESCRIBED
from annotation.task_types.settings import DESCRIBED_VERSION, bound_type
from kernel.errors import InvalidInput


def newest() -> QuerySet[TaskDescription]:
    """Return the newest version of each description."""
    later = TaskDescription.objects.filter(number=OuterRef("number")).order_by("-version")
    rows = TaskDescription.objects.filter(version=Subquery(later.values("version")[:1]))
    return rows.select_related("created_by").defer("text", "value")


def versions_of(number: int) -> QuerySet[TaskDescription]:
    return TaskDescription.objects.filter(number=number).select_related("created_by").order_by("-version")


def campaigns_by_version() -> dict[str, int]:
    """Return how many campaigns use each version."""
    used = Campaign.objects.filter(task_settings__version__isnull=False).values_list("task_settings__version")
    return dict(used.annotate(campaigns=Count("pk")).order_by())


def campaigns_by_description() -> dict[int, int]:
    """Return how many campaigns use each description, in any version."""
    totals: Counter[int] = Counter()
    for key, campaigns in campaigns_by_version().items():
        if match := DESCRIBED_VERSION.match(key):
            totals[int(match[1])] += campaigns
    return dict(totals)


def description_of(key: str) -> TaskDescription:
    """Return the version own-12@3, or the newest one of own-12; raise InvalidInput if there is none."""
    match = DESCRIBED_VERSION.match(key)
    rows = versions_of(int(match[1])) if match else TaskDescription.objects.none()
    if match and match[2]:
        rows = rows.filter(version=int(match[2]))
    row = rows.first()
    if row is None:
        raise InvalidInput(f"there is no task “{key}”; descriptions are called own-12@3 (description 12, version 3)")
    return row


def task_choices() -> list[tuple[str, str]]:
    """Return what a campaign can ask: each fixed task type, then the newest version of each description."""
    fixed = [(name, TASK_TYPES[name].title) for name in fixed_types()]
    return [*fixed, *((row.key, str(row)) for row in newest())]


def chosen_task(name: str) -> tuple[str, dict[str, Any]]:
    """Return the task type and settings that a name means: that of a task type, or the key of a description."""
    if name in fixed_types():
        return name, {}
    row = description_of(name)
    return "own", {"version": row.key, "description": row.value}


def asked_type(name: str) -> TaskType:
    """Return the task type that a name means, bound to its description."""
    return bound_type(*chosen_task(name))


def types_in_use() -> list[TaskType]:
    """Return the task types of campaigns that have been opened, each once; the standard one if there are none."""
    used = Campaign.objects.exclude(status=CampaignStatus.DRAFT).order_by("task_type", "pk")
    types = {name: bound_type(name, settings) for name, settings in used.values_list("task_type", "task_settings")}
    return [*types.values()] or [TASK_TYPES[DEFAULT_TASK_TYPE]]


def name_of_task(campaign: Campaign) -> str:
    """Return the name that `chosen_task` takes."""
    version = campaign.task_settings.get("version") if campaign.task_type in DESCRIBED else ""
    return version or campaign.task_type
