"""Files to download from a page or the API: ranking tasks and the files of a run."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import FileResponse

from modeling import task_files
from modeling.models import Run, TaskSet
from modeling.selectors import results
from modeling.selectors.datasets import dataset_of

WITH_TEST = (
    "metrics.jsonl",
    "predictions.jsonl",
    "generations.jsonl",
)  # the files of a run that contain rows of the test part


@dataclass(frozen=True)
class Download:
    """An open file; closing it deletes a temporary one."""

    file: IO[bytes]
    name: str
    content_type: str

    def to_response(self) -> FileResponse:
        """Return the file as an attachment; without a type, its name says which it has."""
        return FileResponse(self.file, as_attachment=True, filename=self.name, content_type=self.content_type or None)


def ranking_tasks(task_set: TaskSet, format: str) -> Download:
    """Return JSON lines, or a ZIP archive of the format's files."""
    dataset, name = dataset_of(task_set), f"ranking-tasks-{task_set.pk}"
    work = Path(settings.VAR) / "work"
    work.mkdir(parents=True, exist_ok=True)
    file = tempfile.TemporaryFile(dir=work)  # noqa: SIM115  (closed by the response)
    if format == "jsonl":
        file.writelines(f"{line}\n".encode() for line in dataset.to_lines())
        download = Download(file, f"{name}.jsonl", "application/jsonl")
    else:
        with tempfile.TemporaryDirectory(dir=work) as folder:
            task_files.write_task_files(dataset, Path(folder), format)
            task_files.pack(Path(folder), file)
        download = Download(file, f"{name}-{format}.zip", "application/zip")
    file.seek(0)
    return download


def log_lines(run: Run) -> list[str]:
    """Return the log of a run."""
    path = f"{run.folder}/log.txt"
    if not default_storage.exists(path):
        return []
    with default_storage.open(path) as stored:
        return str(stored.read().decode()).splitlines()


def run_file(run: Run, name: str) -> Download | None:
    """Return a file of a run, without rows of the test part while these are hidden; None if it does not exist."""
    path = f"{run.folder}/{name}"
    if not default_storage.exists(path):
        return None
    if name not in WITH_TEST or results.is_test_shown(run):
        return Download(default_storage.open(path), f"run-{run.pk}-{name}", "")
    file = tempfile.SpooledTemporaryFile(max_size=1_000_000)  # noqa: SIM115  (closed by the response)
    with default_storage.open(path) as stored:
        file.writelines(line for line in stored if json.loads(line).get("part") != "test")
    file.seek(0)
    return Download(file, f"run-{run.pk}-without-test-{name}", "")
