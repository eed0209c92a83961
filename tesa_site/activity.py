"""What people did lately, for the home page: recorded decisions, and who joined a campaign."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from annotation.models import Participation, simulated
from kernel.models import AuditEntry

MOST = 6
SAID = {
    "create corpus": "imported articles into",
    "delete corpus": "deleted the corpus",
    "draw sample": "drew the sample",
    "import instances": "imported the sample",
    "delete sample": "deleted the sample",
    "create campaign": "created the campaign",
    "start campaign": "opened",
    "pause campaign": "paused",
    "resume campaign": "resumed",
    "close campaign": "closed",
    "extend campaign": "asked for more answers in",
    "bulk accept": "accepted unanimous answers of",
    "delete campaign": "deleted the campaign",
    "freeze release": "created the release",
    "delete release": "deleted the release",
    "create experiment": "started",
}


@dataclass(frozen=True)
class Deed:
    at: datetime
    who: str
    what: str
    subject: str


def latest() -> list[Deed]:
    """Return what happened last, newest first."""
    entries = AuditEntry.objects.filter(action__in=SAID).order_by("-id")[:MOST]
    joins = Participation.objects.exclude(simulated("worker")).select_related("campaign").order_by("-id")
    joins = joins.exclude(consented_at=None).only("number", "joined_at", "campaign__name")
    deeds = [Deed(row.at, row.actor_name or "System", SAID[row.action], row.subject_name) for row in entries]
    deeds += [Deed(row.joined_at, row.name, "joined", row.campaign.name) for row in joins[:MOST]]
    return sorted(deeds, key=lambda deed: deed.at, reverse=True)[:MOST]
