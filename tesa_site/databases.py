"""What the database's limits are in a web process, and what its errors mean to people."""

from __future__ import annotations

import os
import sqlite3
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError, connection

from tesa_site.patience import STATEMENT_SECONDS
from tesa_site.sqlite import queue
from tesa_site.sqlite.base import busy_text

STUCK_SECONDS = 5.0  # nothing here writes for so long at a time

# SQLite's errors that pass, or that an administrator can mend; "no such table" (SQLITE_ERROR) is none of them.
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

# The oldest transaction that has kept another one waiting for a lock for this many seconds.
BLOCKER = """
    SELECT blocker.pid, blocker.application_name, extract(epoch FROM now() - blocker.xact_start)
    FROM pg_stat_activity AS waiting
    CROSS JOIN LATERAL unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid)
    JOIN pg_stat_activity AS blocker ON blocker.pid = blocking.pid
    WHERE waiting.datname = current_database() AND waiting.wait_event_type = 'Lock'
        AND waiting.query_start < clock_timestamp() - make_interval(secs => %s)
    ORDER BY blocker.xact_start LIMIT 1
"""


def limit_for_web(database: dict[str, Any], threads: int) -> None:
    """Change the settings of a database to those of a web process, which answers rather than waits."""
    database["WEB_THREADS"] = threads
    if database["ENGINE"] == "tesa_site.postgresql":
        given = database["OPTIONS"].get("options") or os.environ.get("PGOPTIONS", "")
        limit = f"-c statement_timeout={STATEMENT_SECONDS * 1000}"
        database["OPTIONS"]["options"] = f"{limit} {given}".strip()


def is_outage(error: BaseException) -> bool:
    """Tell whether the database is away, busy or full, and not the code at fault."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    code = sqlite_code(error)
    return code is None or code in PASSING


def sqlite_code(error: BaseException) -> int | None:
    """Return SQLite's primary error code; None where the error is not SQLite's."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def explain(error: DatabaseError | InterfaceError) -> str:
    """Return one sentence for the terminal; "" where the code is at fault and the traceback is needed."""
    if sqlite_code(error) in DAMAGED:
        path = connection.settings_dict["NAME"]
        return f"the database {path} is damaged ({error}): move it and its -wal and -shm files away, restore a backup."
    if is_outage(error):
        return f"the database does not answer: {str(error).strip().splitlines()[0]}"
    return ""


def stuck_writer(seconds: float = STUCK_SECONDS) -> str:
    """Return a sentence that names the process that has kept others from writing for so long; "" if there is none."""
    if connection.vendor == "sqlite":
        found = queue.holder(f"{connection.settings_dict['NAME']}-queue", longer_than=seconds)
        return busy_text(found) if found else ""
    with connection.cursor() as cursor:
        cursor.execute(BLOCKER, [seconds])
        row = cursor.fetchone()
    if row is None:
        return ""
    pid, name, held = row
    return f"The database is busy: {name or 'a session'} (PostgreSQL process {pid}) has been writing for {held:.0f} s."
