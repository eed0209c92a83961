"""Prepare an installation after installing or upgrading. Safe to repeat."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation.marketplace.services import accounts
from tesa_site import processes
from tesa_site.kernel.services import people


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
