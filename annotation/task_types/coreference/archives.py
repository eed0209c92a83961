"""Unpacks a .zip in memory, within limits: what does not fit is refused before it is unpacked."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from annotation.task_types.coreference.files import is_hidden
from kernel.errors import InvalidInput

MOST_MEMBERS = 2_000
ENTRY = b"PK\x01\x02"  # begins each entry of the table of contents
DAMAGED = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zlib.error)


def is_zip(content: bytes) -> bool:
    return content.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def unpacked(name: str, content: bytes, limit: int) -> dict[str, bytes]:
    """Return the files of an archive; raise InvalidInput if they have more than `limit` bytes together."""
    if content.count(ENTRY) > MOST_MEMBERS:
        raise InvalidInput(f"this archive holds more than {MOST_MEMBERS:,} files. Choose a smaller one", where=name)
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            return _members(name, archive, limit)
    except DAMAGED as error:
        raise InvalidInput(f"this archive cannot be unpacked ({error}). Pack it again as .zip", where=name) from None


def _members(name: str, archive: zipfile.ZipFile, limit: int) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    room = limit
    for info in archive.infolist():
        if info.is_dir() or is_hidden(info.filename):
            continue
        with archive.open(info) as member:
            content = member.read(room + 1)  # whatever size the archive claims
        room -= len(content)
        if room < 0:
            raise InvalidInput(
                f"this archive unpacks to more than {limit // 1_000_000} MB. Choose a smaller one", where=name
            )
        if info.filename in files:
            raise InvalidInput(f"this archive holds {info.filename} twice. Pack it again", where=name)
        files[info.filename] = content
    return files
