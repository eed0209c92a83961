"""What the commands for coreference share: reading their arguments, and printing what is wrong in the files."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import OutputWrapper

from annotation.task_types.coreference.document import CorefDocument
from annotation.task_types.coreference.files import read_path


def read_argument(path: Path, stderr: OutputWrapper, format: str | None = None) -> tuple[CorefDocument, ...]:
    """Return the documents of a file or folder, and print the problems of its files."""
    documents, problems = read_path(path, format)
    for problem in problems:
        stderr.write(str(problem))
    return documents
