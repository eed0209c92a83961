"""Compares what the product says today with what was recorded; with GOLDEN=record, records it instead."""

from __future__ import annotations

import difflib
import lzma
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
IS_RECORDING = os.environ.get("GOLDEN") == "record"
MOST_LINES, LONGEST_LINE = 60, 240  # of a difference
CELL_END = re.compile(r",(?=[\"{\[])")


def check(name: str, now: str | bytes, *, without_order: Callable[[str], str] | None = None) -> None:
    """Fail with a readable difference unless `now` equals the recorded file; names ending in .xz are compressed.

    `without_order` is applied to both texts before they are compared; such a text is never recorded.
    """
    path, now = FOLDER / name, now.encode() if isinstance(now, str) else now
    if IS_RECORDING:
        if not without_order:
            _write(path, now)
        return
    recorded = read(name) if path.exists() else b""
    if without_order:
        recorded, now = (without_order(text.decode()).encode() for text in (recorded, now))
    if now != recorded:
        pytest.fail(f"{path.relative_to(FOLDER.parent)} was recorded otherwise:\n{difference(recorded, now)}", False)


def read(name: str) -> bytes:
    data = (FOLDER / name).read_bytes()
    return lzma.decompress(data) if name.endswith(".xz") else data


def difference(recorded: bytes, now: bytes) -> str:
    """Return a unified difference of two texts, short enough to read."""
    lines = [*difflib.unified_diff(_lines(recorded), _lines(now), "recorded", "now", lineterm="", n=1)]
    shown = [line[:LONGEST_LINE] for line in lines[:MOST_LINES]]
    return "\n".join(shown + [f"… and {len(lines) - MOST_LINES} more lines"] * (len(lines) > MOST_LINES))


def _lines(data: bytes) -> list[str]:
    """Return the lines of a text; long ones, of JSON or CSV, cell by cell."""
    lines = data.decode("utf-8", "replace").splitlines()
    return [part for line in lines for part in (CELL_END.split(line) if len(line) > LONGEST_LINE else [line])]


def _write(path: Path, data: bytes) -> None:
    if path.exists() and read(str(path.relative_to(FOLDER))) == data:
        return  # so that another version of the compressor changes no file that says the same
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
