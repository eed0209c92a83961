"""Django's PostgreSQL backend, with a client that does not wait for ever.

A frozen server still acknowledges packets, so neither its own statement time-out nor TCP's ends the wait. A web process
(`WEB_THREADS` in its settings) therefore counts the seconds itself. After one time-out it sends nothing for a few
seconds: its other threads answer at once instead of waiting one after the other.
"""

from __future__ import annotations

import select
import time
from typing import Any

from django.db.backends.postgresql import base
from psycopg2 import OperationalError, extensions

from kernel.databases import patience
from kernel.databases.process_names import process_name

GRACE_SECONDS = 2  # the server answers first, if it answers at all
REST_SECONDS = 5  # after a time-out

_rests_until = 0.0


class DatabaseWrapper(base.DatabaseWrapper):
    @property
    def is_web(self) -> bool:
        return bool(self.settings_dict.get("WEB_THREADS"))

    def get_connection_params(self) -> dict[str, Any]:
        return {"application_name": f"TESA: {process_name()}", **super().get_connection_params()}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if not self.is_web:
            return super().get_new_connection(conn_params)
        if is_resting():
            raise OperationalError("The database did not answer a moment ago.")
        extensions.set_wait_callback(wait)  # libpq leaves counting connect_timeout to a callback as well
        with patience.at_most(least(float(conn_params["connect_timeout"]))):
            return super().get_new_connection(conn_params)

    def is_usable(self) -> bool:
        """Check the connection before a request's first query; a frozen server delays it no longer than connecting."""
        if not self.is_web:
            return super().is_usable()
        if is_resting():
            return False
        with patience.at_most(least(float(self.settings_dict["OPTIONS"]["connect_timeout"]))):
            return super().is_usable()


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
    deadline = time.monotonic() + (patience.STATEMENT_SECONDS + GRACE_SECONDS if limit is None else limit)
    poller = select.poll()
    while (state := connection.poll()) != extensions.POLL_OK:
        event = select.POLLIN if state == extensions.POLL_READ else select.POLLOUT
        left = deadline - time.monotonic()
        poller.register(connection.fileno(), event)
        if left <= 0 or not poller.poll(left * 1000):
            _rests_until = time.monotonic() + REST_SECONDS
            raise OperationalError("The database does not answer.")
