"""Compares what we and a marketplace know. Everything found has evidence and one thing to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count

from annotation.models import Campaign, CampaignStatus, Difference, Placement, PlacementState, Posting, PostingState
from annotation.providers.base import Submission
from annotation.services import marketplaces, placing
from tesa_site.kernel.clock import now

HAND_OVER = timedelta(minutes=10)  # from serving the hand-over until it counts as lost
NO_POSTING = "order without a HIT"
NO_ORDER = "HIT without an order"
NOT_SUBMITTED = "stored here, not submitted there"
NOT_STORED = "submitted there, not stored here"
TWO_PEOPLE = "two people on one place"
ALIVE = "open although the campaign is not"


def reconcile(campaign: Campaign, client: Any, unknown: Iterable[Submission]) -> int:
    """Compare both sides and replace the campaign's differences; returns how many there are."""
    there = {
        posting_id: (key, is_open) for posting_id, key, is_open in marketplaces.provider_of(campaign).postings(client)
    }
    found = [*_postings(campaign, there), *_placements(campaign), *_unknown(campaign, unknown)]
    with transaction.atomic():
        Difference.objects.filter(campaign=campaign).delete()
        Difference.objects.bulk_create(found)
    return len(found)


def _postings(campaign: Campaign, there: dict[str, tuple[str, bool]]) -> Iterator[Difference]:
    ours = campaign.postings.exclude(external_id="")
    for posting in ours.exclude(external_id__in=there):
        yield Difference(
            campaign=campaign, kind=NO_POSTING, evidence=f"{posting.external_id} is not on the marketplace.",
            posting_id_there=posting.external_id,
        )  # fmt: skip
    known = set(Posting.objects.exclude(external_id="").values_list("external_id", flat=True))
    planned = set(Posting.objects.filter(state=PostingState.PLANNED).values_list("key", flat=True))
    mine = set(ours.values_list("external_id", flat=True))
    for posting_id, (key, is_open) in there.items():
        if posting_id not in known and key not in planned and is_open:
            why = f"{posting_id} is open on the marketplace and belongs to no task here."
            yield Difference(campaign=campaign, kind=NO_ORDER, evidence=why, posting_id_there=posting_id)
        if posting_id in mine and is_open and campaign.status != CampaignStatus.RUNNING:
            why = f"{posting_id} still lets people in."
            yield Difference(campaign=campaign, kind=ALIVE, evidence=why, posting_id_there=posting_id)


def _placements(campaign: Campaign) -> Iterator[Difference]:
    rows = Placement.objects.filter(posting__campaign=campaign).select_related("participation")
    waiting = rows.filter(state__in=placing.STORED, answered_at__lt=now() - HAND_OVER)
    lost = rows.filter(state=PlacementState.RETURNED).exclude(answered_at=None)
    for placement in [*waiting, *lost]:
        why = f"{placement.participation.name} answered, but {placement.external_id} was not submitted."
        yield Difference(campaign=campaign, kind=NOT_SUBMITTED, evidence=why, placement=placement)
    answered = (
        rows.exclude(answered_at=None)
        .order_by()
        .values("external_id")
        .annotate(n=Count("participation", distinct=True))
    )
    for name in answered.filter(n__gt=1).values_list("external_id", flat=True):
        why = f"Several people answered under {name}; the marketplace pays one."
        yield Difference(campaign=campaign, kind=TWO_PEOPLE, evidence=why)


def _unknown(campaign: Campaign, unknown: Iterable[Submission]) -> Iterator[Difference]:
    for one in unknown:
        yield Difference(campaign=campaign, kind=NOT_STORED, evidence=f"{one.id} was submitted without an answer here.")
