"""JSON lines: the release as it is, one instance a line, keys sorted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from annotation.releasing.exports.base import ExportSource
from annotation.releasing.facts import ReleaseRow
from kernel.values import canonical_json


def line_of(row: ReleaseRow) -> str:
    """Return the one line of a row: the same bytes wherever it is written."""
    return canonical_json(row) + "\n"


@dataclass(frozen=True)
class JsonLines:
    """`consensus` names what the annotations say together."""

    consensus: str
    name: ClassVar[str] = "jsonl"
    label: ClassVar[str] = "JSON lines"
    suffix: ClassVar[str] = ".jsonl"

    @property
    def about(self) -> str:
        return f"Everything: one line for each instance, with its texts, {self.consensus} and annotations."

    def write(self, source: ExportSource, out: Path) -> None:
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line_of(row) for row in source.rows_with_progress())
