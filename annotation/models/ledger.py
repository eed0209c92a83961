"""Every cent that a marketplace is asked to move: what was decided, and what became of the call."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.campaigns import Campaign
from annotation.models.placements import Placement, Posting
from kernel.clock import now


class LedgerKind(models.TextChoices):
    POSTING = "posting"  # the price of all places of a posting, which the marketplace locks
    RELEASE = "release"  # negative: places that expired unused, or rejected work
    REWARD = "reward"  # of one placement; part of its posting's price
    BONUS = "bonus"


class LedgerState(models.TextChoices):
    PLANNED = "planned"
    SENDING = "sending"
    DONE = "done"
    REFUSED = "refused"
    DOUBTFUL = "doubtful"  # nobody knows whether the call was carried out: ask before it is sent again


CANCELLED = "cancelled-"  # the token of a release that takes back a bonus nobody got begins so

OWED = "bonus-owed-"  # the token of a bonus that pays an answer which was earned before begins so


class LedgerEntry(models.Model):
    """A decision to spend, added before the call. It never changes; `state` repeats its last event."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=10, choices=LedgerKind)
    amount_cents = models.BigIntegerField()
    fee_cents = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    reason = models.TextField(blank=True)
    token = models.CharField(max_length=64, unique=True)
    posting = models.ForeignKey(Posting, null=True, on_delete=models.PROTECT, related_name="ledger")
    placement = models.ForeignKey(Placement, null=True, on_delete=models.PROTECT, related_name="ledger")
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=now)
    state = models.CharField(max_length=10, choices=LedgerState, default=LedgerState.PLANNED)

    class Meta:
        indexes = [models.Index(fields=["campaign", "state"], name="ledger_by_state")]

    def __str__(self) -> str:
        return f"{self.kind} {self.token}"

    @property
    def total_cents(self) -> int:
        return self.amount_cents + self.fee_cents

    @property
    def paid_cents(self) -> int:
        """What people and the marketplace really got. A reward is a part of its posting's price: only one may count."""
        is_payment = self.kind in (LedgerKind.REWARD, LedgerKind.BONUS) or self.token.startswith(CANCELLED)
        return self.total_cents if is_payment and self.state == LedgerState.DONE else 0


class LedgerEvent(models.Model):
    """What happened to a ledger entry, and when. Added, never changed."""

    entry = models.ForeignKey(LedgerEntry, on_delete=models.CASCADE, related_name="events")
    state = models.CharField(max_length=10, choices=LedgerState)
    note = models.TextField(blank=True)
    at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.state} {self.entry_id}"


class MarketAccount(models.Model):
    """An account at a marketplace: its balance and all that is spent or locked (`services/market/balances.py`)."""

    name = models.CharField(max_length=128, unique=True)  # provider and access key
    base_cents = models.BigIntegerField()  # what the sum should be
    seen_cents = models.BigIntegerField(default=0)  # what it will be when all other differences then seen are mended
    seen_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
