"""Pages from a local file of JSON lines, read through an index. The README of this folder documents the schema."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from corpus.backgrounds.base import Config, Page
from corpus.backgrounds.dump_index import NameKind, Summary, connect, make_current
from corpus.backgrounds.rows import page_of
from corpus.backgrounds.titles import title_key, title_words
from kernel.errors import Unavailable
from kernel.progress import Silent

INDEX_SUFFIX = ".index.sqlite3"
MOST_NAMESAKES = 50
MOST_HOPS = 8  # of redirects
_TERM = re.compile(r"[^\W_]+")  # words as SQLite splits them, without quotation marks, which would end the term
_SEARCHED = 200  # titles with all the words, of which the shortest are returned


class DumpSource:
    """A dump and its index, which is built if it is missing or out of date.

    Open it in the process that reads from it; threads may share it. Changes to the dump while it is open are ignored.
    """

    name: ClassVar[str] = "dump"

    def __init__(self, dump: Path, index: Path | None = None) -> None:
        self.dump = dump
        self.index = index or dump.with_name(dump.name + INDEX_SUFFIX)
        self.summary: Summary = make_current(dump, self.index, Silent())
        self._database = connect(self.index)

    def look_up(self, title: str) -> Page | None:
        page = self._page(title)
        if page is None:
            return None
        titles = self._to(title_key(page.title), NameKind.TITLE, NameKind.BARE)
        namesakes = [title for title in titles if title != page.title]
        return replace(page, candidates=tuple(dict.fromkeys([*page.candidates, *namesakes])))

    def look_up_all(self, titles: Sequence[str]) -> list[Page | None]:
        return [self._page(title) for title in titles]

    def search(self, name: str, limit: int = 10) -> list[str]:
        """Return titles: the name, also with a qualifier, then pages with that alias, then titles with its words."""
        titles = dict.fromkeys(self._to(title_key(name), *NameKind))
        if len(titles) < limit:
            titles |= dict.fromkeys(self._with_words(name))
        return list(titles)[:limit]

    def close(self) -> None:
        self._database.close()

    def _page(self, title: str) -> Page | None:
        """Return the page at the end of the redirects; None if they form a circle or lead nowhere."""
        requested = title
        for hop in range(MOST_HOPS):
            step = self._step(title)
            if step is None:
                return None
            name, target, is_redirect = step
            page = self._read(target)
            if page is not None:
                return replace(page, redirected_from=requested if is_redirect or hop else "")
            if not is_redirect or target == name:
                return None
            title = target
        return None

    def _step(self, title: str) -> tuple[str, str, bool] | None:
        """Return the name that matches a title, its target, and whether it is a redirect.

        Of several names that fold alike, the one spelt like the title is preferred, then a page to a redirect.
        """
        rows = self._execute(
            "SELECT name, target, kind FROM name WHERE key = ? AND kind <= ? ORDER BY name <> ?, kind, name LIMIT 1",
            (title_key(title), NameKind.REDIRECT, title),
        )
        return next(((name, target, kind == NameKind.REDIRECT) for name, target, kind in rows), None)

    def _read(self, title: str) -> Page | None:
        rows = self._execute("SELECT body FROM page WHERE title = ? ORDER BY id LIMIT 1", (title,))
        for (body,) in rows:
            return replace(page_of(json.loads(body)), source=self.name)
        return None

    def _to(self, key: str, *kinds: NameKind) -> Iterator[str]:
        """Yield the titles of the pages to which names of these kinds lead, one kind after the other."""
        statement = "SELECT DISTINCT target FROM name WHERE key = ? AND kind = ? ORDER BY target LIMIT ?"
        for kind in kinds:
            yield from (target for (target,) in self._execute(statement, (key, kind, MOST_NAMESAKES)))

    def _with_words(self, name: str) -> list[str]:
        wanted = " AND ".join(f'"{word}"' for word in dict.fromkeys(_TERM.findall(" ".join(title_words(name)))))
        if not wanted:
            return []
        rows = self._execute(
            "SELECT page.title FROM title_words JOIN page ON page.id = title_words.rowid"
            " WHERE title_words MATCH ? ORDER BY title_words.rowid LIMIT ?",
            (wanted, _SEARCHED),
        )
        return sorted((title for (title,) in rows), key=lambda title: (len(title), title))

    def _execute(self, statement: str, values: tuple[str | int, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise Unavailable(f"the index of the dump {self.dump.name} cannot be read ({error})") from error


def from_config(config: Config) -> DumpSource:
    """Return the source of the dump at "path"; its index is stored at "index"."""
    return DumpSource(Path(config["path"]), Path(config["index"]))
