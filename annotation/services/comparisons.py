"""Comparisons of uploaded chains or links with what is right.

They are kept in a folder with an unguessable name, for one person and a day.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

from annotation.linking.evaluation import LinkEvaluation
from annotation.selectors import comparisons as selectors
from annotation.task_types.coreference.comparison import ComparisonFiles
from kernel.models import User

MOST_KEPT = 20  # of one person; the oldest goes first


def keep_comparison(made: ComparisonFiles, *, by: User) -> str:
    """Store a comparison of chains and return its token."""
    summary = {selectors.SUMMARY: json.dumps(made.comparison.as_json).encode()}
    return keep_files({**made.files, **summary}, by=by)


def keep_links(made: LinkEvaluation, *, by: User) -> str:
    """Store an evaluation of links and return its token."""
    files = {selectors.LINK_SUMMARY: json.dumps(made.summary).encode(), selectors.LINK_LINES: made.lines}
    return keep_files(files, by=by)


def keep_files(files: Mapping[str, bytes], *, by: User) -> str:
    """Store files for one person and return their token; the oldest make room."""
    remove_old_comparisons()
    folder = selectors.folder()
    folder.mkdir(parents=True, exist_ok=True)
    kept = sorted(folder.glob(f"{by.pk}-*/"), key=lambda path: path.stat().st_mtime)
    for path in kept[: max(0, len(kept) - MOST_KEPT + 1)]:
        shutil.rmtree(path, ignore_errors=True)
    token = secrets.token_urlsafe(16)
    _write(folder, selectors.folder_name(by, token), files)
    return token


def _write(folder: Path, name: str, files: Mapping[str, bytes]) -> None:
    """Write the files into a folder that appears complete or not at all."""
    temporary = Path(mkdtemp(dir=folder, prefix="."))
    try:
        for file, content in files.items():
            (temporary / file).write_bytes(content)
        temporary.rename(folder / name)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def remove_old_comparisons() -> int:
    """Delete those that are older than a day, and what a killed process left."""
    removed = 0
    for path in [*selectors.folder().glob("*/"), *selectors.folder().glob(".*/")]:
        if selectors.is_old(path):
            shutil.rmtree(path, ignore_errors=True)
            removed += not path.exists()
    return removed
