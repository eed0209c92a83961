"""The archive: tables/*.jsonl, then files/*, then manifest.json with the hash of all of them.

The manifest comes last, so that an archive can be written in one pass; if it is missing, the archive is truncated.

An archive may come from anywhere: what is read into memory at once (a header, the manifest, a row) has a limit, and so
has the number of values in it: two bytes of JSON can become seventy of Python.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import tarfile
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO

from kernel.errors import InvalidInput, WrongState
from kernel.progress import Progress
from kernel.values import counted

FORMAT = 1
MANIFEST = "manifest.json"
TABLES, FILES = "tables/", "files/"
CHUNK = 1024 * 1024
MOST_MANIFEST = 32 * CHUNK  # lists about 150,000 files
MOST_MEMBERS = 200_000
VALUES_OF_A_MEMBER, OTHER_VALUES = 5, 5_000  # in a manifest: itself and its four entries; migrations and the rest
FEW_BYTES = CHUNK // 4  # of JSON, which make few values whatever is in them
TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)  # a string, or what another value begins with
MOST_HEADER = 8 * CHUNK  # tar reads a header whole
SHOWN = 100  # characters of a name, in a sentence
COMPRESSION = 5  # on 200,000 jobs, level 9 takes four times as long and saves 4 %

CHECKING = "Checking the archive"
NO_MANIFEST = "is not the list of contents that TESA writes: this file is not a TESA backup, or is damaged."
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
        if len(text) > MOST_MANIFEST or len(self.members) > MOST_MEMBERS:
            raise WrongState(
                "The file storage holds more files than one backup can list: move or delete old ones first."
            )
        self._put(MANIFEST, len(text), io.BytesIO(text))
        return complete

    def _put(self, name: str, size: int, content: IO[bytes]) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = size, 0o600, int(time.time())
        self.tar.addfile(entry, content)
        self.tar.members.clear()  # type: ignore[attr-defined]  # tarfile would keep them all


class _Unzipped(gzip.GzipFile):
    """An archive's bytes. `header_left` is how many the next header may have; None while a member is read."""

    header_left: int | None = MOST_HEADER

    def read(self, size: int | None = -1) -> bytes:
        content = super().read(size)
        if self.header_left is not None:
            self.header_left -= len(content)
            if self.header_left < 0:
                raise InvalidInput(f"{DAMAGED}: a header in it is longer than any that TESA writes.")
        return content


def members(source: BinaryIO) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the name and content of each entry; read each to its end before the next. The CRC is checked at the end."""
    source.seek(0)
    with (
        _Unzipped(fileobj=source, mode="rb") as unzipped,
        tarfile.open(fileobj=unzipped, mode="r|", bufsize=CHUNK) as tar,
    ):
        while entry := tar.next():
            content = tar.extractfile(entry) if entry.isreg() and not entry.issparse() else None
            if content is None:
                raise InvalidInput(f"{DAMAGED}: {entry.name[:SHOWN]!r} is not a plain file.")
            unzipped.header_left = None
            yield entry.name, content
            unzipped.header_left = MOST_HEADER
            tar.members.clear()  # type: ignore[attr-defined]
        unzipped.header_left = None
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
                raise InvalidInput(f"{DAMAGED}: {name[:SHOWN]!r} comes after its manifest.")
            if name == MANIFEST:
                manifest = _read_manifest(content)
                continue
            if len(read_members) == MOST_MEMBERS:
                raise InvalidInput(f"{DAMAGED}: it holds over {counted(MOST_MEMBERS, 'member')}.")
            read_members.append(_summed(name, content, lambda: progress.report(source.tell(), total, CHECKING)))
    except EOFError:
        raise InvalidInput(TRUNCATED) from None
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error) as error:
        is_tar = read_members or not isinstance(error, tarfile.TarError)
        raise InvalidInput(f"{DAMAGED} ({error})." if is_tar else NOT_A_BACKUP) from None
    if manifest is None:
        raise InvalidInput(TRUNCATED if read_members and read_members[0].name.startswith(TABLES) else NOT_A_BACKUP)
    return _agreed(_parsed(manifest, VALUES_OF_A_MEMBER * len(read_members) + OTHER_VALUES), read_members)


def _read_manifest(content: IO[bytes]) -> bytes:
    text = content.read(MOST_MANIFEST + 1)
    if len(text) > MOST_MANIFEST:
        raise InvalidInput(f"has over {MOST_MANIFEST // CHUNK} MB: this backup is damaged.", where=MANIFEST)
    return text


def _summed(name: str, content: IO[bytes], tick: Callable[[], None]) -> Member:
    """Read a member to its end; return its size and hash."""
    size, digest = 0, hashlib.sha256()
    while chunk := content.read(CHUNK):
        size += len(chunk)
        digest.update(chunk)
        tick()
    return Member(name, size, digest.hexdigest())


def parsed_json(text: bytes, most_values: int) -> Any:
    """Return the value of JSON; raise ValueError before anything is made of it if it has more values in it."""
    if len(text) > FEW_BYTES:
        marks = (token for token in TOKEN.finditer(text) if text[token.start()] != ord('"'))
        if next(islice(marks, most_values, None), None):
            raise ValueError(f"it has over {most_values} values")
    return json.loads(text)


def _parsed(text: bytes, most_values: int) -> BackupReport:
    """Return the manifest; raise InvalidInput if it is not one, or of another format."""
    try:
        entries = parsed_json(text, most_values)
        number = entries["format"]
        if type(number) is int and number != FORMAT:
            raise InvalidInput(f"This backup has format {number}; this version of TESA reads format {FORMAT} only.")
        report = BackupReport(**{**entries, "members": [Member(**member) for member in entries["members"]]})
    except RecursionError:
        raise InvalidInput("is nested too deeply: this backup is damaged.", where=MANIFEST) from None
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(NO_MANIFEST, where=MANIFEST) from None
    if not _is_well_formed(report):
        raise InvalidInput(NO_MANIFEST, where=MANIFEST)
    return report


def _is_well_formed(report: BackupReport) -> bool:
    """Return whether every entry has the type that TESA writes."""
    texts = [report.version, report.created, report.database]
    for entries in (report.migrations, report.left_out):
        texts += entries if isinstance(entries, list) else [None]
    for member in report.members:
        texts += [member.name, member.sha256]
    counts = [report.format]
    counts += [number for member in report.members for number in (member.size, member.rows) if number is not None]
    return all(type(text) is str for text in texts) and all(type(n) is int and 0 <= n < 2**63 for n in counts)


def _agreed(report: BackupReport, read_members: list[Member]) -> BackupReport:
    """Return the manifest; raise InvalidInput unless it lists exactly the members that were read."""
    listed = [replace(member, rows=None) for member in report.members]
    if listed == read_members:
        return report
    for expected, actual in zip(listed, read_members, strict=False):
        if expected != actual:
            raise InvalidInput(f"{DAMAGED}: the content of {actual.name[:SHOWN]!r} is not what was written.")
    raise InvalidInput(f"{DAMAGED}: it holds {len(read_members)} members instead of {len(listed)}.")
