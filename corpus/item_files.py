"""Reading files of finished instances (CSV or JSON lines) or texts (JSON lines), plain or compressed, row by row."""

from __future__ import annotations

import csv
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from corpus.frozen import FrozenItem, ItemKind
from corpus.instance_rows import instance_of
from corpus.sources.archives import COMPRESSED
from corpus.sources.base import Problem
from corpus.sources.lines import limited_lines, parse_json
from corpus.sources.opening import File, open_regular, unpacked, why
from corpus.sources.texts import decode
from corpus.text_rows import text_of
from kernel.csv_files import unguarded
from kernel.errors import InvalidInput
from kernel.values import Json

SUFFIXES = {ItemKind.INSTANCE: (".jsonl", ".csv"), ItemKind.TEXT: (".jsonl",)}
ITEM_OF: Mapping[ItemKind, Callable[[Json], FrozenItem]] = {ItemKind.INSTANCE: instance_of, ItemKind.TEXT: text_of}
NEEDED = ("entities", "entity_type", "context")
MAX_LINE_BYTES = 2**20
_UNREADABLE = "\x00"  # replaces an unreadable line of a CSV; no text of a row may contain it


def read_items(path: Path, kind: ItemKind = ItemKind.INSTANCE) -> Iterator[FrozenItem | Problem]:
    """Yield the item of each row in order, or a Problem with its line. Raise InvalidInput if the file as a whole
    cannot be read."""
    name = path.name.lower()
    suffix = Path(name.removesuffix(next(filter(name.endswith, COMPRESSED), ""))).suffix
    if suffix not in SUFFIXES[kind]:
        endings = f"{' or '.join(SUFFIXES[kind])}, also compressed ({', '.join(COMPRESSED)})"
        raise InvalidInput(f"the name must end in {endings}", field="file")
    line = 0
    try:
        with open_regular(path) as file:
            for line, row in (_csv_rows if suffix == ".csv" else _json_rows)(unpacked(file)):
                yield _item(row, kind, f"line {line}")
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError):
        yield Problem(f"line {line + 1}", "the compressed file is damaged or cut short here")
    except OSError as error:
        raise InvalidInput(f"the file cannot be read ({why(error)})", field="file") from error


def _item(row: Json | InvalidInput, kind: ItemKind, where: str) -> FrozenItem | Problem:
    try:
        if isinstance(row, InvalidInput):
            raise row
        return ITEM_OF[kind](row)
    except InvalidInput as error:
        return Problem(where, error.message)


# ---- JSON lines -----------------------------------------------------------------------------------


def _json_rows(file: File) -> Iterator[tuple[int, Json | InvalidInput]]:
    for number, line in limited_lines(file, MAX_LINE_BYTES):
        if line is None:
            yield number, InvalidInput(f"is too long (at most {MAX_LINE_BYTES:,} bytes are read)")
        elif line.strip():
            yield number, _parsed(line)


def _parsed(line: bytes) -> Json | InvalidInput:
    try:
        return parse_json(line)
    except InvalidInput as error:
        return error


# ---- CSV ------------------------------------------------------------------------------------------


def _csv_rows(file: File) -> Iterator[tuple[int, Json | InvalidInput]]:
    lines = _texts(file)
    header = next(lines, "")
    delimiter = max(",;\t", key=header.count)
    columns = [name.strip().lower() for name in next(csv.reader([header], delimiter=delimiter), [])]
    if missing := [name for name in NEEDED if name not in columns]:
        raise InvalidInput(f"the first line must name the columns; missing: {', '.join(missing)}", field="file")
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
            if any(cells):
                yield number, _row_of(cells, columns)
        number = reader.line_num + 2


def _texts(file: File) -> Iterator[str]:
    for _, line in limited_lines(file, MAX_LINE_BYTES):
        try:
            yield _UNREADABLE if line is None else decode(line)
        except InvalidInput:
            yield _UNREADABLE


def _row_of(cells: list[str], columns: list[str]) -> Json | InvalidInput:
    if any(_UNREADABLE in cell for cell in cells):
        return InvalidInput(f"is not UTF-8, or has a line of more than {MAX_LINE_BYTES:,} bytes")
    if len(cells) != len(columns):
        return InvalidInput(f"has {len(cells)} cells, but the first line names {len(columns)} columns")
    cells = [cell if cell.lstrip().startswith(("[", "{")) else unguarded(cell) for cell in cells]  # JSON stays as it is
    filled = {name: cell for name, cell in zip(columns, cells, strict=True) if cell.strip()}
    try:
        row: dict[str, Json] = {name: text for name, text in filled.items() if not name.startswith("background_")}
        row["entities"] = names = _names(filled.get("entities", ""))
        row |= {name: _json(filled[name], name) for name in ("mentions", "backgrounds") if name in filled}
        texts: list[Json] = [filled.get(f"background_{number}") for number in range(1, len(names) + 1)]
        if "backgrounds" not in row and any(texts):
            row["backgrounds"] = texts
    except InvalidInput as error:
        return error
    return row


def _names(cell: str) -> list[Json]:
    """Return the names in a cell: a JSON list, or names separated by |."""
    if cell.lstrip().startswith("["):
        names = _json(cell, "entities")
        return names if isinstance(names, list) else []
    return [name.strip() for name in cell.split("|") if name.strip()]


def _json(cell: str, name: str) -> Json:
    value = _parsed(cell.encode())
    if isinstance(value, InvalidInput):
        raise InvalidInput(value.problem, field=name)
    return value
