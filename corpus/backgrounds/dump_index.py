"""The index of a dump: a SQLite file, built in one pass with constant memory and never changed afterwards.

Tables: `page` (one row per page, with its JSON), `name` (the names of a page: title, redirects, bare titles, aliases),
`title_words` (full-text search over titles), `problem` and `meta`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from corpus.backgrounds.rows import DumpRow, row_from, row_of
from corpus.backgrounds.titles import bare_titles, title_key
from corpus.sources.base import Problem
from corpus.sources.lines import limited_lines, parse_json
from corpus.sources.opening import DAMAGED, open_regular, unpacked, why
from kernel.errors import InvalidInput
from kernel.progress import Progress
from kernel.values import batches, canonical_json

SCHEMA = "2"
HEAD_BYTES = 64 * 1024
ROWS_PER_BATCH = 2_000
PROBLEMS_KEPT = 1_000  # further ones are only counted
MAX_LINE_BYTES = 2**20
REPORT_EVERY = 5_000  # lines: several times a second

_TABLES = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -16000;
    PRAGMA temp_store = FILE;
    CREATE TABLE page (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL);
    CREATE TABLE name (key TEXT NOT NULL, kind INTEGER NOT NULL, name TEXT NOT NULL, target TEXT NOT NULL);
    CREATE VIRTUAL TABLE title_words USING fts5
        (words, content='', detail='none', columnsize=0, tokenize='unicode61 remove_diacritics 0');
    CREATE TABLE problem (line INTEGER NOT NULL, reason TEXT NOT NULL);
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_INDEXES = """
    CREATE INDEX page_title ON page (title);
    CREATE INDEX name_key ON name (key, kind, name, target);
"""
_DUPLICATES = """
    SELECT page.id, page.line, page.title, first.line FROM page
    JOIN (SELECT title, MIN(id) AS id, MIN(line) AS line FROM page GROUP BY title HAVING COUNT(*) > 1) AS first
    ON first.title = page.title AND first.id < page.id ORDER BY page.id
