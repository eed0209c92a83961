"""Files to hand out, by a page or through the API: ranking tasks, and what a run left."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.storage import default_storage

from modeling import selectors, task_files
from modeling.models import Run, TaskSet
from modeling.selectors import results

TELL_TEST = ("metrics.jsonl", "predictions.jsonl")  # the files of a run with rows of the test part


@dataclass(frozen=True)
class Download:
    """An open file; a temporary one vanishes when it is closed."""

    file: IO[bytes]
    name: str
    content_type: str

    def to_response(self) -> dict[str, Any]:
        """Return what Django's FileResponse wants besides the file."""
        given = {"content_type": self.content_type} if self.content_type else {}
        return {"as_attachment": True, "filename": self.name, **given}


def ranking_tasks(task_set: TaskSet, format: str) -> Download:
    """Return JSON lines, or an archive of the format's files; drawn anew, and held against the hash of the first."""
    dataset, name = selectors.dataset_of(task_set), f"ranking-tasks-{task_set.pk}"
    work = Path(settings.VAR) / "work"
    work.mkdir(parents=True, exist_ok=True)
    file = tempfile.TemporaryFile(dir=work)  # noqa: SIM115  (whoever sends it closes it)
    if format == "jsonl":
        file.writelines(f"{line}\n".encode() for line in dataset.to_lines())
        found = Download(file, f"{name}.jsonl", "application/jsonl")
    else:
        with tempfile.TemporaryDirectory(dir=work) as folder:
            task_files.write_task_files(dataset, Path(folder), format)
            task_files.pack(Path(folder), file)
        found = Download(file, f"{name}-{format}.zip", "application/zip")
    file.seek(0)
    return found


def log_lines(run: Run) -> list[str]:
    """Return what a run said on its way, for people."""
    path = f"{run.folder}/log.txt"
    if not default_storage.exists(path):
        return []
    with default_storage.open(path) as kept:
        return str(kept.read().decode()).splitlines()


def run_file(run: Run, name: str) -> Download | None:
    """Return a file that a run left; without its rows of the test part where these are folded away."""
    path = f"{run.folder}/{name}"
    if not default_storage.exists(path):
        return None
    is_whole = name not in TELL_TEST or results.is_test_shown(run)
    if is_whole:
        return Download(default_storage.open(path), f"run-{run.pk}-{name}", "")
    file = tempfile.SpooledTemporaryFile(max_size=1_000_000)  # noqa: SIM115  (whoever sends it closes it)
    with default_storage.open(path) as kept:
        file.writelines(line for line in kept if json.loads(line).get("part") != "test")
    file.seek(0)
    return Download(file, f"run-{run.pk}-without-test-{name}", "")
