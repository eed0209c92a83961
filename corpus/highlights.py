"""A text cut at its mentions, for a page that colours them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_uppercase


@dataclass(frozen=True)
class Piece:
    """A stretch of text; `letter` and `name` tell the entity it mentions, both "" for plain text."""

    text: str
    letter: str = ""
    name: str = ""


@dataclass(frozen=True)
class Span:
    start: int
    end: int
    entity: int  # which one, counted from 0
    name: str


def letter_of(number: int) -> str:
    """Return A to Z, and what comes after Z without a letter of its own as Z."""
    return ascii_uppercase[min(number, 25)]


def pieces(text: str, spans: Iterable[Span]) -> Iterator[Piece]:
    """Yield the text in order, whole; a span that overlaps an earlier one is left plain."""
    place = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.start < place or span.end > len(text):
            continue
        if span.start > place:
            yield Piece(text[place : span.start])
        yield Piece(text[span.start : span.end], letter_of(span.entity), span.name)
        place = span.end
    if place < len(text):
        yield Piece(text[place:])
