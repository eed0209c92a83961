"""What every source of backgrounds offers, and the values that go in and out.

A source knows pages by title. It does not decide whether a page is the entity's: `linking.py` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Protocol, TypeAlias

from corpus.articles import EntityType
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json


class Status(StrEnum):
    """How an entity came to its page, or why it has none. Values are stored and exported: never rename one."""

    EXACT = "exact"  # the page bears the name, and nothing speaks against it
    LIKELY = "likely"  # accepted on evidence; worth a look
    AMBIGUOUS = "ambiguous"  # several pages, or too little evidence: a person must choose
    MISSING = "missing"  # no page of this name and type
    BY_HAND = "by hand"  # a person chose or wrote it
    DISCARDED = "discarded"  # a person said: none


@dataclass(frozen=True)
class Page:
    """The opening of one page as its source gives it: not cleaned, not cut.

    `candidates` are titles: what a disambiguation page lists; for any other page the namesakes its source knows of.
    """

    title: str
    text: str  # the first paragraph
    url: str = ""
    page_id: int | None = None
    revision_id: int | None = None
    retrieved: date | None = None
    licence: str = ""
    source: str = ""
    redirected_from: str = ""
    is_disambiguation: bool = False
    candidates: tuple[str, ...] = ()
    type: EntityType | None = None  # where the source knows it
    aliases: tuple[str, ...] = ()  # other names of what the page is about


@dataclass(frozen=True)
class Query:
    """An entity in search of its page."""

    name: str
    type: EntityType
    strict: tuple[str, ...] = ()  # other forms of the whole name
    loose: tuple[str, ...] = ()  # ambiguous by nature: surnames
    contexts: tuple[str, ...] = ()  # short texts of the articles that mention it
    year: int | None = None  # of the latest such article


@dataclass(frozen=True)
class Verdict:
    """Which page is the entity's, what else was considered (best first), and why, in sentences for a person."""

    status: Status
    page: Page | None = None
    candidates: tuple[Page, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def is_accepted(self) -> bool:
        return self.page is not None


class BackgroundSource(Protocol):
    """An encyclopedia. Each method raises Unavailable when the source does not answer; trying again may help."""

    @property
    def name(self) -> str:
        """Return the name under which BACKGROUND_SOURCES knows it."""

    def look_up(self, title: str) -> Page | None:
        """Return the page of that title, redirects followed; no guesses."""

    def look_up_all(self, titles: Sequence[str]) -> list[Page | None]:
        """Return one page or None for each title, in order; namesakes need not be looked for."""

    def search(self, name: str, limit: int = 10) -> Sequence[str]:
        """Return titles of pages that may be about the name, the best first."""

    def close(self) -> None:
        """Let go of files and connections."""


Config: TypeAlias = Mapping[str, Json]
SourceFactory: TypeAlias = Callable[[Config], BackgroundSource]


def text_setting(config: Config, key: str, default: str | None = None) -> str:
    """Return a text of a source's configuration, or raise InvalidInput; without a default it must be there."""
    value = config.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput("must be a text that is not empty", field=key)
    return value


def number_setting(config: Config, key: str, default: float) -> float:
    """Return a number of a source's configuration that is not negative, or raise InvalidInput."""
    value = config.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise InvalidInput("must be a number that is not negative", field=key)
    return value


def refuse_unknown_settings(config: Config, known: frozenset[str]) -> None:
    """Raise InvalidInput for a setting nobody reads: a misspelt one would be ignored in silence."""
    if unknown := sorted(set(config) - known):
        raise InvalidInput(f"unknown setting; known: {', '.join(sorted(known))}", field=unknown[0])


def by_hand(page: Page, reason: str) -> Verdict:
    """Return the verdict of a person who chose or wrote this page."""
    return Verdict(Status.BY_HAND, page, reasons=(reason,))


def discarded(reason: str, candidates: Sequence[Page] = ()) -> Verdict:
    """Return the verdict of a person who found that none of the pages is the entity's."""
    return Verdict(Status.DISCARDED, candidates=tuple(candidates), reasons=(reason,))
