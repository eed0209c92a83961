"""What a look-up of titles answers, and the keys by which titles are searched.

Case, accents, underscores, hyphens and full stops do not count in a key. Keys are bytes, so that both databases order
them alike and find a beginning through an index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from corpus.backgrounds.addresses import NotAPage, read_page
from corpus.backgrounds.page_kinds import WHY_NOT, PageKind, kind_of_page
from corpus.backgrounds.paragraphs import ELLIPSIS, clean_paragraph
from corpus.backgrounds.titles import title_words
from corpus.sentences import split_sentences

MOST_HITS = 10
LONGEST_QUERY = 300  # characters
LONGEST_OPENING = 300
WORD_KEY = 64  # bytes that are kept of a title from one of its words on
BEHIND = b"\xff"  # comes after every byte of a key


@dataclass(frozen=True)
class TitleHit:
    """A page that a search brings; `why_not` says why it cannot be chosen."""

    title: str  # behind all redirects
    opening: str = ""  # the first sentence
    kind: PageKind = PageKind.ARTICLE
    redirected_from: str = ""  # the title that was searched, where it redirects
    why_not: str = ""


@dataclass(frozen=True)
class NamedPage:
    """The page that somebody named; `is_known`: the installation has it; `why_not` says why it cannot stand."""

    title: str
    opening: str = ""
    is_known: bool = False
    why_not: str = ""


class TitleLookup(Protocol):
    """Where titles are looked up."""

    def search(self, words: str, limit: int = MOST_HITS) -> Sequence[TitleHit]:
        """Return pages whose title begins with these words, then those that have them."""

    def named(self, written: Sequence[str]) -> Sequence[NamedPage]:
        """Return the page that each title or address names."""


def key_of(title: str) -> bytes:
    """Return the key of a title; titles of signs alone keep them."""
    return (" ".join(title_words(title)) or title.casefold().strip()).encode(errors="replace")


def word_keys(title: str) -> list[bytes]:
    """Return the beginning of a title's key from each of its words on."""
    words = key_of(title).decode().split(" ")
    return [beginning_of(" ".join(words[place:]).encode()) for place in range(len(words))]


def beginning_of(key: bytes) -> bytes:
    return key[:WORD_KEY]


def has_words(key: bytes, words: Sequence[bytes]) -> bool:
    """Tell whether each of these begins a word of the key."""
    padded = b" " + key
    return all(b" " + word in padded for word in words)


def opening_of(text: str) -> str:
    """Return the first sentence of a page's text as people read it."""
    cleaned = clean_paragraph(text[:4_000])
    first = next((cleaned[start:end] for start, end in split_sentences(cleaned)), "").strip()
    if len(first) <= LONGEST_OPENING:
        return first
    cut = first[:LONGEST_OPENING].rpartition(" ")[0] or first[: LONGEST_OPENING - 1]
    return f"{cut.rstrip(' ,;:–—-(')}{ELLIPSIS}"


def unknown_page(written: str) -> NamedPage:
    """Return the page that a title or address names where nothing is known of it, or why it names none."""
    try:
        page = read_page(written)
    except NotAPage as error:
        return NamedPage("", why_not=str(error))
    if page.page_id is not None:
        return NamedPage("", why_not=f"No page of this installation has the number {page.page_id}: write its title.")
    return NamedPage(page.title, why_not=WHY_NOT.get(kind_of_page(page.title), ""))
