"""JSON lines: the release as it is, one instance a line, keys sorted."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from annotation.releasing.exports.base import Source
from annotation.releasing.facts import ReleaseRow
from tesa_site.kernel.values import canonical_json


def line_of(row: ReleaseRow) -> str:
    """Return the one line of a row: the same bytes wherever it is written."""
    return canonical_json(row) + "\n"


class JsonLines:
    name: ClassVar[str] = "jsonl"
    label: ClassVar[str] = "JSON lines"
    about: ClassVar[str] = "Everything: one instance a line with its texts, aggregations and annotations."
    suffix: ClassVar[str] = ".jsonl"

    def write(self, source: Source, out: Path) -> None:
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line_of(row) for row in source.told())


JSONL = JsonLines()
