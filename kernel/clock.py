"""The one clock. Leases, heartbeats and the ledger read it, so that tests and the demo can set it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_set_to: ContextVar[datetime | None] = ContextVar("set_to", default=None)


def now() -> datetime:
    return _set_to.get() or datetime.now(UTC)


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """Set the clock to `moment` for this thread until the block ends: how the demo gets a past."""
    token = _set_to.set(moment)
    try:
        yield
    finally:
        _set_to.reset(token)
