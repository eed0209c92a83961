"""Making an installation ready, after installing or upgrading. Safe to repeat."""

from __future__ import annotations

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tesa_site import processes, static_files
from tesa_site.kernel.services import people


def prepare() -> bool:
    """Make the folders, apply migrations, collect static files; return whether anything was to be done."""
    processes.prepare_folders()
    executor = MigrationExecutor(connection)
    is_behind = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if is_behind:
        call_command("migrate", verbosity=0, interactive=False)
    else:
        people.sync_roles()  # they may have changed without a migration
    return static_files.collect_if_changed() or is_behind
