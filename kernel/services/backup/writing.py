"""Write a backup."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import connections

from kernel.atomic_files import written_whole
from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.progress import Meter, Progress
from kernel.services.backup import files, tables
from kernel.services.backup.archive import FILES, ArchiveWriter, BackupReport
from kernel.services.backup.leftovers import lock, remove_leftovers
from kernel.services.backup.snapshot import migrations_here, snapshot, work_folder

PREFIX = ".tesa-backup-"  # of a file that is not complete yet
LEFT_OUT = [
    "sessions: people sign in again",
    "workers' heartbeats",
    "TESA_SECRET_KEY and all other settings",
    *(f"stored files under {prefix}" for prefix in files.LEFT_OUT),
]


def backup_name(moment: datetime) -> str:
    return f"tesa-{moment:%Y%m%d-%H%M%S}.tar.gz"


def write_backup(target: BinaryIO, progress: Progress) -> BackupReport:
    """Write all rows as of one moment, and all files, to one archive; return its manifest. People can go on working."""
    with work_folder() as folder, ArchiveWriter(target, folder) as writer:
        with snapshot(folder, progress) as alias:
            report = _described(alias)
            counts = {model: model._base_manager.using(alias).count() for model in tables.stored_models()}
            # Listed after the snapshot: a file that a row mentions exists by now.
            names = list(files.stored_names())
            meter = Meter(progress, sum(counts.values()) + len(names))
            for model, rows in counts.items():
                meter.step = tables.label(model)
                with closing(tables.table_lines(model, alias, meter.advance)) as lines:
                    writer.add(tables.member_name(model), lines, rows)
        _add_files(writer, names, meter)
        return writer.finish(report)


def _described(alias: str) -> BackupReport:
    return BackupReport(
        version=settings.VERSION,
        created=now().isoformat(),
        database=connections[alias].vendor,
        migrations=migrations_here(connections[alias]),
        left_out=[*LEFT_OUT],
        members=[],
    )


def _add_files(writer: ArchiveWriter, names: list[str], meter: Meter) -> None:
    meter.step = "Files"
    for name in names:
        meter.advance(1)
        if not files.is_storable(name):
            meter.progress.log(f"Left out {name!r}: no restore could write this name safely.")
            continue
        try:
            writer.add(f"{FILES}{name}", files.file_chunks(name, meter.advance))
        except FileNotFoundError:
            meter.progress.log(f"Left out {name!r}: it was deleted during the backup.")


def save_backup(path: Path, progress: Progress) -> BackupReport:
    """Write a backup to a new file that only its owner may read; what is there under this name is always complete."""
    if path.exists():
        raise InvalidInput(f"{path} exists already: name another file.")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    remove_leftovers(path.parent, PREFIX)
    with ExitStack() as until_renamed, written_whole(path, mode=0o600, prefix=PREFIX) as file:
        handle = os.dup(file.fileno())
        until_renamed.callback(os.close, handle)
        lock(handle)
        report = write_backup(file, progress)
    _sync_folder(path.parent)
    return report


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def store_backup(progress: Progress) -> tuple[str, BackupReport]:
    """Write a backup to the file storage, under backups/; return its name there and its manifest."""
    with work_folder() as folder:
        path = folder / backup_name(now())
        report = save_backup(path, progress)
        saved = files.hand_over(path, f"backups/{path.name}")
    with suppress(NotImplementedError):  # no folder on this disk: the bucket's own rules hold
        os.chmod(default_storage.path(saved), 0o600)
    return saved.removeprefix("backups/"), report
