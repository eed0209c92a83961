"""The daily clean-up. Rows are deleted in small batches, so that no other writer waits longer than 200 ms."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from kernel.clock import now
from kernel.models import Attempt, JobLog
from kernel.progress import Progress
from kernel.services import heartbeats
from kernel.values import counted

logger = logging.getLogger(__name__)
BATCH = 500
Tick: TypeAlias = Callable[[], None]  # reports progress; a cancel takes effect here


def remove_old_data(progress: Progress) -> str:
    """Delete data that is past its use; return a sentence with the counts. Safe to run at any time."""
    removed = []
    steps = STEPS | {noun: _step_of_an_app(path) for noun, path in settings.TESA_CLEAN_UPS.items()}
    for number, (noun, remove) in enumerate(steps.items()):
        tick = partial(progress.report, number, len(steps), f"Looking for {noun}s")
        tick()
        if count := remove(tick):
            removed.append(counted(count, noun))
    progress.report(len(steps), len(steps))
    return f"Removed {', '.join(removed)}." if removed else "There was nothing to remove."


def _step_of_an_app(path: str) -> Callable[[Tick], int]:
    return lambda tick: int(import_string(path)())


def _work_folders(tick: Tick) -> int:
    """Delete work folders in which nothing has changed for 90 days; a run resumed later starts over."""
    deadline, removed = _days_ago(90).timestamp(), 0
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


def _check_leftovers(tick: Tick) -> int:
    """Delete files that a worker left in the storage because it was killed during a check."""
    try:
        names = [f"checks/{name}" for name in default_storage.listdir("checks")[1]]
    except FileNotFoundError:
        return 0
    deadline, removed = _days_ago(1), 0
    for name in names:
        tick()
        if default_storage.get_modified_time(name) < deadline:
            default_storage.delete(name)
            removed += 1
    return removed


STEPS: dict[str, Callable[[Tick], int]] = {
    "expired session": lambda tick: _delete(Session.objects.filter(expire_date__lt=now()), tick),
    "old attempt": lambda tick: _delete(Attempt.objects.filter(at__lt=_days_ago(30)), tick),
    "old job log line": lambda tick: _delete(JobLog.objects.filter(job__finished_at__lt=_days_ago(90)), tick),
    "silent worker": lambda tick: heartbeats.forget_old_heartbeats(),
    "temporary file": lambda tick: _delete_files(settings.VAR / "tmp", 1, tick),
    "old work folder": _work_folders,
    "unused index file": lambda tick: _delete_files(settings.VAR / "cache" / "dumps", 90, tick),  # rebuilt when needed
    "old mail file": lambda tick: _delete_files(Path(settings.EMAIL_FILE_PATH), 30, tick),
    "lost broker message": lambda tick: _delete_files(settings.BROKER_DIR / "messages", 7, tick),
    "check leftover": _check_leftovers,
}


def _days_ago(days: int) -> datetime:
    return now() - timedelta(days=days)


def _delete(rows: QuerySet[Any], tick: Tick) -> int:
    """Delete rows in batches in key order, so that each batch starts where the last one ended."""
    removed, rest = 0, rows.order_by("pk")
    while keys := list(rest.values_list("pk", flat=True)[:BATCH]):
        removed += rows.filter(pk__in=keys).delete()[0]
        rest = rows.filter(pk__gt=keys[-1]).order_by("pk")
        tick()
    return removed


def _delete_files(folder: Path, days: int, tick: Tick) -> int:
    """Delete files that have not changed for this many days, and folders that have been empty for that long."""
    deadline, removed = _days_ago(days).timestamp(), 0
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
