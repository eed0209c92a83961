"""How a person's visit ends, and what they take back to the panel that sent them. Whoever came otherwise just stops."""

from __future__ import annotations

from django.db import transaction

from annotation import selectors
from annotation.models import CampaignStatus, Participation
from annotation.providers import PROVIDERS
from annotation.providers.base import Arrival, Completion, Outcome
from annotation.services.assigning import Idle, last_turn, lock_participation, next_turn, return_turn
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import WrongState

ENDS = (Idle.DONE, Idle.LIMIT, Idle.CLOSED, Idle.EXCLUDED)


def is_from_panel(person: Participation) -> bool:
    return bool(person.arrival)


def can_finish(person: Participation) -> bool:
    """Tell whether somebody may go back to their panel now: after any answer."""
    return is_from_panel(person) and not person.finished_at and person.answered > 0


def is_partial(person: Participation, idle: Idle | None = None) -> bool:
    """Tell whether the campaign runs and asks for more answers, and there is a task for them (as far as is known)."""
    campaign = person.campaign
    return idle is None and campaign.status == CampaignStatus.RUNNING and person.answered < campaign.per_person


def completion(person: Participation, outcome: Outcome) -> Completion | None:
    """Return what a person takes back; None for those whom nobody sent."""
    if not is_from_panel(person):
        return None
    campaign = person.campaign
    arrival = None if person.withdrawn_at else Arrival(person.worker.external_id, person.arrival)
    return PROVIDERS[campaign.provider].completion(campaign.provider_settings, outcome, arrival)


def conclude(person: Participation, outcome: Outcome) -> Completion | None:
    """Mark, once, how the visit ended; the first mark stands, and what it gave is given again."""
    if not is_from_panel(person):
        return None
    if not person.finished_at:
        Participation.objects.filter(pk=person.pk, finished_at=None).update(finished_at=now(), completion=outcome)
        person.refresh_from_db(fields=["finished_at", "completion"])
    return completion(person, Outcome(person.completion or outcome))


def conclude_idle(person: Participation, idle: Idle) -> Completion | None:
    """End the visit of somebody for whom there is nothing more to do; None when there may be."""
    if idle not in (*ENDS, Idle.FINISHED):
        return None
    if idle == Idle.EXCLUDED:
        return conclude(person, Outcome.FAILED)
    return conclude(person, Outcome.COMPLETED if person.answered else Outcome.SCREENED_OUT)


def over_before(person: Participation) -> Idle | None:
    """Return why there is no task, and none can come back, for somebody who has not begun; nothing is marked."""
    if person.campaign.status == CampaignStatus.CLOSED:
        return Idle.CLOSED
    return Idle.DONE if selectors.is_answered(person.campaign) else None


@transaction.atomic
def finish(secret: str, *, promised: int | None = None) -> Participation:
    """End one's own visit before the tasks do; what is in hand goes back. Repeating it changes nothing.

    `promised`: with so many answers they were told that their visit is complete, so it is, whatever came back since.
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
    conclude(person, Outcome.FAILED if idle == Idle.EXCLUDED else ended)
    return person
