"""The files of a run: a work folder until it has finished, then the file storage."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage

from modeling.models import Run
from modeling.run_folder import FILES


def work_folder(run_id: int) -> Path:
    """Return where a run writes its files; an interrupted run continues there."""
    return Path(settings.VAR) / "work" / f"run-{run_id}"


def store_files(run: Run, folder: Path) -> None:
    """Copy the files into the storage, replacing those of an earlier attempt."""
    for name in FILES:
        path = f"{run.folder}/{name}"
        with (folder / name).open("rb") as file:
            if default_storage.exists(path):
                default_storage.delete(path)
            default_storage.save(path, File(file))


def hash_files(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES}


def remove_files(run_id: int, folder: str) -> None:
    """Delete a run's files from the storage, and its work folder."""
    shutil.rmtree(work_folder(run_id), ignore_errors=True)
    try:
        _, names = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        default_storage.delete(f"{folder}/{name}")
    default_storage.delete(folder)
