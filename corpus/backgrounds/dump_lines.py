"""The lines of a dump, plain or compressed, as rows; a line that cannot be read becomes the reason why."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

from corpus.backgrounds.rows import Row, row_of
from corpus.sources.opening import open_regular, why
from corpus.sources.texts import decode
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.progress import Progress

MAX_LINE_BYTES = 2**20
REPORT_EVERY = 5_000  # lines: several times a second
_GZIP_MAGIC = b"\x1f\x8b"

Line: TypeAlias = tuple[int, Row | str]


def read_rows(dump: Path, progress: Progress) -> Iterator[Line]:
    """Yield each line's number with its row or the reason why it has none; blank lines are passed over."""
    number = 0
    try:
        with open_regular(dump) as file:
            total = file.seek(0, 2)
            for number, line in _lines(_unzipped(file)):
                if number % REPORT_EVERY == 0:
                    progress.report(file.tell(), total, "reading pages")
                if line is None or line.strip():
                    yield number, _row(line)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        yield number + 1, "the compressed file is damaged or cut short here"
    except OSError as error:
        yield number + 1, f"the file cannot be read any further ({why(error)})"


def _unzipped(file: BinaryIO) -> BinaryIO | gzip.GzipFile:
    file.seek(0)
    is_zipped = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    file.seek(0)
    return gzip.GzipFile(fileobj=file) if is_zipped else file


def _lines(file: BinaryIO | gzip.GzipFile) -> Iterator[tuple[int, bytes | None]]:
    """Yield each line with its number, or None in place of one over the limit, which is skipped piece by piece."""
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        piece, is_too_long = line, len(line) > MAX_LINE_BYTES
        while is_too_long and piece and not piece.endswith(b"\n"):
            piece = file.readline(MAX_LINE_BYTES)
        yield number, None if is_too_long else line


def _row(line: bytes | None) -> Row | str:
    if line is None:
        return f"the line is too long (at most {MAX_LINE_BYTES:,} bytes are read)"
    try:
        return row_of(json.loads(decode(line.rstrip())))
    except InvalidInput as error:
        return str(error)
    except json.JSONDecodeError as error:
        return f"this is not JSON ({error.msg.lower()}, column {error.colno})"
    except (ValueError, RecursionError):  # a number of 5,000 digits; 100,000 brackets
        return "this JSON is nested too deeply or holds a number that is too long"
