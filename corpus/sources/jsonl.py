"""JSON lines: one article per line in the schema of this folder's README, plain or compressed (gzip, bzip2, xz)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, ClassVar

from corpus.articles import SourceArticle
from corpus.sources.base import MAX_ARTICLE_BYTES, Problem, Unit
from corpus.sources.files import folders, is_file, unlisted
from corpus.sources.jsonl_rows import article_of
from corpus.sources.lines import limited_lines, parse_json
from corpus.sources.opening import DAMAGED, compression_of, open_regular, unpacked, why
from corpus.sources.texts import clean
from kernel.errors import InvalidInput

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.bz2", ".jsonl.xz")
UNIT_BYTES = 16 * 2**20


class JsonlSource:
    """JSONL files, split into ranges of whole lines; a compressed file cannot be split."""

    name: ClassVar[str] = "jsonl"

    def units(self, path: Path) -> Iterator[Unit]:
        if is_file(path):
            yield from _file_units(path, "")
            return
        for folder in folders(path, SUFFIXES):
            if not folder.names:
                yield unlisted(folder)
            for name in folder.names:
                yield from _file_units(folder.path / name, folder.within)

    def read(self, unit: Unit) -> Iterator[SourceArticle | Problem]:
        where, number = clean(str(unit.path)), 0
        try:
            with open_regular(unit.path) as file:
                for number, line in limited_lines(
                    unpacked(file), MAX_ARTICLE_BYTES, start=unit.start, stop=unit.stop, first=unit.line
                ):
                    if article := _article(line, f"{where}:{number}"):
                        yield article
            if not number:
                yield Problem(where, "the file is empty")
        except DAMAGED:
            yield Problem(where, f"the compressed file is damaged or cut short after line {number:,}")
        except OSError as error:
            yield Problem(where, f"the file cannot be read ({why(error)})")


JSONL = JsonlSource()


def _file_units(path: Path, folder: str) -> Iterator[Unit]:
    key = f"{folder}/{path.name}" if folder else path.name
    try:
        with open_regular(path) as file:
            if not compression_of(file):
                yield from _ranges(file, Unit(key, path, folder))
                return
    except OSError:
        pass  # reading it fails again and says why
    yield Unit(key, path, folder)


def _ranges(file: BinaryIO, whole: Unit) -> Iterator[Unit]:
    """Yield units that begin at the start of a line, and count the lines so that problems can name them."""
    start, line, position = 0, 1, 0
    while block := file.read(UNIT_BYTES):
        stop = position + block.rfind(b"\n") + 1
        if stop > position:
            yield replace(whole, key=f"{whole.key}[{start}:{stop}]", start=start, stop=stop, line=line)
            start, line = stop, line + block.count(b"\n")
        position += len(block)
    if start < position or not position:
        yield replace(whole, key=f"{whole.key}[{start}:]", start=start, line=line)


def _article(line: bytes | None, where: str) -> SourceArticle | Problem | None:
    """Return the article of a line; None for a blank line."""
    if line is None:
        return Problem(where, f"the line is too long (at most {MAX_ARTICLE_BYTES:,} bytes are read)")
    if not line.strip():
        return None
    try:
        return article_of(parse_json(line), where)
    except InvalidInput as error:
        return Problem(where, f"{error.field}: {error.problem}" if error.field else error.problem)
