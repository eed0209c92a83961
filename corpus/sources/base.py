"""What every source of articles offers.

Reading is cut into units so that it can stream, run in several processes and resume: one process lists the units,
any process reads one, and whoever keeps the keys of the units that are done skips them the next time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from corpus.articles import SourceArticle

MAX_ARTICLE_BYTES = 8 * 2**20


@dataclass(frozen=True)
class Problem:
    """One thing that could not be read, for a person: where (file, archive member, line), and why in one sentence."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass(frozen=True)
class Unit:
    """A piece of a corpus that one process reads on its own. Cheap to make, to pickle and to compare.

    The key is unique within one corpus and the same whenever the same files are listed. It names files, not their
    contents: a unit whose file was edited keeps its key.
    """

    key: str
    path: Path  # the file or folder to open
    folder: str = ""  # where `path` (a folder) or its parent (of a file) stands within the corpus
    names: tuple[str, ...] = ()  # the files to read when `path` is a folder
    start: int = 0  # first zip member, or first byte of a JSONL file
    stop: int | None = None  # behind the last one; None: to the end
    line: int = 1  # line number at `start`


class Source(Protocol):
    """A format we read. Holds no state, so units may be read in any order, in any process, twice."""

    name: ClassVar[str]

    def units(self, path: Path) -> Iterator[Unit]:
        """Yield the units of a file or folder in a stable order, or raise InvalidInput if it holds nothing to read."""

    def read(self, unit: Unit) -> Iterator[SourceArticle | Problem]:
        """Yield the unit's articles in their own order; what cannot be read becomes a Problem, never an exception."""


def read_all(source: Source, path: Path) -> Iterator[SourceArticle | Problem]:
    """Yield everything under a path, one unit after the other, in this process."""
    for unit in source.units(path):
        yield from source.read(unit)
