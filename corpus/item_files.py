"""Reading files of items (CSV, JSON lines, a JSON list, lines of text, NIF), plain or compressed, row by row."""

from __future__ import annotations

import csv
import gzip
import lzma
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from corpus.items import DEFAULT_ITEM_KIND, ITEM_KINDS
from corpus.items.base import FrozenItem, ItemKind
from corpus.items.nif import nif_texts
from corpus.sources.archives import COMPRESSED
from corpus.sources.base import Problem
from corpus.sources.lines import limited_lines, parse_json
from corpus.sources.listed import listed_values
from corpus.sources.opening import File, open_regular, unpacked, why
from corpus.sources.texts import decode
from kernel.csv_files import MARK
from kernel.errors import InvalidInput
from kernel.values import Json, counted

MAX_LINE_BYTES = 2**20
Reader: TypeAlias = "Callable[[File, ItemKind], Iterator[tuple[int | str, Json | InvalidInput]]]"
_UNREADABLE = "\x00"  # replaces an unreadable line of a CSV; no text of a row may contain it


def read_items(path: Path, item_kind: str = DEFAULT_ITEM_KIND) -> Iterator[FrozenItem | Problem]:
    """Yield the item of each row in order, or a Problem with its line. Raise InvalidInput if the file as a whole
    cannot be read."""
    kind, name = ITEM_KINDS[item_kind], path.name.lower()
    suffix = Path(name.removesuffix(next(filter(name.endswith, COMPRESSED), ""))).suffix
    if suffix not in kind.suffixes:
        endings = f"{' or '.join(kind.suffixes)}, also compressed ({', '.join(COMPRESSED)})"
        raise InvalidInput(f"the name must end in {endings}", field="file")
    line: int | str = 0
    try:
        with open_regular(path) as file:
            for line, row in READERS[suffix](unpacked(file), kind):
                yield _item(row, kind, f"line {line}" if isinstance(line, int) else line)
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError):
        after = f"line {line + 1}" if isinstance(line, int) else f"after {line}"
        yield Problem(after, "the compressed file is damaged or cut short here")
    except OSError as error:
        raise InvalidInput(f"the file cannot be read ({why(error)})", field="file") from error


def _item(row: Json | InvalidInput, kind: ItemKind, where: str) -> FrozenItem | Problem:
    try:
        if isinstance(row, InvalidInput):
            raise row
        item: FrozenItem = kind.from_row(row)
    except InvalidInput as error:
        return Problem(where, error.message)
    return item


# ---- JSON lines -----------------------------------------------------------------------------------


def _json_rows(file: File, kind: ItemKind) -> Iterator[tuple[int, Json | InvalidInput]]:
    for number, line in limited_lines(file, MAX_LINE_BYTES):
        if line is None:
            yield number, InvalidInput(f"is too long (at most {MAX_LINE_BYTES:,} bytes are read)")
        elif line.strip():
            yield number, _parsed(line)


def _listed_rows(file: File, kind: ItemKind) -> Iterator[tuple[int, Json | InvalidInput]]:
    return listed_values(file)


def _parsed(line: bytes) -> Json | InvalidInput:
    try:
        return parse_json(line, is_strict=True)
    except InvalidInput as error:
        return error


# ---- CSV ------------------------------------------------------------------------------------------


def _csv_rows(file: File, kind: ItemKind) -> Iterator[tuple[int, Json | InvalidInput]]:
    lines = _texts(file)
    header = next(lines, "")
    delimiter = max(",;\t", key=header.count)
    columns = kind.header(next(csv.reader([header], delimiter=delimiter), []))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    number = 2  # where the next row begins
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, InvalidInput(f"this is not a valid row of a CSV file ({error})")
        else:
            if cells:
                yield number, _row_of(cells, columns, kind)
        number = reader.line_num + 2


def _texts(file: File) -> Iterator[str]:
    for number, line in limited_lines(file, MAX_LINE_BYTES):
        mark = (
            MARK if number > 1 and line and line.startswith(BOM_UTF8) else ""
        )  # a cell may hold one; `decode` drops it
        try:
            yield _UNREADABLE if line is None else mark + decode(line)
        except InvalidInput:
            yield _UNREADABLE


def _row_of(cells: list[str], columns: list[str], kind: ItemKind) -> Json | InvalidInput:
    if any(_UNREADABLE in cell for cell in cells):
        return InvalidInput(f"is not UTF-8, or has a line of more than {MAX_LINE_BYTES:,} bytes")
    if not any(map(str.strip, cells)):
        return InvalidInput("is empty")
    if len(cells) != len(columns):
        return InvalidInput(
            f"has {counted(len(cells), 'cell')}, but the first line names {counted(len(columns), 'column')}"
        )
    try:
        return kind.from_cells(dict(zip(columns, cells, strict=True)))
    except InvalidInput as error:
        return error


# ---- Texts ----------------------------------------------------------------------------------------


def _text_lines(file: File, kind: ItemKind) -> Iterator[tuple[int, Json | InvalidInput]]:
    """Yield a text for each line that is not blank, without the blanks at its edges."""
    for number, line in limited_lines(file, MAX_LINE_BYTES):
        if line is None:
            yield number, InvalidInput(f"is too long (at most {MAX_LINE_BYTES:,} bytes are read)")
            continue
        try:
            text = decode(line).strip()
        except InvalidInput as error:
            yield number, error
            continue
        if text:
            yield number, {"text": text, "id": str(number)}


def _nif_rows(file: File, kind: ItemKind) -> Iterator[tuple[str, Json | InvalidInput]]:
    return nif_texts(file)


READERS: Mapping[str, Reader] = {
    ".csv": _csv_rows,
    ".json": _listed_rows,
    ".jsonl": _json_rows,
    ".txt": _text_lines,
    ".ttl": _nif_rows,
}
