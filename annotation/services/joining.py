"""How people come in, and the steps before their first task. Each step may be repeated; the first time counts."""

from __future__ import annotations

import secrets
from typing import Any

from django.db import transaction
from django.db.models import F

from annotation.models import Campaign, CampaignStatus, Invite, Participation, Worker
from annotation.services.assigning import lock_participation
from annotation.stages import QUIZ_TRIES, Progress, Stage, stage_of
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import NotAllowed, WrongState
from tesa_site.kernel.models import User


def progress_of(person: Participation) -> Progress:
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
    )


def stage(person: Participation) -> Stage:
    return stage_of(progress_of(person))


@transaction.atomic
def join(campaign: Campaign, worker: Worker, *, invite: Invite | None = None, arrival: Any = None) -> Participation:
    """Return this worker's place in the campaign, made on their first visit."""
    mine = Participation.objects.filter(campaign=campaign, worker=worker).first()
    if mine:
        if arrival and arrival != mine.arrival:
            mine.arrival = arrival  # a panel's new session of the same person
            mine.save(update_fields=["arrival"])
        return mine
    if campaign.status not in (CampaignStatus.RUNNING, CampaignStatus.PAUSED):
        raise WrongState("This campaign is not open.")
    return Participation.objects.create(campaign=campaign, worker=worker, invite=invite, arrival=arrival or {})


@transaction.atomic
def join_as_user(campaign: Campaign, user: User) -> Participation:
    """Let a signed-in annotator in."""
    if campaign.provider != "local":
        raise NotAllowed("This campaign is open to people of its panel only.")
    worker, _ = Worker.objects.get_or_create(
        provider="local", external_id=f"user {user.pk}", defaults={"user": user, "is_demo": user.is_demo}
    )
    return join(campaign, worker)


@transaction.atomic(durable=True)
def join_by_invite(code: str) -> Participation:
    """Let a stranger in through a link, if it has a place left; whoever comes back uses their own address."""
    invite = Invite.objects.select_related("campaign").get(code=code)
    if invite.revoked_at:
        raise NotAllowed("This link has been withdrawn. Ask whoever sent it to you.")
    if not Invite.objects.filter(pk=invite.pk, used__lt=F("capacity")).update(used=F("used") + 1):
        raise NotAllowed("Everybody this link was made for has come already. Ask whoever sent it to you.")
    worker = Worker.objects.create(provider="invite", external_id=secrets.token_hex(16))
    return join(invite.campaign, worker, invite=invite)


@transaction.atomic
def consent(secret: str, *, signals: bool) -> Participation:
    person = lock_participation(secret)
    if person.consented_at is None:
        person.consented_at, person.signals_agreed = now(), signals and person.campaign.has_signals
        person.save(update_fields=["consented_at", "signals_agreed"])
    return person


@transaction.atomic
def read_instructions(secret: str) -> Participation:
    person = lock_participation(secret)
    if person.consented_at and person.instructed_at is None:
        person.instructed_at = now()
        person.save(update_fields=["instructed_at"])
    return person


@transaction.atomic
def practise(secret: str, number: int) -> Participation:
    """Count practice question `number` (from 0) as done."""
    person = lock_participation(secret)
    if stage(person) == Stage.PRACTICE and person.practised == number:
        person.practised += 1
        person.save(update_fields=["practised"])
    return person


@transaction.atomic
def take_quiz(secret: str, score: int) -> Participation:
    """Store a try at the quiz; after QUIZ_TRIES of them without passing, the person is screened out."""
    person = lock_participation(secret)
    if stage(person) == Stage.QUIZ and person.quiz_tries < QUIZ_TRIES:
        person.quiz_tries += 1
        person.quiz_score = score
        if score >= person.campaign.quiz_pass:
            person.quiz_passed_at = now()
        person.save(update_fields=["quiz_tries", "quiz_score", "quiz_passed_at"])
    return person
