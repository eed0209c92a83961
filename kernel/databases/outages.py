"""Limits on the database in a web process, and its errors in plain words."""

from __future__ import annotations

import sqlite3
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

from kernel.databases import patience
from kernel.databases.sqlite import queue
from kernel.databases.sqlite.base import OUTSIDE, DatabaseBusy, busy_text, is_busy

STUCK_SECONDS = 5.0  # no transaction of ours writes that long

# SQLite's errors that pass, or that an administrator can fix; "no such table" (SQLITE_ERROR) is not among them.
PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}
QUERY_CANCELED = "57014"  # PostgreSQL's code for a statement that took too long
LOCK_NOT_AVAILABLE = "55P03"  # and for one that waited too long for a lock
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}

# The oldest transaction of another session.
OLDEST = """
    SELECT pid, application_name, extract(epoch FROM clock_timestamp() - xact_start) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND xact_start < clock_timestamp() - make_interval(secs => %s)
    ORDER BY xact_start LIMIT 1
"""

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
    """Change a database's settings to those of a web process, which answers with an error rather than waits."""
    database["WEB_THREADS"] = threads
    if database["ENGINE"] == "kernel.databases.postgresql":
        options, limit = database["OPTIONS"], patience.STATEMENT_SECONDS
        options["options"] = patience.server_options(options, "statement_timeout", limit)


def is_outage(error: BaseException) -> bool:
    """Return whether the cause is a database that is unavailable, busy or full, rather than our code."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    code = sqlite_code(error)
    return code is None or code in PASSING


def sqlite_code(error: BaseException) -> int | None:
    """Return SQLite's primary error code; None if the error is not SQLite's."""
    code = getattr(error.__cause__, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def explain(error: DatabaseError | InterfaceError) -> str:
    """Return one sentence for the terminal; "" if our code is the cause and the traceback is needed."""
    if sqlite_code(error) in DAMAGED:
        path = connection.settings_dict["NAME"]
        return f"the database {path} is damaged ({error}): move it and its -wal and -shm files away, restore a backup."
    if is_outage(error):
        return f"the database does not answer: {str(error).strip().splitlines()[0]}"
    return ""


def explain_to_job(error: Exception) -> str:
    """Return the sentence with which this error ends a job."""
    if getattr(error.__cause__, "pgcode", "") == LOCK_NOT_AVAILABLE:
        holder = _session(OLDEST, min(STUCK_SECONDS, patience.JOB_SECONDS)) or "The database is busy."
        return f"{holder} The job gave up after {patience.JOB_SECONDS:g} s. Retry the job."
    if isinstance(error, DatabaseBusy):
        return f"{error} Retry the job."
    if is_outage(error):
        return f"The database failed: {str(error).strip().splitlines()[0]} Retry the job."
    return f"{type(error).__name__}: {error}"


def try_to_write(seconds: float) -> str:
    """Return "ok", or why nothing can be written. Changes no row, but queues like any other writer."""
    at_server = seconds / 2  # it answers before the client gives up
    try:
        with patience.at_most(seconds), transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(int(at_server * 1000))])
            cursor.execute("UPDATE kernel_workerheartbeat SET version = version WHERE name = ''")
    except DatabaseError as error:
        if is_busy(error):
            return f"stuck: {error if isinstance(error, DatabaseBusy) else OUTSIDE}"
        if getattr(error.__cause__, "pgcode", "") in (QUERY_CANCELED, LOCK_NOT_AVAILABLE):
            return f"stuck: {_session(OLDEST, at_server) or 'The database is busy.'}"
        return f"failed: {type(error).__name__}"
    return "ok"


def stuck_writer() -> str:
    """Name the process that has blocked other writers for more than STUCK_SECONDS; "" if there is none."""
    if connection.vendor == "sqlite":
        holder = queue.holder(f"{connection.settings_dict['NAME']}-queue", longer_than=STUCK_SECONDS)
        return busy_text(holder) if holder else ""
    return _session(BLOCKER, STUCK_SECONDS)


def _session(query: str, seconds: float) -> str:
    """Return a sentence about the PostgreSQL session that a query returns; "" if it returns none."""
    with connection.cursor() as cursor:
        cursor.execute(query, [seconds])
        row = cursor.fetchone()
    if row is None:
        return ""
    pid, name, held = row
    return f"The database is busy: {name or 'a session'} (PostgreSQL process {pid}) has been writing for {held:.0f} s."
