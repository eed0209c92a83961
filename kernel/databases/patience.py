"""How long a request or a job may wait for the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

STATEMENT_SECONDS = 15  # PostgreSQL's limit for one statement of a web process
JOB_SECONDS = 600.0  # how long a job or a command waits for SQLite's writers before it fails

_limit: ContextVar[float | None] = ContextVar("limit", default=None)


def limit() -> float | None:
    """Return the seconds set by `at_most`, or None."""
    return _limit.get()


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Make each wait for the database inside the block fail after this many seconds."""
    token = _limit.set(seconds)
    try:
        yield
    finally:
        _limit.reset(token)
