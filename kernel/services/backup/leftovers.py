"""Temporary files of backups, locked while their process lives: the next backup deletes those of a killed one."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path

NEW_SECONDS = 3600


def lock(handle: int) -> None:
    """Lock an open file or folder until it is closed. A file system without locks is no reason to stop."""
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX)


def remove_leftovers(folder: Path, prefix: str) -> None:
    """Delete the files and folders of this prefix that no process has locked.

    New ones stay while they are empty: a process that has just made one locks it before it writes anything.
    """
    for path in folder.glob(f"{prefix}*"):
        with suppress(OSError):  # locked, or already gone
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(path)
            finally:
                os.close(handle)


def _remove(path: Path) -> None:
    is_folder, facts = path.is_dir(), path.stat()
    is_empty = not any(path.iterdir()) if is_folder else not facts.st_size
    if is_empty and facts.st_mtime > time.time() - NEW_SECONDS:
        return
    if is_folder:
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()
