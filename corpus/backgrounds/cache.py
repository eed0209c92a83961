"""A cache of answers on disk, so that an encyclopedia is asked each question only once."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

logger = logging.getLogger(__name__)

MONTH_S = 30 * 24 * 3600.0
_BUSY_S = 5.0


class SqliteCache:
    """Texts by key, in a SQLite file that several processes may share. Entries older than `max_age_s` are ignored.

    A cache that fails loses entries but never raises an error.
    """

    def __init__(self, path: Path, max_age_s: float = MONTH_S, clock: Callable[[], float] = time.time) -> None:
        self._path, self._max_age_s, self._clock = path, max_age_s, clock

    def get(self, key: str) -> str | None:
        oldest = self._clock() - self._max_age_s
        try:
            with closing(self._connect()) as database:
                row = database.execute("SELECT value FROM answer WHERE key = ? AND kept >= ?", (key, oldest)).fetchone()
        except (sqlite3.Error, OSError) as error:
            logger.warning("cache=%s unread error=%s", self._path, error)
            return None
        return str(row[0]) if row else None

    def put(self, key: str, value: str) -> None:
        try:
            with closing(self._connect()) as database, database:
                database.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", (key, value, self._clock()))
        except (sqlite3.Error, OSError, ValueError) as error:  # a lone surrogate is a ValueError
            logger.warning("cache=%s unwritten error=%s", self._path, error)

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._path, timeout=_BUSY_S)  # one per call: safe after a fork, in any thread
        database.execute("CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, value TEXT NOT NULL, kept REAL)")
        return database
