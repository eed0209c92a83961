"""A consistent view of the database while other processes keep writing."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from kernel.errors import WrongState
from kernel.progress import Progress
from kernel.services.backup.leftovers import lock, remove_leftovers

ALIAS = "backup_snapshot"
PREFIX = "backup-"
PAGES = 2000  # 8 MB between two reports


@contextmanager
def work_folder() -> Iterator[Path]:
    """Yield a private folder under var/tmp that is deleted afterwards, by the next backup at the latest."""
    parent = settings.VAR / "tmp"
    parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(parent, PREFIX)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as folder:
        handle = os.open(folder, os.O_RDONLY)
        try:
            lock(handle)
            yield Path(folder)
        finally:
            os.close(handle)


@contextmanager
def snapshot(folder: Path, progress: Progress) -> Iterator[str]:
    """Yield the alias of a connection, for this thread, that sees the database as of one moment."""
    if connection.in_atomic_block:
        raise RuntimeError("A backup cannot be taken inside a transaction.")  # SQLite's copy would wait for its end
    frozen = connection.copy(ALIAS)
    if connection.vendor == "sqlite":
        copy = folder / "copy.sqlite3"
        _copy_sqlite(copy, progress)
        frozen.settings_dict["NAME"] = copy
    connections[ALIAS] = frozen
    try:
        with transaction.atomic(using=ALIAS):
            if frozen.vendor == "postgresql":
                frozen.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield ALIAS
    except BaseException as error:
        # A cursor that the traceback keeps alive would complain much later that its connection is closed.
        traceback.clear_frames(error.__traceback__)
        raise
    finally:
        frozen.close()
        del connections[ALIAS]


def _copy_sqlite(target: Path, progress: Progress) -> None:
    """Copy the live database page by page. In WAL mode, a reader never makes a writer wait."""

    def report(status: int, remaining: int, total: int) -> None:
        progress.report(total - remaining, total, "Copying the database")

    parameters = connection.get_connection_params()
    with closing(sqlite3.connect(**parameters)) as live, closing(sqlite3.connect(target)) as copy:
        # One read transaction over all steps; otherwise SQLite starts again after each write.
        live.execute("BEGIN")
        live.execute("SELECT 1 FROM sqlite_master").fetchone()
        live.backup(copy, pages=PAGES, progress=report)


def migrations_here(database: BaseDatabaseWrapper) -> list[str]:
    """Return the migrations of this code; raise unless the database has all of them."""
    loader = MigrationLoader(database)
    if missing := sorted(set(loader.graph.nodes) - set(loader.applied_migrations)):
        raise WrongState(f"The database lacks {len(missing)} migrations: run manage.py prepare first.")
    return sorted(f"{app}.{name}" for app, name in loader.graph.nodes)
