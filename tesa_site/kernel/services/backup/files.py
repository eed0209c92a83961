"""The stored files, through Django's storage: a folder on a laptop, a bucket elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfileobj
from typing import IO

from django.core.files.base import File
from django.core.files.storage import default_storage

from tesa_site.kernel.services.backup.archive import CHUNK

LEFT_OUT = ("backups/", "checks/")


class _Movable(File[bytes]):
    """A file that a storage on the same disk takes by renaming it, so that it appears there complete."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def is_storable(name: str) -> bool:
    """Tell whether a name stays inside the storage wherever it is joined to a path."""
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
    """Yield a file's content in pieces; call `advance` so that a long file can be watched and cancelled."""
    with default_storage.open(name) as file:
        while chunk := file.read(CHUNK):
            advance(0)
            yield chunk


def hand_over(path: Path, name: str) -> str:
    """Give a file on disk to the storage; return the name it got there. The file is gone, or the caller's to delete."""
    with path.open("rb") as file:
        return default_storage.save(name, _Movable(file, str(path)))


def replace_file(name: str, content: IO[bytes], folder: Path) -> None:
    """Write a file under exactly this name, in the place of what was there."""
    spool = folder / "file"
    with spool.open("wb") as file:
        copyfileobj(content, file, CHUNK)
    if default_storage.exists(name):
        default_storage.delete(name)
    saved = hand_over(spool, name)
    if saved != name:
        default_storage.delete(saved)
        raise OSError(f"The file storage would not take the name {name!r}.")
