"""Reading the documents under a path: single files, folders, and archives read in place."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import filterfalse
from pathlib import Path

from corpus.articles import SourceArticle
from corpus.sources.archives import ARCHIVES, is_archive, members, too_large, zip_ranges
from corpus.sources.base import MAX_ARTICLE_BYTES, Document, Problem, Unit
from corpus.sources.opening import open_regular, why
from corpus.sources.texts import clean
from kernel.errors import InvalidInput
from kernel.values import batches

KEEP_OUT = ".tesa-keep-out"  # a folder that contains this file is skipped, unless it is named itself
FILES_PER_UNIT = 500  # in the LDC layout a day of a newspaper is about 250


@dataclass(frozen=True)
class Folder:
    """The files of a folder that a source reads; `names` is empty if the folder could not be listed."""

    path: Path
    within: str  # path within the corpus; "" for the corpus itself
    names: tuple[str, ...]


def document_units(path: Path, suffixes: tuple[str, ...], per_unit: int = FILES_PER_UNIT) -> Iterator[Unit]:
    """Yield units for a file, an archive, or all files with these suffixes and all archives under a folder."""
    if is_file(path):
        yield from _file_units(path, "")
        return
    for folder in folders(path, (*suffixes, *ARCHIVES)):
        if not folder.names:
            yield unlisted(folder)
        for names in batches(filterfalse(is_archive, folder.names), per_unit):
            key = f"{folder.within or '.'}[{names[0]}+{len(names)}]"
            yield Unit(key, folder.path, folder.within, tuple(names))
        for name in filter(is_archive, folder.names):
            yield from _file_units(folder.path / name, folder.within)


def documents(unit: Unit, suffixes: tuple[str, ...], limit: int = MAX_ARTICLE_BYTES) -> Iterator[Document | Problem]:
    """Yield each document of a unit with its bytes; documents over the limit are never loaded."""
    if unit.names:
        for name in unit.names:
            yield _read_file(unit.path / name, _join(unit.folder, name), limit)
    elif is_archive(unit.path.name):
        inside = _join(unit.folder, unit.path.name)
        is_empty = True
        for member in members(unit.path, suffixes, limit, unit.start, unit.stop):
            is_empty = False
            yield member if isinstance(member, Problem) else replace(member, name=_stem(f"{inside}/{member.name}"))
        if is_empty and unit.stop is None:
            reason = f"the archive contains nothing to read (looked for {', '.join(suffixes)})"
            yield Problem(clean(str(unit.path)), reason)
    else:
        yield _read_file(unit.path, _join(unit.folder, unit.path.name), limit)


@dataclass(frozen=True)
class DocumentSource:
    """A format with one article per document; an InvalidInput from `parse` becomes that document's Problem."""

    name: str
    suffixes: tuple[str, ...]
    parse: Callable[[Document], SourceArticle]

    def units(self, path: Path) -> Iterator[Unit]:
        return document_units(path, self.suffixes)

    def read(self, unit: Unit) -> Iterator[SourceArticle | Problem]:
        for document in documents(unit, self.suffixes):
            if isinstance(document, Problem):
                yield document
                continue
            try:
                yield self.parse(document)
            except InvalidInput as error:
                yield Problem(document.where, error.problem)


def is_file(path: Path) -> bool:
    """Return whether a path is a file rather than a folder; raise InvalidInput if it is neither or cannot be opened."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
        elif stat.S_ISREG(mode):
            open_regular(path).close()
        else:
            raise InvalidInput("this is neither a file nor a folder", where=clean(str(path)))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"this path cannot be read ({why(error)})", where=clean(str(path))) from error
    return stat.S_ISREG(mode)


def folders(path: Path, suffixes: tuple[str, ...]) -> Iterator[Folder]:
    """Yield each folder that contains something to read, in sorted order; raise InvalidInput if there is none.

    Hidden files and folders are skipped, and so are folders with a file KEEP_OUT, which contain uploads. Links to files
    are followed, links to folders are not.
    """
    is_empty = True
    failed: list[Folder] = []

    def note(error: OSError) -> None:
        failed.append(Folder(Path(error.filename), _within(path, error.filename), ()))

    for here, below, names in os.walk(path, onerror=note):
        below[:] = sorted(name for name in below if _is_entered(here, name))
        wanted = tuple(sorted(name for name in names if name.lower().endswith(suffixes) and not name.startswith(".")))
        yield from failed
        failed.clear()
        if wanted:
            is_empty = False
            yield Folder(Path(here), _within(path, here), wanted)
    yield from failed
    if is_empty:
        known = ", ".join(suffixes)
        raise InvalidInput(f"this folder contains nothing to read (looked for {known})", where=clean(str(path)))


def unlisted(folder: Folder) -> Unit:
    """Return a unit for a folder that could not be listed: reading it fails again and gives a Problem."""
    return Unit(f"{folder.within}/", folder.path, folder.within)


def _file_units(path: Path, folder: str) -> Iterator[Unit]:
    key = _join(folder, path.name)
    ranges = zip_ranges(path)
    if len(ranges) < 2:
        yield Unit(key, path, folder)
        return
    for start, stop in ranges:
        yield Unit(f"{key}[{start}:{stop}]", path, folder, start=start, stop=stop)


def _read_file(path: Path, name: str, limit: int) -> Document | Problem:
    where = clean(str(path))
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                return too_large(where, size, limit)
            return Document(_stem(name), where, file.read(limit))
    except OSError as error:
        return Problem(where, f"the file cannot be read ({why(error)})")


def _is_entered(here: str, name: str) -> bool:
    return not name.startswith(".") and not os.path.exists(os.path.join(here, name, KEEP_OUT))


def _within(corpus: Path, here: str) -> str:
    return "" if Path(here) == corpus else Path(here).relative_to(corpus).as_posix()


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _stem(name: str) -> str:
    head, dot, suffix = name.rpartition(".")
    return clean(head if dot and head and "/" not in suffix else name)
