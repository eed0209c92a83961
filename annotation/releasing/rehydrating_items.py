"""Putting texts back into a stand-off file of items, from the user's own file of items, by their keys.

Every hash is checked: of each item (its key), of each line, and of the whole file.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation.releasing.exports.jsonl import line_of
from annotation.task_types.base import item_key
from corpus.item_files import read_items
from corpus.items import ITEM_KINDS
from corpus.items.base import hashed, sha256
from corpus.sources.base import Problem
from kernel.errors import InvalidInput

MOST_NAMED = 10
HASHED = {*hashed("")}
OWN = ("schema", "key", "group")  # of the released row, not of the item


def item_kind_of(file: Path) -> str:
    """Return the kind of items that a stand-off file is about; "" for instances of articles."""
    try:
        with file.open(encoding="utf-8") as opened:
            header = json.loads(opened.readline())
    except (OSError, ValueError):
        return ""
    kind = header.get("item_kind", "") if isinstance(header, dict) else ""
    return kind if kind in ITEM_KINDS else ""


def rehydrate_items(file: Path, items: Path, out: Path, tick: Callable[[int], None]) -> int:
    """Write the whole release and return its number of rows; if a hash differs, raise and leave no file."""
    header, *rows = _lines(file)
    texts = _texts(items, header["item_kind"], {item_key(row["key"]) for row in rows}, tick)
    digest, part = hashlib.sha256(), out.with_name(f"{out.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as written:
            for number, row in enumerate(rows, 2):
                line = line_of(_whole(row, texts[item_key(row["key"])]))
                if sha256(line) != row.get("sha256"):
                    raise InvalidInput("what was rebuilt is not what was released", where=f"{file}, line {number}")
                digest.update(line.encode("utf-8", "surrogatepass"))
                written.write(line)
        if len(rows) != header["rows"] or digest.hexdigest() != header["sha256"]:
            raise InvalidInput("the file is not whole: its rows do not add up to the release", where=str(file))
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)
    return len(rows)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as opened:
        for number, line in enumerate(opened, 1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise InvalidInput("this is not JSON", where=f"{file}, line {number}") from error
            if not isinstance(row, dict) or (number > 1 and not isinstance(row.get("key"), str)):
                raise InvalidInput("this is not a row of a release", where=f"{file}, line {number}")
            yield row


def _texts(items: Path, kind: str, wanted: set[str], tick: Callable[[int], None]) -> dict[str, Mapping[str, Any]]:
    """Read the file once and keep the items that are asked for."""
    texts: dict[str, Mapping[str, Any]] = {}
    for number, item in enumerate(read_items(items, kind), 1):
        if number % 100 == 0:
            tick(number)
        if not isinstance(item, Problem) and item.key in wanted:
            texts[item.key] = item.to_json()
    if missing := sorted(wanted - texts.keys()):
        some = ", ".join(key[:12] for key in missing[:MOST_NAMED])
        raise InvalidInput(
            f"{len(missing):,} of {len(wanted):,} items are not in this file, or not with the same words: {some}"
            f"{' …' if len(missing) > MOST_NAMED else ''}",
            where=str(items),
        )
    return texts


def _whole(row: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with the item's texts in the place of their hashes; everything else stays as it was released."""
    restored = {name: _restored(row[name], value) for name, value in item.items() if name in row and name not in OWN}
    return {**{name: value for name, value in row.items() if name != "sha256"}, **restored}


def _restored(bare: Any, own: Any) -> Any:
    if not isinstance(bare, dict) or bare.keys() == HASHED:
        return own if isinstance(bare, dict) else bare
    return {name: _restored(value, own.get(name)) for name, value in bare.items()} if isinstance(own, dict) else bare
