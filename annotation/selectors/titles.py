"""The titles of the installation, as task types look them up."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.backgrounds.title_lookup import MOST_HITS, NamedPage, TitleHit, TitleLookup
from corpus.selectors.titles import named_pages, search_titles


class StoredTitles:
    def search(self, words: str, limit: int = MOST_HITS) -> Sequence[TitleHit]:
        return search_titles(words, limit)

    def named(self, written: Sequence[str]) -> Sequence[NamedPage]:
        return named_pages(written)


TITLES: TitleLookup = StoredTitles()
