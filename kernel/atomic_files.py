"""Files that appear complete or not at all: written to a temporary file, flushed, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_whole(path: Path, *, mode: int = 0o644, prefix: str = "") -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` at the end; an error leaves `path` as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix or f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_lines(path: Path, lines: Iterable[str]) -> None:
    with written_whole(path) as file:
        for line in lines:
            file.write(line.encode("utf-8") + b"\n")


def read_lines(path: Path) -> list[str]:
    """Return the lines, split at line feeds alone: a text may contain U+2028."""
    text = path.read_text(encoding="utf-8")
    return text.removesuffix("\n").split("\n") if text else []
