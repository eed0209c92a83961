"""Campaigns that have work for people."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Task,
)
from annotation.providers import PROVIDERS


def open_campaigns() -> QuerySet[Campaign]:
    """Return what signed-in annotators can work on."""
    providers = [name for name in PROVIDERS if PROVIDERS[name].takes_own_people]
    return Campaign.objects.filter(status=CampaignStatus.RUNNING, provider__in=providers).order_by("name")


def with_a_free_task(campaigns: Iterable[Campaign]) -> set[int]:
    """Return the ids of campaigns that have a task for newcomers."""
    free = Task.objects.filter(campaign=OuterRef("pk"), is_gold=False, free__gt=0)
    rows = Campaign.objects.filter(Exists(free), pk__in=[campaign.pk for campaign in campaigns])
    return set(rows.values_list("pk", flat=True))


def is_answered(campaign: Campaign) -> bool:
    """Say whether no task is free, and none is in anybody's hands that could come back."""
    if campaign.tasks.filter(is_gold=False, free__gt=0).exists():
        return False
    held = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.TAKEN, task__is_gold=False)
    return not held.exists()
