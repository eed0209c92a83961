"""How people join a campaign, and the steps before their first task. Repeating a step has no effect."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F

from annotation.models import Campaign, CampaignStatus, Invite, Participation, PracticeAnswer, Worker
from annotation.models.participants import INVITE
from annotation.providers import DEFAULT, PROVIDERS
from annotation.providers.base import Arrival
from annotation.qualifications import Record, qualifications
from annotation.selectors import annotators
from annotation.selectors.grants import held_by
from annotation.selectors.open_work import is_answered
from annotation.selectors.places_left import place_left, places_left_by, user_id
from annotation.services.assigning import lock_participation
from annotation.services.submitting import stored_form
from annotation.stages import QUIZ_TRIES, Stage
from annotation.task_types import type_of
from annotation.task_types.lessons import is_right, lessons_of
from kernel.clock import now
from kernel.errors import NotAllowed, WrongState
from kernel.models import User

NOT_YET = "This campaign has not begun. Come back later: the link stays the same."
OVER = "This campaign is closed: nobody can join it any more. Thank you for your interest."
ANSWERED = "Other people have answered everything already. There is nothing left for you to do."
FULL = "Everybody this link was made for has already joined. Ask the person who sent it to you."


class NothingLeft(WrongState):
    """No task is left for newcomers."""

    heading = "Nothing left to do"


@transaction.atomic
def join(campaign: Campaign, worker: Worker, *, invite: Invite | None = None, arrival: Any = None) -> Participation:
    """Return this worker's place in the campaign, made on their first visit."""
    mine = Participation.objects.filter(campaign=campaign, worker=worker).first()
    if mine:
        if arrival and arrival != mine.arrival:
            mine.arrival, mine.visits = arrival, mine.visits + 1  # the same person in a new session
            mine.save(update_fields=["arrival", "visits"])
        return mine
    check_open(campaign)
    check_qualifications(campaign, worker)
    return place_of(campaign, worker, invite=invite, arrival=arrival or {})


@transaction.atomic
def place_of(campaign: Campaign, worker: Worker, **values: Any) -> Participation:
    """Return this worker's place; a new one has these values and the next number, given under the campaign's lock."""
    last = lock_campaign(campaign)
    if mine := Participation.objects.filter(campaign=campaign, worker=worker).first():
        return mine
    Campaign.objects.filter(pk=campaign.pk).update(joined=last + 1)
    return Participation.objects.create(campaign=campaign, worker=worker, number=last + 1, **values)


def lock_campaign(campaign: Campaign) -> int:
    """Let nobody else join until the transaction ends, and return the last newcomer's number."""
    rows = Campaign.objects.select_for_update(no_key=True)
    return rows.values_list("joined", flat=True).get(pk=campaign.pk)


def check_open(campaign: Campaign) -> None:
    """Raise unless the campaign has begun and is not closed."""
    if campaign.status == CampaignStatus.DRAFT:
        raise WrongState(NOT_YET)
    if campaign.status == CampaignStatus.CLOSED:
        raise NothingLeft(OVER)


def check_tasks_left(campaign: Campaign) -> None:
    """Raise if no task is left for newcomers, so that they are spared the steps before the first one."""
    check_open(campaign)
    if is_answered(campaign):
        raise NothingLeft(ANSWERED)


def check_qualifications(campaign: Campaign, worker: Worker) -> None:
    """Raise if somebody's work in other campaigns, or their grants, do not fit the qualifications."""
    asked = qualifications(campaign.qualifications)
    if asked.asks_nothing:
        return
    elsewhere = worker.participations.exclude(campaign=campaign).filter(withdrawn_at=None)
    rows = list(elsewhere.values_list("campaign_id", "answered", "given"))
    record = Record(
        answers=sum(answered for _, answered, _ in rows),
        answered_in=frozenset(pk for pk, answered, _ in rows if answered),
        seen=frozenset(pk for pk, _, tasks_given in rows if tasks_given),
        grants=held_by(worker.pk) if asked.grant else frozenset(),
    )
    if refusal := asked.refusal(record):
        raise NotAllowed(refusal)


@transaction.atomic
def join_as_user(campaign: Campaign, user: User) -> Participation:
    """Let a signed-in annotator in; people who withdrew while pay was owed find the place they left."""
    if not PROVIDERS[campaign.provider].takes_own_people:
        raise NotAllowed("This campaign is open only to people that its provider sends.")
    if left := places_left_by(user, [campaign]).first():
        return left
    if not Participation.objects.filter(campaign=campaign, worker__user=user).exists():
        check_tasks_left(campaign)
    worker, _ = Worker.objects.get_or_create(
        provider=DEFAULT, external_id=user_id(user), defaults={"user": user, "is_demo": user.is_demo}
    )
    return join(campaign, worker)