"""


class NameKind(IntEnum):
    """How a name leads to a page, most certain first."""

    TITLE = 0
    REDIRECT = 1
    BARE = 2  # the title without its qualifier
    ALIAS = 3


@dataclass(frozen=True)
class Summary:
    """The size of an index, and the problems of its dump."""

    pages: int
    redirects: int
    problem_count: int
    problems: tuple[Problem, ...]  # the first ones


def fingerprint(dump: Path) -> str:
    """Return a text that changes with the dump: its size, its time and a hash of its beginning."""
    try:
        with open_regular(dump) as file:
            head = hashlib.sha256(file.read(HEAD_BYTES)).hexdigest()
            status = os.fstat(file.fileno())
    except OSError as error:
        raise InvalidInput(f"the dump cannot be read ({why(error)})", where=str(dump)) from error
    return f"{SCHEMA} {status.st_size} {status.st_mtime_ns} {head}"


def make_current(dump: Path, index: Path, progress: Progress) -> Summary:
    """Build the index if it is missing or out of date, and return its summary."""
    if not is_current(index, fingerprint(dump)):
        build(dump, index, progress)
    with suppress(OSError):  # it belongs to another user
        os.utime(index)  # unused indexes are deleted by the daily clean-up
    with closing(connect(index)) as database:
        meta = read_meta(database)
        rows = database.execute("SELECT line, reason FROM problem ORDER BY line, reason")
        problems = tuple(Problem(f"{dump}:{line}", reason) for line, reason in rows)
    return Summary(int(meta["pages"]), int(meta["redirects"]), int(meta["problems"]), problems)


def is_current(index: Path, mark: str) -> bool:
    """Return whether the index exists, is complete and was built from the dump with this fingerprint."""
    try:
        with closing(connect(index)) as database:
            return read_meta(database).get("fingerprint") == mark
    except sqlite3.Error:
        return False


def connect(index: Path) -> sqlite3.Connection:
    """Open an index for reading. No locks are needed: an index is replaced as a whole, never changed."""
    return sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)


def read_meta(database: sqlite3.Connection) -> dict[str, str]:
    return dict(database.execute("SELECT key, value FROM meta"))


def build(dump: Path, index: Path, progress: Progress) -> None:
    """Build the index in a temporary file, then move it into place in one step."""
    mark = fingerprint(dump)
    try:
        index.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{index.name}.", suffix=".new", dir=index.parent)
    except OSError as error:
        raise InvalidInput(f"the index of the dump cannot be written ({why(error)})", where=str(index)) from error
    os.close(handle)
    new = Path(name)
    try:
        with closing(sqlite3.connect(new, isolation_level=None)) as database:
            _fill(database, dump, mark, progress)
        with new.open("rb") as file:
            os.fsync(file.fileno())
        new.chmod(0o644)
        new.replace(index)
    except sqlite3.Error as error:
        raise InvalidInput(f"the index of the dump cannot be written ({error})", where=str(index)) from error
    finally:
        new.unlink(missing_ok=True)


def _fill(database: sqlite3.Connection, dump: Path, mark: str, progress: Progress) -> None:
    database.executescript(_TABLES)
    database.execute("BEGIN")
    counts = _Counts()
    for batch in batches(read_rows(dump, progress), ROWS_PER_BATCH):
        _insert(database, batch, counts)
    database.execute("COMMIT")
    progress.report(0, None, "sorting titles")
    database.executescript(_INDEXES)
    _drop_duplicates(database, counts)
    meta = {"fingerprint": mark, "pages": counts.pages, "redirects": counts.redirects, "problems": counts.problems}
    database.executemany("INSERT INTO meta VALUES (?, ?)", [(key, str(value)) for key, value in meta.items()])


@dataclass
class _Counts:
    pages: int = 0
    redirects: int = 0
    problems: int = 0


def _insert(database: sqlite3.Connection, batch: list[tuple[int, DumpRow | str]], counts: _Counts) -> None:
    pages: list[tuple[int, int, str, str]] = []
    names: list[tuple[str, int, str, str]] = []
    words: list[tuple[int, str]] = []
    for line, row in batch:
        if isinstance(row, str):
            _note(database, line, row, counts)
            continue
        key = title_key(row.title)
        names += _names(row, key)
        if row.page:
            counts.pages += 1
            pages.append((counts.pages, line, row.title, canonical_json(row_from(row.page))))
            words.append((counts.pages, key))
        else:
            counts.redirects += 1
    database.executemany("INSERT INTO page VALUES (?, ?, ?, ?)", pages)
    database.executemany("INSERT INTO name VALUES (?, ?, ?, ?)", names)
    database.executemany("INSERT INTO title_words (rowid, words) VALUES (?, ?)", words)


def _names(row: DumpRow, key: str) -> Iterator[tuple[str, int, str, str]]:
    if row.page is None:
        yield key, NameKind.REDIRECT, row.title, row.target
        return
    yield key, NameKind.TITLE, row.title, row.title
    for kind, names in (
        (NameKind.REDIRECT, row.redirects),
        (NameKind.BARE, bare_titles(row.title)),
        (NameKind.ALIAS, row.page.aliases),
    ):
        yield from ((title_key(name), kind, name, row.title) for name in names)


def _note(database: sqlite3.Connection, line: int, reason: str, counts: _Counts) -> None:
    counts.problems += 1
    if counts.problems <= PROBLEMS_KEPT:
        database.execute("INSERT INTO problem VALUES (?, ?)", (line, reason))


def _drop_duplicates(database: sqlite3.Connection, counts: _Counts) -> None:
    """Keep the first page of each title, and record the other lines as problems."""
    for number, line, title, first in database.execute(_DUPLICATES).fetchall():
        database.execute("DELETE FROM page WHERE id = ?", (number,))
        counts.pages -= 1
        _note(database, line, f"the title {json.dumps(title, ensure_ascii=False)} was on line {first} already", counts)


# ---- Reading the dump -----------------------------------------------------------------------------


def read_rows(dump: Path, progress: Progress) -> Iterator[tuple[int, DumpRow | str]]:
    """Yield the number of each line with its row, or with the reason why it cannot be read; skip blank lines."""
    number = 0
    try:
        with open_regular(dump) as file:
            total = file.seek(0, 2)
            file.seek(0)
            for number, line in limited_lines(unpacked(file), MAX_LINE_BYTES):
                if number % REPORT_EVERY == 0:
                    progress.report(file.tell(), total, "reading pages")
                if line is None or line.strip():
                    yield number, _row(line)
    except DAMAGED:
        yield number + 1, "the compressed file is damaged or cut short here"
    except OSError as error:
        yield number + 1, f"the file cannot be read any further ({why(error)})"


def _row(line: bytes | None) -> DumpRow | str:
    if line is None:
        return f"the line is too long (at most {MAX_LINE_BYTES:,} bytes are read)"
    try:
        return row_of(parse_json(line))
    except InvalidInput as error:
        return str(error)
