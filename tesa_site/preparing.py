"""Prepare an installation after installing or upgrading. Safe to repeat."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from kernel.services import people
from marketplace.services import accounts
from tesa_site import processes

OWN_APPS = {"kernel", "corpus", "annotation", "marketplace", "modeling"}
# Until then the first migrations were rewritten now and then, and nothing turns what they made into what they make now.
FROZEN = "16 November 2026"


def refuse_old_tables(sender: AppConfig, using: str, plan: Sequence[object], **_: Any) -> None:
    """Stop `migrate` before it changes anything if the tables are not those that the applied migrations make."""
    if sender.label != "kernel" or not plan:
        return
    if missing := next(missing_columns(connections[using]), ""):
        raise CommandError(
            f"the database was made before {FROZEN} by a version whose tables cannot be upgraded "
            f"({missing} is missing). Keep it for that version, and start this one with an empty database: "
            "set TESA_VAR to a new folder, or TESA_DATABASE_URL to a new database."
        )


def missing_columns(database: BaseDatabaseWrapper) -> Iterator[str]:
    """Yield the tables and columns that the applied migrations should have made."""
    loader = MigrationLoader(database)
    applied = [node for node in loader.applied_migrations if node[0] in OWN_APPS and node in loader.graph.nodes]
    models = loader.project_state(applied).apps.get_models(include_auto_created=True) if applied else []
    with database.cursor() as cursor:
        tables = {*database.introspection.table_names(cursor)}
        for model in (model._meta for model in models if model._meta.app_label in OWN_APPS and not model._meta.proxy):
            if model.db_table not in tables:
                yield f"the table {model.db_table}"
                continue
            columns = {column.name for column in database.introspection.get_table_description(cursor, model.db_table)}
            for field in model.local_concrete_fields:
                if field.column not in columns:
                    yield f"the column {model.db_table}.{field.column}"


def prepare() -> bool:
    """Make the folders, apply migrations, collect static files; return whether anything had to be done."""
    processes.prepare_folders()
    executor = MigrationExecutor(connection)
    is_behind = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if is_behind:
        call_command("migrate", verbosity=0, interactive=False)
    else:
        people.sync_roles()  # they may have changed without a migration
    accounts.ensure_own_accounts()
    return collect_static_files() or is_behind


def collect_static_files() -> bool:
    """Collect the static files, unless no source has changed since the last time; return whether it did."""
    stamp, now = Path(settings.STATIC_ROOT) / ".fingerprint", _fingerprint()
    if stamp.exists() and stamp.read_text() == now:
        return False
    call_command("collectstatic", verbosity=0, interactive=False)
    stamp.write_text(now)
    return True


def _fingerprint() -> str:
    """Return a hash of every source file's path, size and modification time."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
