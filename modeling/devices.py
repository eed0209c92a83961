"""The devices that train: one run at a time on each, by a lock that the system frees when its holders are dead."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

CPU = "cpu"
GPU_FILES = Path("/dev")


@dataclass(frozen=True)
class Reserved:
    """A device that this process holds. A child that inherits `handle` holds it too, and longer if need be."""

    name: str
    handle: int

    def environment(self) -> dict[str, str]:
        """Return the variables that make a child process see this device alone."""
        return {} if self.name == CPU else {"CUDA_VISIBLE_DEVICES": self.name}


_held: ContextVar[Reserved | None] = ContextVar("held", default=None)  # by this thread


def devices() -> list[str]:
    """Return the numbers of the GPUs that this process may use, or the CPU if there is none."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return [name for part in visible.split(",") if (name := part.strip()) not in ("", "-1")] or [CPU]
    names = (path.name.removeprefix("nvidia") for path in GPU_FILES.glob("nvidia[0-9]*"))
    return sorted((name for name in names if name.isdigit()), key=int) or [CPU]


@contextmanager
def reserved(folder: Path) -> Iterator[Reserved | None]:
    """Hold the first free device; None if all are taken. Inside, in the same thread, it gives the same one again."""
    if held := _held.get():
        yield held
        return
    device = _first_free(folder)
    token = _held.set(device)
    try:
        yield device
    finally:
        _held.reset(token)
        if device is not None:
            os.close(device.handle)


def _first_free(folder: Path) -> Reserved | None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in devices():
        handle = os.open(folder / f"device-{name.replace('/', '-')}", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            continue
        return Reserved(name, handle)
    return None
