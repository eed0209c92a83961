"""The interface of a source of backgrounds, and the values that go in and out.

A source finds pages by title. Whether a page is about an entity is decided in `linking.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Protocol, TypeAlias

from corpus.articles import EntityType


class BackgroundStatus(StrEnum):
    """How an entity got its page, or why it has none. Values are stored and exported: never rename one."""

    EXACT = "exact"  # the page has this name, and nothing speaks against it
    LIKELY = "likely"  # accepted on evidence; worth checking
    AMBIGUOUS = "ambiguous"  # several pages, or too little evidence: a person must choose
    MISSING = "missing"  # no page of this name and type
    BY_HAND = "by hand"  # a person chose or wrote it
    DISCARDED = "discarded"  # a person decided that no page fits


@dataclass(frozen=True)
class Page:
    """The opening of a page as its source gives it, neither cleaned nor cut.

    `candidates` are titles: those that a disambiguation page lists; for any other page, the namesakes its source knows.
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
    """An entity whose page is wanted."""

    name: str
    type: EntityType
    strict: tuple[str, ...] = ()  # other forms of the whole name
    loose: tuple[str, ...] = ()  # ambiguous forms: surnames
    contexts: tuple[str, ...] = ()  # short texts of the articles that mention it
    year: int | None = None  # of the latest such article


@dataclass(frozen=True)
class PageChoice:
    """The page chosen for an entity, the other candidates (best first), and the reasons in sentences for people."""

    status: BackgroundStatus
    page: Page | None = None
    candidates: tuple[Page, ...] = ()
    reasons: tuple[str, ...] = ()


class BackgroundSource(Protocol):
    """An encyclopedia. Each method raises Unavailable if the source does not answer; retrying may help."""

    @property
    def name(self) -> str:
        """Return the key in BACKGROUND_SOURCES."""

    def look_up(self, title: str) -> Page | None:
        """Return the page with this title after following redirects; never guess another title."""

    def look_up_all(self, titles: Sequence[str]) -> list[Page | None]:
        """Return a page or None for each title, in order; their candidates may be left out."""

    def search(self, name: str, limit: int = 10) -> Sequence[str]:
        """Return titles of pages that may be about this name, best first."""

    def close(self) -> None:
        """Close files and connections."""


Config: TypeAlias = Mapping[str, str]  # a setting of the source → its value
SourceFactory: TypeAlias = Callable[[Config], BackgroundSource]


def written_by_hand(title: str, text: str, *, url: str = "", written: date | None = None) -> Page:
    """Return the page of a text that a person wrote."""
    return Page(title, text, url, retrieved=written, source="manual")  # stored and exported: never rename it


def chosen_by_hand(page: Page, reason: str) -> PageChoice:
    """Return the decision of a person who chose or wrote this page."""
    return PageChoice(BackgroundStatus.BY_HAND, page, reasons=(reason,))


def discarded(reason: str) -> PageChoice:
    """Return the decision of a person that no page fits."""
    return PageChoice(BackgroundStatus.DISCARDED, reasons=(reason,))
