"""How the visit of a person whom a provider sent ends, and how they go back. Our own people just stop."""

from __future__ import annotations

from django.db import transaction

from annotation.models import CampaignStatus, Participation
from annotation.providers import PROVIDERS
from annotation.providers.base import Arrival, Completion, Outcome
from annotation.selectors.open_work import is_answered
from annotation.services.assigning import Idle, last_turn, lock_participation, next_turn, return_turn
from kernel.clock import now
from kernel.errors import WrongState

NO_FURTHER_TASK = (Idle.EXCLUDED, Idle.STOPPED, Idle.NOT_GRANTED)  # the provider counts them alike; none is a rejection
ENDS = (Idle.DONE, Idle.LIMIT, Idle.CLOSED, *NO_FURTHER_TASK)


def was_sent(person: Participation) -> bool:
    """Return whether the campaign's provider sent this person, and so wants them back."""
    return bool(person.arrival)


def can_finish(person: Participation) -> bool:
    """Return whether somebody may go back now, which they may after any answer."""
    return was_sent(person) and not person.finished_at and person.answered > 0


def is_partial(person: Participation, idle: Idle | None = None) -> bool:
    """Return whether the campaign is running and asks this person for more answers; not if they are idle."""
    campaign = person.campaign
    return idle is None and campaign.status == CampaignStatus.RUNNING and person.answered < campaign.per_person


def completion(person: Participation, outcome: Outcome) -> Completion | None:
    """Return how a person goes back; None for our own people."""
    if not was_sent(person):
        return None
    campaign = person.campaign
    arrival = None if person.withdrawn_at else Arrival(person.worker.external_id, person.arrival)
    return PROVIDERS[campaign.provider].completion(campaign.provider_settings, outcome, arrival)


def conclude(person: Participation, outcome: Outcome) -> Completion | None:
    """Record how the visit ended, once; later calls return the first outcome's completion."""
    if not was_sent(person):
        return None
    if not person.finished_at:
        Participation.objects.filter(pk=person.pk, finished_at=None).update(finished_at=now(), completion=outcome)
        person.refresh_from_db(fields=["finished_at", "completion"])
    return completion(person, Outcome(person.completion or outcome))


def conclude_idle(person: Participation, idle: Idle) -> Completion | None:
    """End the visit of somebody for whom nothing is left to do; None if a task may still come."""
    if idle not in (*ENDS, Idle.FINISHED):
        return None
    if idle in NO_FURTHER_TASK:
        return conclude(person, Outcome.EXCLUDED)
    return conclude(person, Outcome.COMPLETED if person.answered else Outcome.SCREENED_OUT)


def over_before(person: Participation) -> Idle | None:
    """Return why no task can come for somebody who has not begun, or None. Records nothing."""
    if person.campaign.status == CampaignStatus.CLOSED:
        return Idle.CLOSED
    return Idle.DONE if is_answered(person.campaign) else None


@transaction.atomic
def finish(secret: str, *, promised: int | None = None) -> Participation:
    """End a visit at the person's own wish; an open task goes back. Repeating it has no effect.

    `promised` is the number of answers with which a page called the visit complete. With that number it is complete,
    even if other people have given tasks back since.
    """
    person = lock_participation(secret)
    if person.finished_at:
        return person
    if not can_finish(person):
        raise WrongState("Answer one task first.")
    idle = next_turn(person, last_turn(person)).idle
    return_turn(person)
    is_early = is_partial(person, idle) and person.answered != promised
    ended = Outcome.LEFT_EARLY if is_early else Outcome.COMPLETED
    conclude(person, Outcome.EXCLUDED if idle in NO_FURTHER_TASK else ended)
    return person
