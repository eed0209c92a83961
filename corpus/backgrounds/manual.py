"""Pages given by hand: the few that somebody wrote or corrected, kept in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import ClassVar

from corpus.backgrounds.base import Config, Page, refuse_unknown_settings
from corpus.backgrounds.rows import page_of
from corpus.backgrounds.titles import bare_titles, title_key, title_words
from tesa_site.kernel.errors import InvalidInput


class ManualSource:
    """Pages by title; of two with one title the later holds."""

    name: ClassVar[str] = "manual"

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = {title_key(page.title): replace(page, source=page.source or self.name) for page in pages}

    def look_up(self, title: str) -> Page | None:
        page = self._pages.get(title_key(title))
        if page is None or page.is_disambiguation:
            return page
        key = title_key(title)
        namesakes = [other.title for other in self._pages.values() if key in map(title_key, bare_titles(other.title))]
        return replace(page, candidates=tuple(sorted(namesakes)))

    def look_up_all(self, titles: Sequence[str]) -> list[Page | None]:
        return [self.look_up(title) for title in titles]

    def search(self, name: str, limit: int = 10) -> list[str]:
        """Return the titles that hold all words of the name, the shortest first."""
        wanted = set(title_words(name))
        titles = [page.title for page in self._pages.values() if wanted and wanted <= set(title_words(page.title))]
        return sorted(titles, key=lambda title: (len(title), title))[:limit]

    def close(self) -> None:
        pass


def written_by_hand(title: str, text: str, *, url: str = "", written: date | None = None) -> Page:
    """Return the page of a text that a person wrote."""
    return Page(title, text, url, retrieved=written, source=ManualSource.name)


def from_config(config: Config) -> ManualSource:
    """Return the source of {"pages": [rows as in a dump]}."""
    refuse_unknown_settings(config, frozenset({"pages"}))
    rows = config.get("pages", [])
    if not isinstance(rows, list):
        raise InvalidInput("must be a list of pages", field="pages")
    return ManualSource(page_of(row) for row in rows)
