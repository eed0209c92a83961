"""What the marketplace tab of a campaign shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from annotation.models import (
    STORED,
    Campaign,
    Difference,
    LedgerEntry,
    Placement,
    PlacementState,
    Posting,
    PostingState,
)
from annotation.task_types import type_of

LEDGER = (
    "entry", "created_at", "kind", "state", "amount_cents", "fee_cents", "paid_cents", "currency", "reason", "token",
    "posting", "assignment", "participant", "decided_by",
)  # fmt: skip
SHOWN = 100


@dataclass(frozen=True)
class PlacementRow:
    placement: Placement
    answer: str
    seconds: int | None
    is_gold_hit: bool | None
    partial_score: float | None
    verdict: str
    concerns: tuple[str, ...]


def counts(campaign: Campaign) -> dict[str, int]:
    """Return the number of postings and placements in each state that the page names."""
    postings = dict(campaign.postings.order_by().values_list("state").annotate(Count("pk")))
    placed = Placement.objects.filter(posting__campaign=campaign).order_by()
    placements = dict(placed.values_list("state").annotate(Count("pk")))
    return {
        "open": postings.get(PostingState.OPEN, 0),
        "planned": postings.get(PostingState.PLANNED, 0),
        "at_work": placements.get(PlacementState.OPENED, 0),
        "uncollected": sum(placements.get(state, 0) for state in STORED),
        "submitted": placements.get(PlacementState.SUBMITTED, 0),
        "approved": placements.get(PlacementState.APPROVED, 0),
        "rejected": placements.get(PlacementState.REJECTED, 0),
    }


def open_everywhere() -> tuple[int, int]:
    """Return how many postings are open on marketplaces, and of how many campaigns."""
    rows = Posting.objects.filter(state=PostingState.OPEN)
    return rows.count(), rows.values("campaign").distinct().count()


def to_decide(campaign: Campaign) -> QuerySet[Placement]:
    """Return what is submitted or rejected, oldest deadline first."""
    rows = Placement.objects.filter(posting__campaign=campaign, state__in=("submitted", "rejected"))
    related = ("participation", "posting__task", "assignment__annotation", "rejection__asked_by")
    return rows.select_related(*related).order_by("approve_by", "pk")


def waiting_for_pay(campaign: Campaign) -> int:
    """Return how many finished placements are neither paid nor rejected."""
    states = (*STORED, PlacementState.SUBMITTED)
    return Placement.objects.filter(posting__campaign=campaign, state__in=states).count()


def placement_rows(campaign: Campaign) -> list[PlacementRow]:
    """Return submitted placements with the answer and what is known about it."""
    type_, rows = type_of(campaign), []
    for placement in to_decide(campaign).prefetch_related("participation__verdicts")[:SHOWN]:
        annotation = getattr(placement.assignment, "annotation", None)
        rows.append(
            PlacementRow(
                placement=placement,
                answer=type_.summary(placement.posting.task.question, annotation.answer) if annotation else "",
                seconds=annotation.worked_s if annotation else None,
                is_gold_hit=annotation.is_gold_hit if annotation else None,
                partial_score=annotation.partial_score if annotation else None,
                verdict=annotation.verdict if annotation else "",
                concerns=tuple(verdict.evidence for verdict in placement.participation.verdicts.all()),
            )
        )
    return rows


def differences(campaign: Campaign) -> QuerySet[Difference]:
    return campaign.differences.select_related("placement__participation").order_by("kind", "pk")


def ledger_cells(campaign: Campaign) -> Iterator[list[object]]:
    """Yield every entry of the ledger as a line of a file."""
    rows = LedgerEntry.objects.filter(campaign=campaign).order_by("pk")
    for entry in rows.select_related("posting", "placement__participation", "decided_by").iterator():
        yield [
            entry.pk,
            entry.created_at.isoformat(),
            entry.kind,
            entry.state,
            entry.amount_cents,
            entry.fee_cents,
            entry.paid_cents,
            entry.currency,
            entry.reason,
            entry.token,
            entry.posting.external_id if entry.posting else "",
            entry.placement.external_id if entry.placement else "",
            entry.placement.participation.name if entry.placement else "",
            entry.decided_by.username if entry.decided_by else "",
        ]
