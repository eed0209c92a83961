"""The daily clean-up. Rows are deleted in small batches, so that no other writer waits longer than 200 ms."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.db.models import QuerySet

from tesa_site.kernel.clock import now
from tesa_site.kernel.models import Attempt, JobLog
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.services import workers

logger = logging.getLogger(__name__)
BATCH = 500
Tick: TypeAlias = Callable[[], None]  # reports progress; a cancel takes effect here


def remove_old_data(progress: Progress) -> str:
    """Delete data that is past its use; return a sentence with the counts. Safe to run at any time."""
    removed = []
    for number, (noun, remove) in enumerate(STEPS.items()):
        tick = partial(progress.report, number, len(STEPS), f"Looking for {noun}s")
        tick()
        if count := remove(tick):
            removed.append(f"{count:,} {noun}{'' if count == 1 else 's'}")
    progress.report(len(STEPS), len(STEPS))
    return f"Removed {', '.join(removed)}." if removed else "There was nothing to remove."


def _expired_sessions(tick: Tick) -> int:
    return _delete(Session.objects.filter(expire_date__lt=now()), tick)


def _attempts(tick: Tick) -> int:
    return _delete(Attempt.objects.filter(at__lt=now() - timedelta(days=30)), tick)


def _job_log_lines(tick: Tick) -> int:
    return _delete(JobLog.objects.filter(job__finished_at__lt=now() - timedelta(days=90)), tick)


def _silent_workers(tick: Tick) -> int:
    return workers.forget_dead_workers()


def _temporary_files(tick: Tick) -> int:
    return _delete_files(settings.VAR / "tmp", timedelta(days=1), tick)


def _work_folders(tick: Tick) -> int:
    """Delete work folders in which nothing has changed for 90 days; a run resumed later starts over."""
    deadline, removed = (now() - timedelta(days=90)).timestamp(), 0
    for folder in sorted((settings.VAR / "work").glob("*/")):
        tick()
        try:
            is_old = max(path.lstat().st_mtime for path in (folder, *folder.rglob("*"))) < deadline
        except OSError:  # in use: a file has just been deleted
            continue
        if is_old:
            shutil.rmtree(folder, ignore_errors=True)
            removed += not folder.exists()
    return removed


def _dump_indexes(tick: Tick) -> int:
    """Delete encyclopedia indexes that nobody has opened for 90 days; they are rebuilt when needed."""
    return _delete_files(settings.VAR / "cache" / "dumps", timedelta(days=90), tick)


def _written_mails(tick: Tick) -> int:
    return _delete_files(Path(settings.EMAIL_FILE_PATH), timedelta(days=30), tick)


def _broker_messages(tick: Tick) -> int:
    return _delete_files(settings.BROKER_DIR / "messages", timedelta(days=7), tick)


def _check_leftovers(tick: Tick) -> int:
    """Delete files that a worker left in the storage because it was killed during a check."""
    try:
        names = [f"checks/{name}" for name in default_storage.listdir("checks")[1]]
    except FileNotFoundError:
        return 0
    deadline, removed = now() - timedelta(days=1), 0
    for name in names:
        tick()
        if default_storage.get_modified_time(name) < deadline:
            default_storage.delete(name)
            removed += 1
    return removed


STEPS: dict[str, Callable[[Tick], int]] = {
    "expired session": _expired_sessions,
    "old attempt": _attempts,
    "old job log line": _job_log_lines,
    "silent worker": _silent_workers,
    "temporary file": _temporary_files,
    "old work folder": _work_folders,
    "unused index file": _dump_indexes,
    "old mail file": _written_mails,
    "lost broker message": _broker_messages,
    "check leftover": _check_leftovers,
}


def _delete(rows: QuerySet[Any], tick: Tick) -> int:
    """Delete rows in batches in key order, so that each batch starts where the last one ended."""
    removed, rest = 0, rows.order_by("pk")
    while keys := list(rest.values_list("pk", flat=True)[:BATCH]):
        removed += rows.filter(pk__in=keys).delete()[0]
        rest = rows.filter(pk__gt=keys[-1]).order_by("pk")
        tick()
    return removed


def _delete_files(folder: Path, age: timedelta, tick: Tick) -> int:
    """Delete files that have not changed for `age`, and folders that have been empty for that long."""
    deadline, removed = (now() - age).timestamp(), 0
    for parent, folders, names in os.walk(folder, topdown=False):
        tick()
        for name in names:
            removed += _delete_path(Path(parent, name), deadline, os.unlink)
        for name in folders:
            _delete_path(Path(parent, name), deadline, os.rmdir)
    return removed


def _delete_path(path: Path, deadline: float, delete: Callable[[Path], None]) -> bool:
    try:
        if path.lstat().st_mtime >= deadline:
            return False
        delete(path)
    except OSError as error:  # already gone, not empty, or not ours: not worth stopping for
        logger.info("not cleaned path=%s error=%s", path, error.strerror)
        return False
    return True
