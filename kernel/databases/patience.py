"""How long a request or a job may wait for the database."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

STATEMENT_SECONDS = 15  # PostgreSQL's limit for one statement of a web process
JOB_SECONDS = 600.0  # how long a job or a command waits for other writers before it fails
ROUND_SECONDS = 20.0  # how long a heartbeat or a step of the scheduler waits, which comes again anyway

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


def server_options(options: Mapping[str, Any], name: str, seconds: float) -> str:
    """Return what a connection to PostgreSQL asks for: this limit, then what is set, which may change it."""
    return f"-c {name}={int(seconds * 1000)} {options.get('options') or os.environ.get('PGOPTIONS', '')}".strip()
