"""A release as a Hugging Face folder, split into train, validation and test."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from annotation.releasing.exports.base import Parts
from annotation.services import release_exports
from kernel.errors import WrongState
from modeling.models import Split
from modeling.selectors.downloads import Download
from modeling.split_words import parts_of
from modeling.splits import split_from_json

MOST = 10_000  # instances that a page or the API packs while somebody waits: about 13 s of CPU time


def write_folder(split: Split, out: Path, report: Callable[[int], None]) -> None:
    """Write the folder to `out`."""
    release_exports.write_export(split.release, "huggingface", out, report, parts=_parts(split))


def pack_folder(split: Split) -> Download:
    """Return the folder as a ZIP file; raise WrongState if the release takes too long to pack."""
    if split.release.size > MOST:
        raise WrongState(
            f"The release has more than {MOST:,} instances: write the folder with manage.py export_split {split.pk}."
        )
    work = Path(settings.VAR) / "work"
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as name:
        path = release_exports.split_folder(split.release, _parts(split), Path(name))
        return Download(path.open("rb"), path.name, "application/zip")  # an open file outlives its name


def _parts(split: Split) -> Parts:
    return parts_of(
        split_from_json(split.value),
        size=split.release.size,
        unseen=split.statistics["test"]["unseen"],
        parameters=split.parameters,
    )
