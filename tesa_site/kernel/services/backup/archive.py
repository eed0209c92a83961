"""The archive: tables/*.jsonl, then files/*, then manifest.json with the hash of all of them.

The manifest comes last, so that an archive can be written in one pass; if it is missing, the archive is truncated.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO

from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import counted

FORMAT = 1
MANIFEST = "manifest.json"
TABLES, FILES = "tables/", "files/"
CHUNK = 1024 * 1024
COMPRESSION = 5  # on 200,000 jobs, level 9 takes four times as long and saves 4 %

NOT_A_BACKUP = "This file is not a TESA backup."
TRUNCATED = "This backup is truncated: its end is missing. Copy it again, or use another one."
DAMAGED = "This backup is damaged"


@dataclass(frozen=True)
class Member:
    """One entry of the archive; `rows` for a table, None for a file."""

    name: str
    size: int
    sha256: str
    rows: int | None = None


@dataclass(frozen=True)
class BackupReport:
    """The manifest: the content and origin of an archive."""

    version: str
    created: str
    database: str
    migrations: list[str]
    left_out: list[str]
    members: list[Member]
    format: int = FORMAT

    @property
    def tables(self) -> list[Member]:
        return [member for member in self.members if member.rows is not None]

    @property
    def rows(self) -> int:
        return sum(member.rows or 0 for member in self.members)

    @property
    def files(self) -> int:
        return len(self.members) - len(self.tables)

    @property
    def text(self) -> str:
        tables, files = counted(len(self.tables), "table"), counted(self.files, "file")
        return f"{counted(self.rows, 'row')} of {tables} and {files}"


class ArchiveWriter:
    """Adds members one after the other. Each is spooled to disk first: tar needs its size, the manifest its hash."""

    def __init__(self, target: BinaryIO, folder: Path) -> None:
        self.folder = folder
        self.gzip = gzip.GzipFile(filename="", fileobj=target, mode="wb", compresslevel=COMPRESSION)
        self.tar = tarfile.open(fileobj=self.gzip, mode="w|", bufsize=CHUNK, format=tarfile.PAX_FORMAT)  # noqa: SIM115
        self.members: list[Member] = []

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.tar.close()
            self.gzip.close()
        except Exception:
            if error is None:
                raise

    def add(self, name: str, chunks: Iterable[bytes], rows: int | None = None) -> None:
        digest, size = hashlib.sha256(), 0
        with tempfile.TemporaryFile(dir=self.folder) as spool:
            for chunk in chunks:
                spool.write(chunk)
                digest.update(chunk)
                size += len(chunk)
            spool.seek(0)
            self._put(name, size, spool)
        self.members.append(Member(name, size, digest.hexdigest(), rows))

    def finish(self, report: BackupReport) -> BackupReport:
        """Add the manifest with all members written so far; return it."""
        complete = replace(report, members=self.members)
        text = json.dumps(asdict(complete), ensure_ascii=False, indent=1).encode()
        self._put(MANIFEST, len(text), io.BytesIO(text))
        return complete

    def _put(self, name: str, size: int, content: IO[bytes]) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = size, 0o600, int(time.time())
        self.tar.addfile(entry, content)
        self.tar.members.clear()  # type: ignore[attr-defined]  # tarfile would keep them all


def members(source: BinaryIO) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the name and content of each entry; read each before the next. The CRC is checked at the end."""
    source.seek(0)
    with (
        gzip.GzipFile(fileobj=source, mode="rb") as unzipped,
        tarfile.open(fileobj=unzipped, mode="r|", bufsize=CHUNK) as tar,
    ):
        while entry := tar.next():
            content = tar.extractfile(entry) if entry.isreg() else None
            if content is None:
                raise InvalidInput(f"{DAMAGED}: {entry.name!r} is not a plain file.")
            yield entry.name, content
            tar.members.clear()  # type: ignore[attr-defined]
        while unzipped.read(CHUNK):
            pass


def check(source: BinaryIO, progress: Progress) -> BackupReport:
    """Read the whole archive and return its manifest; raise InvalidInput if any byte differs from what was written."""
    total = source.seek(0, io.SEEK_END)
    source.seek(0)
    if source.read(2) != b"\x1f\x8b":
        raise InvalidInput(NOT_A_BACKUP)
    read_members: list[Member] = []
    manifest: bytes | None = None
    try:
        for name, content in members(source):
            if manifest is not None:
                raise InvalidInput(f"{DAMAGED}: {name!r} comes after its manifest.")
            if name == MANIFEST:
                manifest = content.read()
                continue
            size, digest = 0, hashlib.sha256()
            while chunk := content.read(CHUNK):
                size += len(chunk)
                digest.update(chunk)
                progress.report(source.tell(), total, "Checking the archive")
            read_members.append(Member(name, size, digest.hexdigest()))
    except EOFError:
        raise InvalidInput(TRUNCATED) from None
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error) as error:
        is_tar = read_members or not isinstance(error, tarfile.TarError)
        raise InvalidInput(f"{DAMAGED} ({error})." if is_tar else NOT_A_BACKUP) from None
    if manifest is None:
        raise InvalidInput(TRUNCATED if read_members and read_members[0].name.startswith(TABLES) else NOT_A_BACKUP)
    return _agreed(_parsed(manifest), read_members)


def _parsed(text: bytes) -> BackupReport:
    """Return the manifest; raise InvalidInput if it is not one, or of another format."""
    try:
        entries = json.loads(text)
        number = entries["format"]
        if number == FORMAT:
            entries["members"] = [Member(**member) for member in entries["members"]]
            return BackupReport(**entries)
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(NOT_A_BACKUP) from None
    raise InvalidInput(f"This backup has format {number}; this version of TESA reads format {FORMAT} only.")


def _agreed(report: BackupReport, read_members: list[Member]) -> BackupReport:
    """Return the manifest; raise InvalidInput unless it lists exactly the members that were read."""
    listed = [replace(member, rows=None) for member in report.members]
    if listed == read_members:
        return report
    for expected, actual in zip(listed, read_members, strict=False):
        if expected != actual:
            raise InvalidInput(f"{DAMAGED}: the content of {actual.name!r} is not what was written.")
    raise InvalidInput(f"{DAMAGED}: it holds {len(read_members)} members instead of {len(listed)}.")
