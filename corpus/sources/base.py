"""The interface of a source of articles.

Reading is split into units so that it can stream, run in several processes and resume: one process lists the units,
any process can read one, and units whose keys are known to be finished are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from corpus.articles import SourceArticle

MAX_ARTICLE_BYTES = 8 * 2**20


@dataclass(frozen=True)
class Problem:
    """Something that could not be read: where (file, archive member, line), and why, in one sentence for people."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass(frozen=True)
class Unit:
    """A piece of a corpus that one process reads on its own. Cheap to create, pickle and compare.

    The key is unique within a corpus and stays the same as long as the files have the same names, even if their
    contents change.
    """

    key: str
    path: Path  # the file or folder to open
    folder: str = ""  # path within the corpus of the folder that is `path`, or that contains it
    names: tuple[str, ...] = ()  # the files to read when `path` is a folder
    start: int = 0  # first zip member, or first byte of a JSONL file
    stop: int | None = None  # after the last one; None for the end
    line: int = 1  # line number at `start`


@dataclass(frozen=True)
class Document:
    """One file, or one member of an archive."""

    name: str  # its path within the corpus, without the suffix; fresh from an archive, its path in there
    where: str  # for people
    content: bytes


class Source(Protocol):
    """A format that we read. It has no state: units may be read in any order, in any process, and repeatedly."""

    @property
    def name(self) -> str:
        """Return the key in SOURCES."""

    def units(self, path: Path) -> Iterator[Unit]:
        """Yield the units of a file or folder in a stable order; raise InvalidInput if there is nothing to read."""

    def read(self, unit: Unit) -> Iterator[SourceArticle | Problem]:
        """Yield the articles of a unit in order; what cannot be read becomes a Problem, never an exception."""


def read_all(source: Source, path: Path) -> Iterator[SourceArticle | Problem]:
    """Yield everything under a path, one unit after the other, in this process."""
    for unit in source.units(path):
        yield from source.read(unit)
