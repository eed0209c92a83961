"""What a page or an API list is asked to show: a type of entity, a number of entities, words, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from corpus.articles import EntityType
from corpus.frozen import SIZES
from corpus.names_from import NamesFrom

SORTS = ("name", "articles", "instances", "published")


@dataclass(frozen=True)
class ListFilters:
    """The filters of a list; "" and 0 mean everything."""

    type: str = ""
    size: int = 0
    names_from: str = ""
    words: str = ""
    sort: str = ""  # a column, with "-" before it the largest first

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ListFilters:
        """Return the filters in a query string; unknown types and sizes are ignored."""
        type_, size = query.get("type", ""), query.get("size", "")
        return cls(
            type_ if type_ in list(EntityType) else "",
            int(size) if size in map(str, SIZES) else 0,
            names_from if (names_from := query.get("names_from", "")) in list(NamesFrom) else "",
            query.get("words", "").replace("\x00", "").strip(),
            sort if (sort := query.get("sort", "")).removeprefix("-") in SORTS else "",
        )

    @property
    def context(self) -> dict[str, Any]:
        """Return what templates show: the choices, the filters, and the query that keeps them while paging."""
        filters = {
            "type": self.type,
            "size": str(self.size or ""),
            "names_from": self.names_from,
            "words": self.words,
            "sort": self.sort,
        }
        query = urlencode({name: value for name, value in filters.items() if value})
        choices = {
            "types": list(EntityType),
            "sizes": [str(size) for size in SIZES],
            "name_origins": list(NamesFrom),
        }
        return {**choices, **filters, "query": query}
