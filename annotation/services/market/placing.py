"""Placements: somebody accepts a task on a marketplace, answers it in a frame there, and hands it over.

The answer is stored here before the browser submits anything to the marketplace. Which placements the marketplace
really has is learned later (`services/market/collecting.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from annotation.models import (
    STORED,
    Assignment,
    AssignmentStatus,
    Campaign,
    Participation,
    Placement,
    PlacementState,
    Posting,
    Worker,
)
from annotation.providers import PROVIDERS
from annotation.providers.base import Arrival, Completion, Outcome
from annotation.selectors import annotators
from annotation.selectors.places_left import place_left
from annotation.services import joining
from annotation.services.assigning import Idle, Turn, end_turn, take_task
from annotation.services.excluding import lock_person
from annotation.services.payments import add_money
from annotation.stages import Stage
from kernel.clock import now
from kernel.errors import InvalidInput

ENDED = (PlacementState.RETURNED, PlacementState.ABANDONED)


@dataclass(frozen=True)
class MarketVisit:
    """Who came, for which posting, under which name of the marketplace."""

    arrival: Arrival
    posting: str  # our key
    external_id: str


def open_placement(campaign: Campaign, visit: MarketVisit, *, provider: str) -> Placement:
    """Return the placement of this acceptance, made on its first visit; the same visit always finds the same one.

    Marketplaces use the name of an acceptance again: if somebody else had it before, their turn ends.
    """
    posting = Posting.objects.filter(campaign=campaign, key=visit.posting).first()
    if posting is None:
        raise InvalidInput("This link belongs to no task here. Open the work again from the site it came from.")
    known = {"provider": provider, "external_id": visit.arrival.external_id}
    _end_earlier(visit, known)
    if left := place_left(campaign, provider, visit.arrival.external_id):
        return _placement(left, posting, visit)
    with transaction.atomic():
        worker, _ = Worker.objects.get_or_create(**known, defaults={"is_demo": campaign.is_demo})
        person = joining.join(campaign, worker)
    return _placement(person, posting, visit)


@transaction.atomic
def _placement(person: Participation, posting: Posting, visit: MarketVisit) -> Placement:
    Participation.objects.select_for_update().get(pk=person.pk)  # one at a time, for `nth`
    named = Placement.objects.filter(participation=person, external_id=visit.external_id)
    last = named.order_by("-nth").first()
    if last and last.state not in ENDED:
        if last.arrival != visit.arrival.details:
            last.arrival = visit.arrival.details  # accepted again, or opened in another tab
            last.save(update_fields=["arrival"])
        return last
    return Placement.objects.create(
        posting=posting,
        participation=person,
        external_id=visit.external_id,
        nth=last.nth + 1 if last else 1,
        arrival=visit.arrival.details,
    )


def _end_earlier(visit: MarketVisit, known: dict[str, str]) -> None:
    """End the turn of other people who held this acceptance: the marketplace has given it to somebody else."""
    others = Placement.objects.filter(external_id=visit.external_id).exclude(state__in=ENDED)
    for placement in others.exclude(
        participation__worker__provider=known["provider"], participation__worker__external_id=known["external_id"]
    ):
        end(placement, PlacementState.RETURNED)


@transaction.atomic
def end(placement: Placement, state: PlacementState) -> bool:
    """End a placement that the marketplace no longer knows as this person's. What they answered stays stored."""
    Participation.objects.select_for_update().get(pk=placement.participation_id)
    open_ = Placement.objects.filter(pk=placement.pk, state__in=(PlacementState.OPENED, *STORED))
    if not open_.update(state=state, ended_at=now()):
        return False
    for turn in Assignment.objects.filter(placements=placement, status=AssignmentStatus.TAKEN):
        end_turn(turn, AssignmentStatus.RETURNED, now())
    return True


def take(secret: str, placement: Placement) -> Turn:
    """Return the task of an open placement, or why it cannot be given."""
    if placement.state in ENDED:
        return Turn(None, Idle.FINISHED)
    turn = take_task(secret, placement.posting.task_id)
    if turn.assignment and placement.assignment_id != turn.assignment.pk:
        placement.assignment = turn.assignment
        placement.save(update_fields=["assignment"])
    return turn


@transaction.atomic
def screen_out(placement: Placement) -> bool:
    """Let somebody who failed the quiz hand over what they opened, which is paid; False for all their others."""
    person = lock_person(placement.participation_id)
    if annotators.stage(person) != Stage.SCREENED_OUT:
        return False
    if placement.outcome == Outcome.SCREENED_OUT:
        return True
    if person.placements.filter(outcome=Outcome.SCREENED_OUT).exists():
        return False
    opened = Placement.objects.filter(pk=placement.pk, state=PlacementState.OPENED)
    if not opened.update(state=PlacementState.ANSWERED, outcome=Outcome.SCREENED_OUT, answered_at=now()):
        return False
    add_money(person.pk, earned=person.campaign.reward)
    placement.refresh_from_db()
    return True


def hand_over(placement: Placement) -> Completion:
    """Return the form that submits a stored placement to the marketplace. Serving it again does no harm."""
    stored = Placement.objects.filter(pk=placement.pk, state=PlacementState.ANSWERED)
    stored.update(state=PlacementState.HANDED_OVER)
    campaign = placement.participation.campaign
    arrival = Arrival(placement.participation.worker.external_id, placement.arrival)
    return PROVIDERS[campaign.provider].completion(campaign.provider_settings, Outcome(placement.outcome), arrival)


def is_stored(placement: Placement) -> bool:
    """Say whether the browser can submit this placement to the marketplace."""
    return placement.state in STORED
