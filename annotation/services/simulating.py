"""The two ends of a rehearsal: places for a simulated crowd, and what was stored of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.models import Annotation, AssignmentStatus, Campaign, CampaignStatus, Participation, Worker
from annotation.selectors.progress import people_in
from annotation.services import joining
from annotation.simulation.comparing import Stored
from kernel.errors import WrongState

PROVIDER = "simulation"
GOLD_SLOTS = 1_000_000  # gold is asked of everybody


def places(campaign: Campaign, *, people: int, seed: int) -> list[Participation]:
    """Return a place for each simulated person, the same ones for the same seed. Real people keep their campaigns."""
    if campaign.status != CampaignStatus.RUNNING:
        raise WrongState(f"The campaign is {campaign.get_status_display().lower()}: open it first.")
    if people_in(campaign).exists():
        raise WrongState(
            "Real people work in this campaign, so it takes no simulated answers. Duplicate it, and simulate there."
        )
    return [_place(campaign, f"seed {seed}, person {number}") for number in range(people)]


def _place(campaign: Campaign, name: str) -> Participation:
    known = {"provider": PROVIDER, "external_id": name}
    worker, _ = Worker.objects.get_or_create(**known, defaults={"is_demo": campaign.is_demo})
    return joining.join(campaign, worker)


def stored_of(people: Sequence[Participation]) -> Iterator[Stored]:
    """Yield what is stored of these people's answers."""
    rows = Annotation.objects.filter(assignment__participation__in=[person.pk for person in people])
    for row in rows.select_related("assignment__task").iterator():
        turn = row.assignment
        yield Stored(
            assignment=turn.pk,
            task=turn.task_id,
            person=turn.participation_id,
            question=turn.task.question,
            answer=row.answer,
            is_late=turn.status == AssignmentStatus.LATE,
            slots=GOLD_SLOTS if turn.task.is_gold else turn.task.slots,
        )
