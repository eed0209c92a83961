"""What happened in the rehearsals of a campaign on a marketplace."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from django.db.models import Count

from annotation.models import Annotation, Campaign, Placement, PlacementState
from kernel.models import Job

KIND = "rehearse_campaign"


@dataclass(frozen=True)
class Rehearsal:
    """One rehearsal; while its job runs, what has happened so far."""

    copy: Campaign
    job: Job | None
    tasks: int
    answers: int
    wanted: int
    seconds: float | None  # that a simulated person took for an answer, in the middle
    approved: int
    ended: int  # times that somebody returned or abandoned a HIT
    differences: int

    @property
    def is_running(self) -> bool:
        return self.job is not None and self.job.status in ("queued", "running")

    @property
    def is_good(self) -> bool:
        """True when everything was answered and paid, and both sides say the same."""
        is_over = self.job is not None and self.job.status == "succeeded"
        return is_over and self.answers >= self.wanted and self.approved >= self.answers and not self.differences


def rehearsals(campaign: Campaign, most: int = 3) -> list[Rehearsal]:
    """Return the latest rehearsals, newest first."""
    copies = Campaign.objects.filter(made_from=campaign, provider_settings__rehearsal=True).order_by("-pk")
    return [_rehearsal(copy) for copy in copies[:most]]


def _rehearsal(copy: Campaign) -> Rehearsal:
    states = Placement.objects.filter(posting__campaign=copy).order_by().values_list("state")
    counts = dict(states.annotate(Count("pk")))
    answers = Annotation.objects.filter(assignment__campaign=copy)
    times = [ms / 1000 for ms in answers.values_list("active_ms", flat=True) if ms is not None]
    return Rehearsal(
        copy=copy,
        job=Job.objects.filter(kind=KIND, subject=copy.name).order_by("-pk").first(),
        tasks=copy.tasks_made,
        answers=answers.count(),
        wanted=sum(copy.tasks.filter(is_gold=False).values_list("slots", flat=True)),
        seconds=median(times) if times else None,
        approved=counts.get(PlacementState.APPROVED, 0),
        ended=sum(counts.get(state, 0) for state in (PlacementState.RETURNED, PlacementState.ABANDONED)),
        differences=copy.differences.count(),
    )
