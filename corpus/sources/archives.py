"""Reading members of zip and tar archives in place: nothing is written to disk, and links are never followed."""

from __future__ import annotations

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from corpus.sources.base import Document, Problem
from corpus.sources.opening import File, open_regular, unpacked, why
from corpus.sources.texts import clean

ZIP = ".zip"
TARS = (".tar", ".tgz", ".tar.gz", ".tbz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz")
ARCHIVES = (ZIP, *TARS)
COMPRESSED = (".gz", ".bz2", ".xz")  # one file, compressed
NOT_READ = (".zst", ".tzst", ".7z", ".rar", ".lz", ".lzma", ".lz4", ".z", ".br")
FOR_LINES = ".jsonl, .jsonl.gz, .jsonl.bz2 or .jsonl.xz"
FOR_DOCUMENTS = ".zip, .tar, .tar.gz, .tar.bz2 or .tar.xz"
MEMBERS_PER_UNIT = 2_000
UNITS_PER_ZIP = 64  # every unit reads the whole table of contents, so a huge zip is not split further
MAX_UNPACKED_BYTES = 16 * 2**30  # of one tar, which can only be read from the start; a month of news is 0.1 GiB
MAX_HEADER_BYTES = 2**20
END_OF_TAR = bytes(tarfile.BLOCKSIZE)
# What the standard library raises for damaged archives; RuntimeError for encrypted members and endless headers.
ARCHIVE_ERRORS = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    OverflowError,
)


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def refusal(source: str, name: str) -> str:
    """Return why a file with this name cannot be read, and what can; "" if it may be readable."""
    lowered = name.lower()
    if not (is_archive(lowered) or lowered.endswith((*COMPRESSED, *NOT_READ))):
        return ""
    if source == "jsonl":
        is_supported, kinds = lowered.endswith(COMPRESSED) and not is_archive(lowered), FOR_LINES
    else:
        is_supported, kinds = is_archive(lowered), f"a file, or as an archive: {FOR_DOCUMENTS}"
    return "" if is_supported else f"{name} cannot be read in this format: unpack it first, and send it as {kinds}."


def zip_sizes(path: Path) -> tuple[int, ...]:
    """Return the unpacked size of each member of a zip; none for a damaged one."""
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            return tuple(member.file_size for member in archive.infolist())
    except ARCHIVE_ERRORS:
        return ()


def zip_ranges(path: Path) -> list[tuple[int, int]]:
    """Return ranges of members into which a zip is best split; [] for other files and damaged zips."""
    if not path.name.lower().endswith(ZIP):
        return []
    count = len(zip_sizes(path))
    step = max(MEMBERS_PER_UNIT, -(-count // UNITS_PER_ZIP))
    return [(start, min(start + step, count)) for start in range(0, count, step)]


def members(
    path: Path, suffixes: tuple[str, ...], limit: int, start: int = 0, stop: int | None = None
) -> Iterator[Document | Problem]:
    """Yield the members with these suffixes; `start` and `stop` select members of a zip by number."""
    if path.name.lower().endswith(ZIP):
        yield from _zip_members(path, suffixes, limit, start, stop)
    else:
        yield from _tar_members(path, suffixes, limit)


def _zip_members(
    path: Path, suffixes: tuple[str, ...], limit: int, start: int, stop: int | None
) -> Iterator[Document | Problem]:
    with ExitStack() as opened:
        try:
            archive = opened.enter_context(zipfile.ZipFile(opened.enter_context(open_regular(path))))
        except ARCHIVE_ERRORS as error:
            yield Problem(clean(str(path)), f"the zip archive cannot be read, or is cut short ({_words(error)})")
            return
        for info in archive.infolist()[start:stop]:
            where = _where(path, info.filename)
            if refusal := _refusal(info.filename, stat.S_ISLNK(info.external_attr >> 16)):
                yield Problem(where, refusal)
            elif info.is_dir() or not _is_wanted(info.filename, suffixes):
                continue
            elif info.file_size > limit:
                yield too_large(where, info.file_size, limit)
            else:
                yield _zip_member(archive, info, where)


def _zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> Document | Problem:
    try:
        with archive.open(info) as file:
            return Document(info.filename, where, file.read(info.file_size))
    except ARCHIVE_ERRORS as error:
        return Problem(where, f"this member of the archive cannot be unpacked ({_words(error)})")


def _tar_members(path: Path, suffixes: tuple[str, ...], limit: int) -> Iterator[Document | Problem]:
    count = 0
    try:
        with open_regular(path) as file:
            tape = _Tape(unpacked(file), max(limit, MAX_HEADER_BYTES))
            for archive, info in _tar_headers(tape):
                count += 1
                if member := _tar_member(path, archive, info, suffixes, limit):
                    yield member
    except ARCHIVE_ERRORS as error:
        why = f"the archive is damaged or cut short after {count:,} members ({_words(error)})"
        yield Problem(clean(str(path)), why)


def _tar_headers(tape: _Tape) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    with tarfile.TarFile(fileobj=tape) as archive:  # type: ignore[arg-type]  # it only needs read, seek and tell
        total = 0
        while (info := archive.next()) is not None:
            if info.size < 0:  # tarfile would read the same headers for ever
                raise tarfile.ReadError("a member has a negative size")
            total += info.size
            if total > MAX_UNPACKED_BYTES:
                raise tarfile.ReadError(f"it unpacks to more than {MAX_UNPACKED_BYTES:,} bytes")
            yield archive, info
            archive.members.clear()  # type: ignore[attr-defined]  # otherwise it keeps every header it has seen
    if tape.last != END_OF_TAR:  # tarfile takes a damaged or missing header for the end
        raise tarfile.ReadError("the end mark is missing")


def _tar_member(
    path: Path, archive: tarfile.TarFile, info: tarfile.TarInfo, suffixes: tuple[str, ...], limit: int
) -> Document | Problem | None:
    where = _where(path, info.name)
    if info.isdir():
        return None
    if refusal := _refusal(info.name, info.issym() or info.islnk()):
        return Problem(where, refusal)
    if not info.isreg() or not _is_wanted(info.name, suffixes):
        return None
    if info.size > limit:
        return too_large(where, info.size, limit)
    file = archive.extractfile(info)
    return Document(_plain(info.name), where, file.read() if file else b"")


class _Tape:
    """A tar stream that refuses huge headers, and remembers the last block to distinguish a real end from a cut."""

    def __init__(self, file: File, limit: int) -> None:
        self.file, self.limit, self.last = file, limit, b""

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= self.limit:
            raise tarfile.ReadError("a header is too large")
        self.last = self.file.read(size)
        return self.last

    def seek(self, position: int) -> int:
        return self.file.seek(position)

    def tell(self) -> int:
        return self.file.tell()


def _refusal(name: str, is_link: bool) -> str:
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or parts[0] == "" or parts[0].endswith(":"):
        return "this name leads outside the archive, so it was not read"
    return "this is a link, and links in archives are not followed" if is_link else ""


def _is_wanted(name: str, suffixes: tuple[str, ...]) -> bool:
    parts = _plain(name).split("/")
    return name.lower().endswith(suffixes) and not any(part.startswith((".", "__MACOSX")) for part in parts)


def _plain(name: str) -> str:
    return name.removeprefix("./")


def _where(path: Path, name: str) -> str:
    return clean(f"{path}/{_plain(name)}")


def too_large(where: str, size: int, limit: int) -> Problem:
    return Problem(where, f"the file is too large ({size:,} bytes; at most {limit:,} are read)")


def _words(error: Exception) -> str:
    return clean(why(error)).rstrip(".") or type(error).__name__
