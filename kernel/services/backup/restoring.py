"""Restore a backup: everything is checked before anything changes, and all rows change in one transaction."""

from __future__ import annotations

from itertools import islice
from typing import BinaryIO

from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction

from kernel.errors import InvalidInput, WrongState
from kernel.progress import Meter, Progress
from kernel.services.backup import archive, files, tables
from kernel.services.backup.archive import DAMAGED, FILES, BackupReport
from kernel.services.backup.snapshot import migrations_here, work_folder
from kernel.values import counted

# Tables that `migrate` fills: their rows are not user data.
FILLED_BY_MIGRATE = (ContentType, Permission, Group, Group.permissions.through)
# Tables to which `prepare` adds the accounts that the installation uses itself. What people do with them is elsewhere.
FILLED_BY_PREPARE = {"marketplace.requester", "marketplace.accesskey", "marketplace.movement"}


def restore_backup(source: BinaryIO, progress: Progress, *, replace: bool) -> BackupReport:
    """Replace the current rows and files with those of an archive; return its manifest.

    Without `replace`, the database must be empty. Any failure leaves all rows as they were. Files of the same name are
    replaced, others stay. `source` is read twice. Stop the application first.
    """
    migrations = migrations_here(connection)
    if not replace:
        _check_empty()
    report = archive.check(source, progress)
    if report.migrations != migrations:
        raise InvalidInput(
            f"This backup was made by version {report.version}, whose tables are not those of this version: "
            "install that version, restore, then upgrade."
        )
    _check_names(report)
    with transaction.atomic(durable=True):
        if not replace:
            _check_empty()
        tables.empty_tables()
        _load(source, report, Meter(progress, report.rows + report.files))
    ContentType.objects.clear_cache()
    return report


def _check_empty() -> None:
    """Raise if user data would be lost."""
    held = [
        str(model._meta.verbose_name_plural)
        for model in tables.stored_models()
        if model not in FILLED_BY_MIGRATE and model._meta.label_lower not in FILLED_BY_PREPARE
        if model._base_manager.exists()
    ]
    if held:
        raise WrongState(
            f"This database already contains {', '.join(held)}: only a restore with --replace may delete them."
        )


def _check_names(report: BackupReport) -> None:
    """Raise unless the archive has our tables first, then files with names inside the storage, each once."""
    names = [member.name for member in report.members]
    count = len(report.tables)
    if sorted(names[:count]) != sorted(map(tables.member_name, tables.stored_models())):
        raise InvalidInput(f"{DAMAGED}: its tables are not those of this version.")
    for name in names[count:]:
        if not name.startswith(FILES) or not files.is_storable(name.removeprefix(FILES)):
            raise InvalidInput(f"{DAMAGED}: it must not have a member named {name[: archive.SHOWN]!r}.")
    if len(set(names)) < len(names):
        raise InvalidInput(f"{DAMAGED}: it has two members of one name.")


def _load(source: BinaryIO, report: BackupReport, meter: Meter) -> None:
    """Insert all rows and check them, then write the files: last, because a rollback does not restore files."""
    entries = archive.members(source)
    models = {tables.member_name(model): model for model in tables.stored_models()}
    for member, (name, content) in zip(report.tables, islice(entries, len(report.tables)), strict=True):
        meter.step = tables.label(models[name])
        if tables.load_table(models[name], content, meter.advance) != member.rows:
            raise InvalidInput(f"{DAMAGED}: {name} does not have {counted(member.rows or 0, 'row')}.")
    tables.finish_tables()
    meter.step = "Files"
    with work_folder() as folder:
        for name, content in islice(entries, report.files):
            files.replace_file(name.removeprefix(FILES), content, folder)
            meter.advance(1)
