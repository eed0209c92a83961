"""Django's SQLite, with writers that queue up.

SQLite's own way of waiting is to sleep for up to a tenth of a second and look again: with eight writers the lock lies
idle most of the time, and who is unlucky waits for seconds. Here a writer first waits in a file lock beside the
database, which the kernel hands on the moment it is released, and to whoever has waited longest.
"""

from __future__ import annotations

import fcntl
import os
from typing import Any

from django.db.backends.sqlite3 import base


class DatabaseWrapper(base.DatabaseWrapper):
    """One more step around a transaction; a single statement outside one still waits as SQLite does."""

    _turnstile: int | None = None

    def _start_transaction_under_autocommit(self) -> None:
        self._enter()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
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
        if self._turnstile is None and not self.is_in_memory_db():
            turnstile = os.open(f"{self.settings_dict['NAME']}-queue", os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(turnstile, fcntl.LOCK_EX)
            self._turnstile = turnstile

    def _leave(self) -> None:
        if self._turnstile is not None:
            turnstile, self._turnstile = self._turnstile, None
            os.close(turnstile)  # lets go of the lock
