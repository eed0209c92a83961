"""Reads of campaigns, people and answers."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Assignment, AssignmentStatus, Campaign, CampaignStatus, Invite, Participation, Task
from annotation.models.people import ACCOUNT
from annotation.providers import PROVIDERS
from annotation.pseudonyms import pseudonym
from annotation.stages import Progress, Stage, stage_of
from tesa_site.kernel.models import User


def participation(secret: str) -> Participation:
    """Return the person behind a secret, with their campaign and its instructions."""
    return Participation.objects.select_related("campaign__instructions").get(secret=secret)


def assignment(secret: str, assignment_id: int) -> Assignment:
    """Return one of this person's turns, with everything its page shows."""
    rows = Assignment.objects.select_related("task", "participation__campaign__instructions")
    return rows.get(pk=assignment_id, participation__secret=secret)


def _steps(person: Participation) -> Progress:
    campaign = person.campaign
    return Progress(
        has_withdrawn=person.withdrawn_at is not None,
        has_consented=person.consented_at is not None,
        has_read=person.instructed_at is not None,
        practised=person.practised,
        practice_asked=campaign.practice,
        quiz_tries=person.quiz_tries,
        quiz_passed=person.quiz_passed_at is not None,
        quiz_asked=campaign.quiz_pass > 0,
        has_finished=person.finished_at is not None,
    )


def stage(person: Participation) -> Stage:
    return stage_of(_steps(person))


def open_campaigns() -> QuerySet[Campaign]:
    """Return what signed-in annotators can work on."""
    providers = [name for name in PROVIDERS if PROVIDERS[name].takes_own_people]
    return Campaign.objects.filter(status=CampaignStatus.RUNNING, provider__in=providers).order_by("name")


def with_a_free_task(campaigns: Iterable[Campaign]) -> set[int]:
    """Return the ids of campaigns that have a task for newcomers."""
    free = Task.objects.filter(campaign=OuterRef("pk"), is_gold=False, free__gt=0)
    found = Campaign.objects.filter(Exists(free), pk__in=[one.pk for one in campaigns])
    return set(found.values_list("pk", flat=True))


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
    return places_left(campaigns, ACCOUNT, user_id(user))


def place_left(campaign: Campaign, provider: str, external_id: str) -> Participation | None:
    return places_left([campaign], provider, external_id).first()
