"""Django's PostgreSQL backend, with a client that does not wait for ever.

A frozen server still acknowledges packets, so neither its own statement time-out nor TCP's ends the wait. A web process
(`WEB_THREADS` in its settings) therefore counts the seconds itself. After one time-out it sends nothing for a few
seconds: its other threads answer at once instead of waiting one after the other.

A statement of a job may take as long as it needs. When it takes long, the client asks the server for a sign of life
over another connection, and gives up if there is none. A lock is waited for `patience.JOB_SECONDS`, as on SQLite.
Inside `patience.at_most` (heartbeats, the scheduler) neither a lock nor the server is waited for longer than that.
"""

from __future__ import annotations

import select
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import psycopg2
from django.db.backends.postgresql import base
from psycopg2 import OperationalError, extensions

from kernel.databases import patience
from kernel.databases.process_names import process_name

GRACE_SECONDS = 2  # the server answers first, if it answers at all
REST_SECONDS = 5  # after a time-out
LOOK_SECONDS = 30.0  # how long a job waits for an answer before it looks whether the server lives

_rests_until = 0.0


class NoAnswer(OperationalError):  # type: ignore[misc]  # psycopg2 has no types here
    """The server has taken a connection or a statement, and does not answer."""


class DatabaseWrapper(base.DatabaseWrapper):
    @property
    def is_web(self) -> bool:
        return bool(self.settings_dict.get("WEB_THREADS"))

    @property
    def connect_seconds(self) -> float:
        return least(float(self.settings_dict["OPTIONS"]["connect_timeout"]))

    def get_connection_params(self) -> dict[str, Any]:
        params = {"application_name": f"TESA: {process_name()}", **super().get_connection_params()}
        if not self.is_web:  # a web process has a limit for each statement
            params["options"] = patience.server_options(params, "lock_timeout", lock_seconds())
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if self.is_web and is_resting():
            raise OperationalError("The database did not answer a moment ago.")
        extensions.set_wait_callback(wait if self.is_web else partial(wait_while_alive, conn_params))
        with patience.at_most(self.connect_seconds):  # libpq leaves counting connect_timeout to a callback as well
            return super().get_new_connection(conn_params)

    def is_usable(self) -> bool:
        """Check the connection before a request's first query; a frozen server delays it no longer than connecting."""
        if self.is_web and is_resting():
            return False
        with patience.at_most(self.connect_seconds):
            return super().is_usable()


def lock_seconds() -> float:
    """Return how long the server lets a new connection wait for a lock: it answers before the client gives up."""
    limit = patience.limit()
    return patience.JOB_SECONDS if limit is None else max(limit - GRACE_SECONDS, limit / 2)


def least(seconds: float) -> float:
    limit = patience.limit()
    return seconds if limit is None else min(limit, seconds)


def is_resting() -> bool:
    """Tell whether the server kept somebody waiting in vain a moment ago."""
    return time.monotonic() < _rests_until


def wait(connection: Any) -> None:
    """Wait for the server's answer; psycopg2 calls this and closes the connection when it raises."""
    global _rests_until
    limit = patience.limit()
    if not has_answered(connection, patience.STATEMENT_SECONDS + GRACE_SECONDS if limit is None else limit):
        _rests_until = time.monotonic() + REST_SECONDS
        raise NoAnswer("The database does not answer.")


def wait_while_alive(parameters: Mapping[str, Any], connection: Any) -> None:
    """Do the same in a process that answers no requests: without a limit, as long as the server lives."""
    limit = patience.limit()
    while not has_answered(connection, LOOK_SECONDS if limit is None else limit):
        if limit is not None or not is_alive(parameters):
            raise NoAnswer("The database does not answer.")


def has_answered(connection: Any, seconds: float) -> bool:
    """Wait for the server's answer for this long; return whether it has come."""
    deadline = time.monotonic() + seconds
    poller = select.poll()
    while (state := connection.poll()) != extensions.POLL_OK:
        event = select.POLLIN if state == extensions.POLL_READ else select.POLLOUT
        left = deadline - time.monotonic()
        poller.register(connection.fileno(), event)
        if left <= 0 or not poller.poll(left * 1000):
            return False
    return True


def is_alive(parameters: Mapping[str, Any]) -> bool:
    """Return whether the server answers another connection, if only to refuse it."""
    try:
        with patience.at_most(LOOK_SECONDS):
            psycopg2.connect(**parameters).close()
    except NoAnswer:
        return False
    except OperationalError:
        return True
    return True
