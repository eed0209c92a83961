"""Files that are there whole or not at all: written beside their place, flushed, then moved onto it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray


@contextmanager
def _written_whole(path: Path) -> Iterator[IO[bytes]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)  # mkstemp makes files only their owner can read
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_lines(path: Path, lines: Iterable[str]) -> None:
    with _written_whole(path) as file:
        for line in lines:
            file.write(line.encode("utf-8") + b"\n")


def read_lines(path: Path) -> list[str]:
    """Return the lines that were written: they end where the file says, not at a U+2028 inside a text."""
    text = path.read_text(encoding="utf-8")
    return text.removesuffix("\n").split("\n") if text else []


def write_array(path: Path, values: NDArray[np.float64]) -> None:
    with _written_whole(path) as file:
        np.save(file, values, allow_pickle=False)
