"""The files of a run: a work folder until it has finished, then the file storage. Large files are read in blocks."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage

from kernel.progress import Progress
from modeling.models import Run
from modeling.run_folder import FILES, OPTIONAL, WEIGHTS, weight_files


def work_folder(run_id: int) -> Path:
    """Return where a run writes its files; an interrupted run continues there."""
    return Path(settings.VAR) / "work" / f"run-{run_id}"


def kept_files(folder: Path) -> dict[str, Path]:
    """Return the files that go to the storage, by their names there."""
    weights = weight_files(folder) if settings.KEEP_WEIGHTS == "best" else []
    files = [*FILES, *(name for name in OPTIONAL if (folder / name).exists())]
    return {name: folder / name for name in files} | {f"{WEIGHTS}/{path.name}": path for path in weights}


def store_files(run: Run, folder: Path, progress: Progress) -> dict[str, str]:
    """Copy the files into the storage, replacing those of an earlier attempt; return their hashes."""
    files = kept_files(folder)
    for number, (name, path) in enumerate(files.items()):
        progress.report(number, len(files), "Storing files")
        stored = f"{run.folder}/{name}"
        with path.open("rb") as file:
            if default_storage.exists(stored):
                default_storage.delete(stored)
            default_storage.save(stored, File(file))
    return {name: sha256(path) for name, path in files.items()}


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_files(run_id: int, folder: str) -> None:
    """Delete a run's files from the storage, and its work folder."""
    shutil.rmtree(work_folder(run_id), ignore_errors=True)
    _remove_folder(f"{folder}/{WEIGHTS}")
    _remove_folder(folder)


def _remove_folder(folder: str) -> None:
    try:
        _, names = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        default_storage.delete(f"{folder}/{name}")
    default_storage.delete(folder)


def weights_size(runs: list[Run]) -> int:
    """Return how many bytes the stored weights of these runs take."""
    paths = [f"{run.folder}/{name}" for run in runs for name in run.weight_names]
    return sum(default_storage.size(path) for path in paths if default_storage.exists(path))


def remove_unkept_weights() -> int:
    """Delete stored weights if the installation keeps none (any more); return the number of runs that had some."""
    if settings.KEEP_WEIGHTS != "none":
        return 0
    removed = 0
    for run in Run.objects.exclude(finished_at=None).only("experiment", "hashes").iterator():
        if run.weight_names:
            run.hashes = {name: run.hashes[name] for name in (*FILES, *OPTIONAL) if name in run.hashes}
            run.save(update_fields=["hashes"])
            _remove_folder(f"{run.folder}/{WEIGHTS}")
            removed += 1
    return removed
