"""The lines of a dump, plain or compressed, as rows; a line that cannot be read becomes the reason why."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from corpus.backgrounds.rows import Row, row_of
from corpus.sources.compression import unpacked
from corpus.sources.lines import limited_lines, parse_json
from corpus.sources.opening import open_regular, why
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.progress import Progress

MAX_LINE_BYTES = 2**20
REPORT_EVERY = 5_000  # lines: several times a second

Line: TypeAlias = tuple[int, Row | str]


def read_rows(dump: Path, progress: Progress) -> Iterator[Line]:
    """Yield each line's number with its row or the reason why it has none; blank lines are passed over."""
    number = 0
    try:
        with open_regular(dump) as file:
            total = file.seek(0, 2)
            file.seek(0)
            for number, line in limited_lines(unpacked(file), MAX_LINE_BYTES):
                if number % REPORT_EVERY == 0:
                    progress.report(file.tell(), total, "reading pages")
                if line is None or line.strip():
                    yield number, _row(line)
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError):
        yield number + 1, "the compressed file is damaged or cut short here"
    except OSError as error:
        yield number + 1, f"the file cannot be read any further ({why(error)})"


def _row(line: bytes | None) -> Row | str:
    if line is None:
        return f"the line is too long (at most {MAX_LINE_BYTES:,} bytes are read)"
    try:
        return row_of(parse_json(line))
    except InvalidInput as error:
        return str(error)
