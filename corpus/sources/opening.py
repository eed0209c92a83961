"""The one way to open a file of a corpus: regular files only, and never waiting for a named pipe."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading, or raise OSError, also for what is no regular file."""
    file = open(path, "rb", opener=_open_at_once)  # noqa: SIM115  # the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError("not a regular file")
    return file


def why(error: Exception) -> str:
    """Return what the operating system says, without the path it repeats."""
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)).lower()


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
