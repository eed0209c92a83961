"""Who may decide that a marketplace is paid, and in whose name jobs go on paying.

A campaign keeps the last such decision (`spend_by`, `spend_at`). It covers every answer that was missing then, and what
replaces HITs that lapse and people who withdraw. It does not cover the answers of people who are excluded later:
excluding needs no right to spend, so other people are asked only after the next decision, even if they then withdraw.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from annotation.models import Campaign
from annotation.services.market import marketplaces
from kernel.clock import now
from kernel.errors import NotAllowed
from kernel.models import User
from kernel.services import audit

PERMISSION = "annotation.spend"
MAY_NOT = (
    "This spends money on a marketplace, which you may not do yet. Ask an administrator to open your account in "
    "Administration › Users and to tick “Can publish on marketplaces, pay there and reject work” under “Also”."
)


def costs_money(campaign: Campaign) -> bool:
    """Say whether its answers are paid on a marketplace. A rehearsal costs play money only."""
    return marketplaces.is_marketplace(campaign) and not campaign.is_rehearsal


def may_decide(campaign: Campaign, by: User | None) -> bool:
    """Say whether this person (None means the system) may decide what leads to spending on this campaign."""
    return by is None or by.has_perm(PERMISSION) or not costs_money(campaign)


def check(campaign: Campaign, by: User | None) -> None:
    """Raise NotAllowed if this person may not decide what leads to spending on this campaign."""
    if not may_decide(campaign, by):
        raise NotAllowed(MAY_NOT)


def decision(campaign: Campaign, by: User | None) -> dict[str, Any]:
    """Return the fields that keep a decision to spend; raise NotAllowed if this person may not make it.

    The system decides in the name of the person who decided before. Other campaigns keep nothing.
    """
    check(campaign, by)
    if not marketplaces.is_marketplace(campaign):
        return {}
    return {"spend_at": now(), **({"spend_by": by} if by else {})}


@transaction.atomic
def decide(campaign: Campaign, *, by: User | None) -> None:
    """Let jobs publish all that is missing now."""
    Campaign.objects.filter(pk=campaign.pk).update(**decision(campaign, by))
    audit.record("publish what is missing", campaign, by=by)
