"""The one clock. Leases, heartbeats and the ledger read it here, so that a test can set it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
