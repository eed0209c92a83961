"""Django's SQLite backend, with a queue for writers.

SQLite waits by sleeping for up to a tenth of a second and trying again: with eight writers the lock is idle most of
the time, and an unlucky writer waits for seconds. Here a transaction first waits in a queue (`queue.py`).

A web process (`WEB_THREADS` in its settings) waits for `timeout` seconds in total, then raises `DatabaseBusy`. Any
other process waits for `patience.JOB_SECONDS`: a job must not fail because another one is slow, nor wait for ever.

`QuerySet.iterator()` reads on a connection of its own. On the same connection, SQLite would keep the snapshot that is
being read, and refuse each write in it as soon as another process has committed.
"""

from __future__ import annotations

import logging
import math
import sqlite3
import time
from collections.abc import Callable
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from kernel.databases import patience
from kernel.databases.sqlite import queue

logger = logging.getLogger(__name__)
DEFAULT_SECONDS = 5.0  # sqlite3's own default
PAUSE_SECONDS = 0.1  # between two tries; SQLite refuses some statements without waiting
SHORT_WAIT = 1.0  # after a shorter wait in the queue SQLite gets its usual time as well
FLOOR_MS = 100
LARGE = 2**63
OUTSIDE = "The database is busy: another program, such as an sqlite3 shell, is writing to it."


class DatabaseBusy(OperationalError):
    """It did not become this process's turn to write in time."""


class ReadingCursor(base.SQLiteCursorWrapper):
    """A cursor that has a connection of its own."""

    def close(self) -> None:
        super().close()
        self.connection.close()


class DatabaseWrapper(base.DatabaseWrapper):
    """Queues before each transaction; a single statement outside one still waits as SQLite does."""

    _place: queue.QueuePlace | None = None
    _is_hurried = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute_wrappers += [self._patiently, find_nothing]

    @property
    def queue_path(self) -> str:
        return f"{self.settings_dict['NAME']}-queue"

    @property
    def usual_seconds(self) -> float:
        return float(self.settings_dict["OPTIONS"].get("timeout", DEFAULT_SECONDS))

    @property
    def web_threads(self) -> int:
        """Return how many threads answer requests in this process; 0 if it is not a web server."""
        return int(self.settings_dict.get("WEB_THREADS", 0))

    @property
    def is_patient(self) -> bool:
        """Return whether to keep waiting for JOB_SECONDS after the time-out."""
        return not self.web_threads and patience.limit() is None

    def chunked_cursor(self) -> Any:
        """Return a cursor for reading in pieces, between which this connection may write."""
        if self.in_atomic_block or not self.get_autocommit() or self.is_in_memory_db():
            return super().chunked_cursor()
        own = self.get_new_connection(self.get_connection_params())
        return self._prepare_cursor(own.cursor(factory=ReadingCursor))  # type: ignore[attr-defined]

    def _start_transaction_under_autocommit(self) -> None:
        self._enter()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
            if self._place:
                self._place.record("writing")
        except BaseException:
            self._leave()
            raise

    def _commit(self) -> Any:
        try:
            return super()._commit()  # type: ignore[misc]
        finally:
            self._leave()

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self._leave()

    def _enter(self) -> None:
        if self._place is not None or self.is_in_memory_db():
            return
        started, limit = time.monotonic(), patience.limit()
        seconds = self.usual_seconds if limit is None else limit
        self._place = self._turn(seconds)
        self._place.record("waiting")
        waited = time.monotonic() - started
        if limit is not None or (self.web_threads and waited > SHORT_WAIT):
            self._set_busy_timeout(seconds - waited)
            self._is_hurried = True

    def _turn(self, seconds: float) -> queue.QueuePlace:
        """Return a place in the queue once it is its turn; raise DatabaseBusy if that takes too long."""
        try:
            return queue.enter_within(self.queue_path, seconds, threads=self.web_threads)
        except TimeoutError:
            if not self.is_patient:
                raise DatabaseBusy(busy_text(queue.holder(self.queue_path))) from None
        return self._turn_of_a_job()

    def _turn_of_a_job(self) -> queue.QueuePlace:
        logger.warning("still waiting to write: %s", busy_text(queue.holder(self.queue_path)))
        try:
            return queue.enter_within(self.queue_path, patience.JOB_SECONDS)
        except TimeoutError:
            raise DatabaseBusy(self._last_words()) from None

    def _last_words(self) -> str:
        return f"{busy_text(queue.holder(self.queue_path))} This process gave up after {patience.JOB_SECONDS:g} s."

    def _leave(self) -> None:
        if self._place is not None:
            place, self._place = self._place, None
            place.leave()
        if self._is_hurried:
            self._is_hurried = False
            if self.connection is not None:
                self._set_busy_timeout(self.usual_seconds)

    def _set_busy_timeout(self, seconds: float) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {max(FLOOR_MS, int(seconds * 1000))}")

    def _patiently(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """Retry statements that SQLite refused because another process was writing, except in a web process."""
        deadline = time.monotonic() + patience.JOB_SECONDS
        has_logged = False
        while True:
            try:
                return execute(sql, params, many, context)
            except OperationalError as error:
                is_started = self.in_atomic_block  # what this transaction has read is stale now: do not repeat it here
                if not self.is_patient or is_started or not will_pass(error) or self.is_in_memory_db():
                    raise
                if time.monotonic() > deadline:
                    raise DatabaseBusy(self._last_words()) from error
            if not has_logged:
                logger.warning("still waiting to write: %s", busy_text(queue.holder(self.queue_path)))
                has_logged = True
            time.sleep(PAUSE_SECONDS)


def find_nothing(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Make a comparison with a number over 64 bits match nothing, as on PostgreSQL, rather than raise."""
    try:
        return execute(sql, params, many, context)
    except OverflowError:
        if not sql.startswith("SELECT"):
            raise
        return execute(sql, [without_end(value) if is_large(value) else value for value in params], many, context)


def is_large(value: object) -> bool:
    return isinstance(value, int) and not -LARGE <= value < LARGE


def without_end(value: int) -> float:
    """Return the infinity of its sign, which equals no column and is above (or below) all; float() fails at 10**309."""
    return math.inf if value > 0 else -math.inf


def is_busy(error: BaseException) -> bool:
    """Return whether SQLite gave up because another process was writing."""
    code = getattr(error.__cause__, "sqlite_errorcode", 0)
    return isinstance(error, DatabaseBusy) or code & 0xFF == sqlite3.SQLITE_BUSY


def will_pass(error: BaseException) -> bool:
    """Return whether a statement that was refused can succeed later, while this connection keeps what it has open."""
    return is_busy(error) and getattr(error.__cause__, "sqlite_errorcode", 0) != sqlite3.SQLITE_BUSY_SNAPSHOT


def busy_text(holder: queue.Holder | None) -> str:
    """Return a sentence that names the process for which the others wait."""
    if holder is None:
        return "The database is busy: many processes are writing."
    if holder.is_writing:
        text = f"{holder.name} (process {holder.pid}) has been writing for {holder.seconds:.0f} s."
        return f"The database is busy: {text}"
    return OUTSIDE
