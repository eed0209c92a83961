"""Reads of campaigns, people and answers."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.models import Assignment, Campaign, CampaignStatus, Invite, Participation
from tesa_site.kernel.models import User


def participation(secret: str) -> Participation:
    """Return the person behind a secret, with their campaign and its instructions."""
    return Participation.objects.select_related("campaign__instructions").get(secret=secret)


def assignment(secret: str, assignment_id: int) -> Assignment:
    """Return one of this person's turns, with everything its page shows."""
    rows = Assignment.objects.select_related("task", "participation__campaign__instructions")
    return rows.get(pk=assignment_id, participation__secret=secret)


def open_campaigns() -> QuerySet[Campaign]:
    """Return what signed-in annotators can work on."""
    return Campaign.objects.filter(status=CampaignStatus.RUNNING, provider="local").order_by("name")


def participations_of(user: User) -> QuerySet[Participation]:
    return Participation.objects.filter(worker__user=user, withdrawn_at=None).select_related("campaign")


def answers_of(person: Participation) -> QuerySet[Assignment]:
    """Return what a person has answered, the latest first."""
    rows = Assignment.objects.filter(participation=person).exclude(annotation=None)
    return rows.select_related("annotation", "task__member").order_by("-ended_at", "-pk")


def invite(code: str) -> Invite:
    return Invite.objects.select_related("campaign__instructions").get(code=code)
