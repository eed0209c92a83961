"""Stored files, through Django's storage: a folder on a laptop, perhaps a bucket on a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfileobj
from typing import IO

from django.core.files.base import File
from django.core.files.storage import default_storage

from kernel.services.backup.archive import CHUNK

LEFT_OUT = ("backups/", "checks/")


class _Movable(File[bytes]):
    """A file that a storage on the same disk moves instead of copying, so that it is complete when it appears."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def is_storable(name: str) -> bool:
    """Return whether a name stays inside the storage when it is joined to a path."""
    parts = name.split("/")
    is_inside = all(part not in ("", ".", "..") for part in parts) and "\\" not in name and "\0" not in name
    return is_inside and not name.startswith(LEFT_OUT)


def stored_names(folder: str = "") -> Iterator[str]:
    """Yield the names of all stored files that belong in a backup, folder by folder."""
    try:
        folders, names = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}{name}" for name in sorted(names))
    for name in sorted(folders):
        if f"{folder}{name}/" not in LEFT_OUT:
            yield from stored_names(f"{folder}{name}/")


def file_chunks(name: str, advance: Callable[[int], None]) -> Iterator[bytes]:
    """Yield a file's content in chunks; call `advance` for each, so that a cancel is noticed within a large file."""
    with default_storage.open(name) as file:
        while chunk := file.read(CHUNK):
            advance(0)
            yield chunk


def hand_over(path: Path, name: str) -> str:
    """Move or copy a file into the storage; return its name there. If the file still exists, the caller deletes it."""
    with path.open("rb") as file:
        return default_storage.save(name, _Movable(file, str(path)))


def replace_file(name: str, content: IO[bytes], folder: Path) -> None:
    """Store a file under exactly this name, replacing the existing one."""
    spool = folder / "file"
    with spool.open("wb") as file:
        copyfileobj(content, file, CHUNK)
    if default_storage.exists(name):
        default_storage.delete(name)
    saved = hand_over(spool, name)
    if saved != name:
        default_storage.delete(saved)
        raise OSError(f"The file storage did not accept the name {name!r}.")
