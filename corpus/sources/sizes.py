"""The approximate size of a unit, for a progress bar; never raises an error."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from corpus.articles import SourceArticle
from corpus.sources.archives import ZIP, zip_sizes
from corpus.sources.base import Problem, Unit
from corpus.sources.opening import compression_of, open_regular

TIMES = 4  # how much text grows when it is unpacked; bzip2 and xz files do not record it
OVERHEAD = 60  # bytes around an article in its file, or in a line that could not be read


def unit_bytes(unit: Unit) -> int:
    """Return the unpacked size of a unit, at least 1."""
    if unit.names:
        return max(1, sum(_file_bytes(unit.path / name) for name in unit.names))
    if unit.path.name.lower().endswith(ZIP):
        return max(1, sum(_member_bytes(unit.path, _modified_at(unit.path))[unit.start : unit.stop]))
    whole = unit.stop if unit.stop is not None else _file_bytes(unit.path)
    return max(1, whole - unit.start)


def item_bytes(item: SourceArticle | Problem) -> int:
    """Return the approximate size of an item in its unit."""
    if isinstance(item, Problem):
        return OVERHEAD
    texts = (item.title, item.abstract, item.headline, item.lead, item.byline, *item.paragraphs)
    return OVERHEAD + sum(map(len, texts)) + sum(len(tag.text) for tag in item.tags)


def _file_bytes(path: Path) -> int:
    """Return the size of a file, unpacked and approximate if compressed (gzip records it in its last four bytes)."""
    try:
        with open_regular(path) as file:
            compression = compression_of(file)
            size = file.seek(0, 2)
            if compression != "gzip" or size < 4:
                return size * TIMES if compression in ("bzip2", "xz") else size
            file.seek(-4, 2)
            return max(size, int.from_bytes(file.read(4), "little"))
    except OSError:
        return 0


def _modified_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1)
def _member_bytes(path: Path, modified_at: int) -> tuple[int, ...]:
    return zip_sizes(path)
