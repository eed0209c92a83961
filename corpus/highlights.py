"""A text split at its mentions, for pages that colour them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from string import ascii_uppercase
from typing import NamedTuple


class Piece(NamedTuple):
    """A stretch of text; `letter` and `name` are those of the entity it mentions, both "" for plain text.

    A mention that contains others ("University of Arden") has `parts`, which make up its text.
    """

    text: str
    letter: str = ""
    name: str = ""
    parts: tuple[Piece, ...] = ()


class Span(NamedTuple):
    start: int
    end: int
    entity: int  # its number, from 0
    name: str


def letter_of(number: int) -> str:
    """Return the letter of an entity: A to Z, and Z for all later ones."""
    return ascii_uppercase[min(number, 25)]


def pieces(text: str, spans: Iterable[Span]) -> Iterator[Piece]:
    """Yield the whole text in order. A span inside another becomes a part of it; of two that overlap, the second begins
    where the first ends."""
    inside = (span for span in spans if 0 <= span.start < span.end <= len(text))
    return _cut(text, 0, len(text), sorted(inside, key=lambda span: (span.start, -span.end)))


def _cut(text: str, place: int, end: int, spans: Sequence[Span]) -> Iterator[Piece]:
    while spans:
        span, *rest = spans
        spans = [other for other in rest if other.end > span.end]
        start = max(span.start, place)
        if start >= span.end:
            continue
        if start > place:
            yield Piece(text[place:start])
        within = [other for other in rest if other.end <= span.end]
        parts = tuple(_cut(text, start, span.end, within)) if within else ()
        yield Piece(text[start : span.end], letter_of(span.entity), span.name, parts)
        place = span.end
    if place < end:
        yield Piece(text[place:end])


def pieces_html(parts: Iterable[Piece]) -> str:
    """Return the pieces as HTML, mentions with their letter and the name of their entity."""
    return "".join(_piece(piece) for piece in parts)


def _piece(piece: Piece) -> str:
    inside = pieces_html(piece.parts) if piece.parts else escape(piece.text)
    if not piece.letter:
        return inside
    name = escape(piece.name)
    return (
        f'<span class="entity entity--{piece.letter.lower()}" tabindex="0" data-name="{name}">'
        f'<span class="entity__letter" aria-hidden="true">{piece.letter}</span>'
        f'<span class="visually-hidden">({piece.letter}: {name}) </span>{inside}</span>'
    )
