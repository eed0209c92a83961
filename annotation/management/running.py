"""What the campaigns' commands share: finding a campaign by name, and running a job on it here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from annotation.models import Campaign
from annotation.services import campaigns
from tesa_site.kernel.management.running import run_job


def campaign_named(name: str) -> Campaign:
    campaign = Campaign.objects.select_related("sample").filter(name=name).first()
    if campaign is None:
        known = ", ".join(Campaign.objects.values_list("name", flat=True)[:20]) or "none"
        raise CommandError(f"there is no campaign {name!r}; known: {known}")
    return campaign


def run_on(campaign: Campaign, kind: str, parameters: Mapping[str, Any] | None = None) -> str:
    """Run a job on a campaign in this process; return its result, or stop with its error."""
    parameters = {"campaign": campaign.pk, **(parameters or {})}
    return run_job(kind, str(campaign), parameters, lock=campaigns.lock_of(campaign))
