"""What every export format offers, and writing row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from annotation.releasing.facts import Facts, ReleaseRow, Rows, Tick

PART_NAMES = ("train", "validation", "test")
# Formats of marks in texts, which annotation/parts/span_files/ writes; naming them here needs none of its libraries.
MARK_FORMATS = ("marks", "spacy", "label_studio", "conll", "brat", "tokens")


@dataclass(frozen=True)
class Parts:
    """How a release is split, for formats that keep the parts apart. Instances in no part are left out of these."""

    part_of: Mapping[str, str]  # key of an instance → one of PART_NAMES
    about: Sequence[str]  # how it was split, in sentences for people
    details: Mapping[str, Any]  # the same for machines
    slug: str  # for names of files


@dataclass(frozen=True)
class ExportSource:
    """What an export is made from. `places` finds where articles say what the rows quote; only stand-off asks it."""

    facts: Facts
    rows: Rows
    tick: Tick = field(default=lambda done: None)
    places: Any = None
    mark: bool = True  # tables for spreadsheets begin with a byte-order mark
    parts: Parts | None = None  # only the Hugging Face folder asks it

    @property
    def slug(self) -> str:
        """A file name that says which release it is, and how it is split."""
        return f"{self.facts.slug}-{self.parts.slug}" if self.parts else self.facts.slug

    def rows_with_progress(self) -> Iterator[ReleaseRow]:
        """Yield the rows and report the progress every 200 rows."""
        for number, row in enumerate(self.rows(), 1):
            yield row
            if number % 200 == 0:
                self.tick(number)


class Format(Protocol):
    """One kind of file (or folder). Holds no state; writes row by row."""

    name: ClassVar[str]
    label: ClassVar[str]

    @property
    def about(self) -> str: ...

    suffix: ClassVar[str]  # "" = a folder

    def write(self, source: ExportSource, out: Path) -> None: ...
