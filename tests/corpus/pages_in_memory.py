"""A source of backgrounds that holds a few pages in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from corpus.backgrounds.base import Page
from corpus.backgrounds.titles import bare_titles, title_key, title_words


class PagesInMemory:
    """Pages by title; of two with the same title the later one counts."""

    name: ClassVar[str] = "memory"

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
