"""The one writer of CSV, and the reverse for readers of our own files.

People open these files in spreadsheets, which run a cell that begins with = + - or @ as a formula. A spreadsheet that
splits at another character than the comma also starts a cell after that character. So every cell is quoted, and an
apostrophe precedes each of these signs at the start of a text and directly after a separator inside it. `unguarded`
removes it: reading a file that was written here returns the original texts. A byte-order mark at the start tells
spreadsheets that the file is UTF-8.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

MIME = "text/csv; charset=utf-8"
MARK = "\ufeff"
SEPARATORS = r",;|\t\r\n"
FORMULA = r"=+\-@＝＋－＠"  # the wide forms count in East Asian spreadsheets
# Quotes may come between: after its own separator, a spreadsheet reads ""=1 as an empty quotation followed by =1.
_TO_GUARD = re.compile(rf"""(^|[{SEPARATORS}])(?=["']*[{FORMULA}])""")
_GUARDED = re.compile(rf"""(^|[{SEPARATORS}])'(?=["']*[{FORMULA}])""")
_TO_ESCAPE = re.compile(rf"""([{SEPARATORS}]["']*)([{FORMULA}])""")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


class Literal(str):
    """A cell in JSON or Python notation from `json_cell` or `python_cell`: already safe, written unchanged."""

    __slots__ = ()


def json_cell(value: object) -> Literal:
    return _literal(json.dumps(value, ensure_ascii=False))


def python_cell(value: object) -> Literal:
    """Return a list or dictionary of texts in Python notation."""
    return _literal(repr(value))


def _literal(text: str) -> Literal:
    """Escape what a spreadsheet would run. Both notations read \\u003d as =, so parsing returns the same value."""
    return Literal(_TO_ESCAPE.sub(lambda match: f"{match[1]}\\u{ord(match[2]):04x}", text))


def guarded(text: str) -> str:
    """Return the text so that a spreadsheet runs no part of it; plain numbers stay as they are."""
    return text if _NUMBER.fullmatch(text) else _TO_GUARD.sub(r"\1'", text)


def unguarded(text: str) -> str:
    """Reverse `guarded`."""
    return _GUARDED.sub(r"\1", text)


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[object]], *, mark: bool) -> Iterator[str]:
    """Yield the lines of a file: the column names, then the rows. None becomes an empty cell."""
    writer = csv.writer(_Echo(), quoting=csv.QUOTE_ALL)
    yield (MARK if mark else "") + writer.writerow(map(_cell, columns))
    for row in rows:
        yield writer.writerow(map(_cell, row))


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], *, mark: bool) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(columns, rows, mark=mark))


def _cell(value: object) -> object:
    return guarded(value) if isinstance(value, str) and not isinstance(value, Literal) else value


class _Echo:
    """A stand-in for a file that returns each line instead of writing it."""

    def write(self, text: str) -> str:
        return text
