"""Approving submitted work by hand: somebody who may spend decides it, and a job pays."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from annotation.models import Campaign, Placement, PlacementState
from annotation.services.market import spending
from kernel.errors import InvalidInput
from kernel.models import User
from kernel.services import audit


@transaction.atomic(durable=True)
def approve(campaign: Campaign, placement_ids: Collection[int], *, by: User) -> int:
    """Let jobs pay these submitted placements; return how many they are. The last person to decide it is named."""
    spending.check(campaign, by)
    submitted = Placement.objects.filter(posting__campaign=campaign, state=PlacementState.SUBMITTED, rejection=None)
    rows = submitted.filter(pk__in=placement_ids).select_related("participation").order_by("pk")
    placements = list(rows.select_for_update(of=("self",)))
    if not placements:
        raise InvalidInput("tick at least one answer", field="placement")
    for placement in placements:
        if placement.approved_by_id != by.pk:
            audit.record("approve submitted work", placement.participation, by=by, after={"placement": placement.pk})
    Placement.objects.filter(pk__in=[placement.pk for placement in placements]).update(approved_by=by)
    return len(placements)
