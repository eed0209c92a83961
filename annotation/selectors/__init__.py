"""Reads of campaigns, people and answers."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Invite,
    Participation,
    Placement,
    Task,
)
from annotation.models.placements import PLACED
from annotation.providers import DEFAULT, PROVIDERS
from annotation.pseudonyms import pseudonym
from annotation.stages import QUIZ_TRIES, Stage
from kernel.models import User


def owner_of(secret: str, path: str = "") -> dict[str, str]:
    """Return the condition "this participation has the secret", its own or a placement's; `path` leads to it."""
    return {f"{path}placements__secret" if secret.startswith(PLACED) else f"{path}secret": secret}


def came_by(person: Participation, secret: str) -> Participation:
    """Let the addresses on this person's pages hold the secret they came by: a placement's pages lead to itself."""
    person.secret = secret  # never saved
    return person


def participation(secret: str) -> Participation:
    """Return the person behind a secret, with their campaign and its instructions."""
    rows = Participation.objects.select_related("campaign__instructions")
    return came_by(rows.get(**owner_of(secret)), secret)


def placement(secret: str) -> Placement | None:
    """Return the placement whose secret this is; None if it is the secret of a participation."""
    if not secret.startswith(PLACED):
        return None
    return Placement.objects.select_related("posting__task", "participation__worker").get(secret=secret)


def assignment(secret: str, assignment_id: int) -> Assignment:
    """Return one of this person's turns, with everything its page shows."""
    rows = Assignment.objects.select_related("task", "participation__campaign__instructions")
    turn = rows.get(pk=assignment_id, **owner_of(secret, "participation__"))
    came_by(turn.participation, secret)
    return turn


def stage(person: Participation) -> Stage:
    """Return the first thing that is still to be done."""
    campaign = person.campaign
    if person.withdrawn_at:
        return Stage.WITHDRAWN
    if not person.consented_at:
        return Stage.CONSENT
    if not person.instructed_at:
        return Stage.INSTRUCTIONS
    if person.practised < campaign.practice:
        return Stage.PRACTICE
    if campaign.quiz_pass > 0 and not person.quiz_passed_at:
        return Stage.SCREENED_OUT if person.quiz_tries >= QUIZ_TRIES else Stage.QUIZ
    return Stage.FINISHED if person.finished_at else Stage.WORK


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


def participations_of(user: User) -> QuerySet[Participation]:
    return Participation.objects.filter(worker__user=user, withdrawn_at=None).select_related("campaign")


def answers_of(person: Participation) -> QuerySet[Assignment]:
    """Return what a person has answered, the latest first."""
    rows = Assignment.objects.filter(participation=person).exclude(annotation=None)
    return rows.select_related("annotation", "task__member", "late_decision").order_by("-ended_at", "-pk")


def invite(code: str) -> Invite:
    return Invite.objects.select_related("campaign__instructions").get(code=code)


# ---- Who withdrew while pay was owed to them


def user_id(user: User) -> str:
    """Return the external id of an annotator with an account of ours."""
    return f"user {user.pk}"


def erased_name(slug: str, provider: str, external_id: str) -> str:
    """Return what is left of a person in a campaign they withdrew from: a keyed mark, of use only when they return."""
    return "erased " + pseudonym(f"{provider} {external_id}", scope=f"{slug}, withdrawn", key=settings.SECRET_KEY)


def places_left(campaigns: Iterable[Campaign], provider: str, external_id: str) -> QuerySet[Participation]:
    """Return the places that this person left in these campaigns while pay was owed to them."""
    names = [erased_name(campaign.slug, provider, external_id) for campaign in campaigns]
    left = Participation.objects.filter(worker__provider=provider, worker__external_id__in=names)
    return left.exclude(withdrawn_at=None).select_related("campaign", "worker")


def places_left_by(user: User, campaigns: Iterable[Campaign]) -> QuerySet[Participation]:
    return places_left(campaigns, DEFAULT, user_id(user))


def place_left(campaign: Campaign, provider: str, external_id: str) -> Participation | None:
    return places_left([campaign], provider, external_id).first()
