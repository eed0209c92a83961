"""An annotator, found by the secret in their address, and what is theirs."""

from __future__ import annotations

from django.db.models import QuerySet

from annotation.models import (
    Assignment,
    Invite,
    Participation,
    Placement,
)
from annotation.models.placements import PLACED
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


def invite(code: str) -> Invite:
    return Invite.objects.select_related("campaign__instructions").get(code=code)


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


def answers_of(person: Participation) -> QuerySet[Assignment]:
    """Return what a person has answered, the latest first."""
    rows = Assignment.objects.filter(participation=person).exclude(annotation=None)
    return rows.select_related("annotation", "task__member", "late_decision").order_by("-ended_at", "-pk")


def participations_of(user: User) -> QuerySet[Participation]:
    return Participation.objects.filter(worker__user=user, withdrawn_at=None).select_related("campaign")
