"""What the campaigns' commands share: finding a campaign by name, and running a job on it here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.models import Campaign
from annotation.services import campaigns
from kernel.management.running import row_named, run_job


def campaign_named(name: str) -> Campaign:
    return row_named(Campaign.objects.select_related("sample"), name, "campaign")


def run_on(campaign: Campaign, kind: str, parameters: Mapping[str, Any] | None = None) -> str:
    """Run a job on a campaign in this process; return its result, or stop with its error."""
    parameters = {"campaign": campaign.pk, **(parameters or {})}
    return run_job(kind, str(campaign), parameters, lock=campaigns.lock_of(campaign))
