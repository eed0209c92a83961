"""The one writer of CSV, and what readers of our own files need.

People open these files in spreadsheets, which run a cell that begins with = + - or @. Where the spreadsheet splits at
another sign than the comma, a cell also begins after that sign. So every cell is quoted, and an apostrophe stands
before each of these signs at the start of a text and directly after a separator inside it. `unguarded` takes it away
again: reading a file that was written here gives the texts that went in. A byte-order mark at the start tells
spreadsheets that the file is UTF-8.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

MIME = "text/csv; charset=utf-8"
MARK = "\ufeff"
SEPARATORS = r",;|\t\r\n"
FORMULA = r"=+\-@＝＋－＠"  # the wide forms count in East Asian spreadsheets
# Quotes may stand between: after a separator of its own, a spreadsheet reads ""=1 as an empty quotation, then =1.
_TO_GUARD = re.compile(rf"""(^|[{SEPARATORS}])(?=["']*[{FORMULA}])""")
_GUARDED = re.compile(rf"""(^|[{SEPARATORS}])'(?=["']*[{FORMULA}])""")
_TO_ESCAPE = re.compile(rf"""([{SEPARATORS}]["']*)([{FORMULA}])""")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


class Literal(str):
    """A cell in JSON or in Python's notation, made by `json_cell` or `python_cell`: already safe, written as it is."""

    __slots__ = ()


def json_cell(value: object) -> Literal:
    return _literal(json.dumps(value, ensure_ascii=False))


def python_cell(value: object) -> Literal:
    """Return a list or dictionary of texts as Python writes it."""
    return _literal(repr(value))


def _literal(text: str) -> Literal:
    """Escape what a spreadsheet would run. Both notations read \\u003d as =, so that parsing gives the same value."""
    return Literal(_TO_ESCAPE.sub(lambda found: f"{found[1]}\\u{ord(found[2]):04x}", text))


def guarded(text: str) -> str:
    """Return a text no part of which a spreadsheet runs; a plain number stays one."""
    return text if _NUMBER.fullmatch(text) else _TO_GUARD.sub(r"\1'", text)


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given."""
    return _GUARDED.sub(r"\1", text)


class _File(Protocol):
    def write(self, text: str, /) -> object: ...


class Writer:
    """Writes rows to an open file; returns what the file's `write` returned."""

    def __init__(self, file: _File) -> None:
        self._writer = csv.writer(file, quoting=csv.QUOTE_ALL)

    def writerow(self, cells: Iterable[object]) -> Any:
        return self._writer.writerow([*map(_cell, cells)])


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[object]], *, mark: bool) -> Iterator[str]:
    """Yield a file row by row: the columns' names, then the rows; None becomes an empty cell."""
    writer = Writer(_Echo())
    yield (MARK if mark else "") + writer.writerow(columns)
    for row in rows:
        yield writer.writerow(row)


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], *, mark: bool) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(columns, rows, mark=mark))


def _cell(value: object) -> object:
    return guarded(value) if isinstance(value, str) and not isinstance(value, Literal) else value


class _Echo:
    """Stands for a file: returns the line it is given."""

    def write(self, text: str) -> str:
        return text