@transaction.atomic
def join_from_provider(campaign: Campaign, arrival: Arrival) -> Participation:
    """Let somebody in whom the provider sent; the same person always has the same place."""
    if left := place_left(campaign, campaign.provider, arrival.external_id):
        return left
    known = {"provider": campaign.provider, "external_id": arrival.external_id}
    if not Participation.objects.filter(campaign=campaign, worker__in=Worker.objects.filter(**known)).exists():
        check_tasks_left(campaign)
    worker, _ = Worker.objects.get_or_create(**known, defaults={"is_demo": campaign.is_demo})
    return join(campaign, worker, arrival=arrival.details)


def invited_place(invite: Invite, key: str) -> Participation | None:
    """Return the place that the person with this key has in the invite's campaign, or left while pay was owed."""
    if not key:
        return None
    worker = {"worker__provider": INVITE, "worker__external_id": key}
    mine = Participation.objects.filter(campaign=invite.campaign_id, **worker).first()
    return mine or place_left(invite.campaign, INVITE, key)


@transaction.atomic(durable=True)
def join_by_invite(code: str, key: str = "") -> Participation:
    """Let somebody in through a link if it has a place left. `key`: their external id from an earlier invitation."""
    invite = Invite.objects.select_related("campaign").get(code=code)
    if mine := invited_place(invite, key):
        return mine
    check_invite(invite)
    lock_campaign(invite.campaign)  # before the link: the order of all services (`assigning.py`)
    if not Invite.objects.filter(pk=invite.pk, used__lt=F("capacity")).update(used=F("used") + 1):
        raise NotAllowed(FULL)
    worker, _ = Worker.objects.get_or_create(provider=INVITE, external_id=key or secrets.token_hex(16))
    return join(invite.campaign, worker, invite=invite)


def check_invite(invite: Invite) -> None:
    """Raise if the link lets nobody in any more."""
    if invite.revoked_at:
        raise NotAllowed("This link has been withdrawn. Ask the person who sent it to you.")
    check_tasks_left(invite.campaign)
    if invite.used >= invite.capacity:
        raise NotAllowed(FULL)


@transaction.atomic
def consent(secret: str, *, signals: bool) -> None:
    person = lock_participation(secret)
    if person.consented_at is None:
        person.consented_at, person.signals_agreed = now(), signals and person.campaign.has_signals
        person.save(update_fields=["consented_at", "signals_agreed"])


@transaction.atomic
def read_instructions(secret: str) -> None:
    person = lock_participation(secret)
    if person.consented_at and person.instructed_at is None:
        person.instructed_at = now()
        person.save(update_fields=["instructed_at"])


@transaction.atomic
def practise(secret: str, number: int, form: Mapping[str, str]) -> None:
    """Keep what was sent for practice question `number` (from 0) and count the question as done.

    Where all must be right, it is done with a right answer only.
    """
    person = lock_participation(secret)
    sent: dict[str, Any] = {"form": stored_form(form), "answered_at": now()}
    PracticeAnswer.objects.update_or_create(participation=person, number=number, defaults=sent)
    if annotators.stage(person) == Stage.PRACTICE and person.practised == number and _is_done(person, sent["form"]):
        person.practised += 1
        person.save(update_fields=["practised"])


def _is_done(person: Participation, form: Mapping[str, str]) -> bool:
    """Tell whether a form answers a person's next practice question well enough to go on."""
    campaign = person.campaign
    if not campaign.practice_must_be_right:
        return True
    type_ = type_of(campaign)
    return is_right(type_, lessons_of(type_, campaign.lessons).practice[person.practised], form)


@transaction.atomic
def take_quiz(secret: str, score: int, *, number: int, chosen: Mapping[str, str]) -> bool:
    """Store try `number` (from 0) at the quiz; False if it is not the next one, as on a second click.

    People who have not passed after QUIZ_TRIES are screened out.
    """
    person = lock_participation(secret)
    if annotators.stage(person) != Stage.QUIZ or not person.quiz_tries == number < QUIZ_TRIES:
        return False
    person.quiz_tries += 1
    person.quiz_score, person.quiz_chosen = score, dict(chosen)
    if score >= person.campaign.quiz_pass:
        person.quiz_passed_at = now()
    person.save(update_fields=["quiz_tries", "quiz_score", "quiz_chosen", "quiz_passed_at"])
    return True
