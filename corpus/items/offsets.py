"""Offsets into a text as other tools count them, brought to Unicode code points.

Tools in JavaScript and Java count UTF-16 code units, some count bytes of UTF-8. Only words beside the offsets show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class NamedPlace:
    """A piece of a text as a file names it; `words` is None where the file does not say them."""

    start: int
    end: int
    words: str | None = None

    @property
    def span(self) -> str:
        return f"{self.start}-{self.end}"

    def stands_in(self, text: str, start: int, end: int) -> bool:
        return self.words in (None, text[start:end])


Spans: TypeAlias = list[tuple[int, int]]


def in_code_points(text: str, places: Sequence[NamedPlace]) -> Spans | None:
    """Return where the places begin and end; None if the text does not have all of them, however they are counted."""
    if all(place.end <= len(text) and place.stands_in(text, place.start, place.end) for place in places):
        return [(place.start, place.end) for place in places]
    for width in (_units, _bytes) if any(place.words for place in places) else ():
        points = dict(_points(text, width))
        spans = [(points.get(place.start, -1), points.get(place.end, -1)) for place in places]
        if all(
            start >= 0 and end >= 0 and place.stands_in(text, start, end)
            for place, (start, end) in zip(places, spans, strict=True)
        ):
            return spans
    return None


def _points(text: str, width: Callable[[str], int]) -> Iterator[tuple[int, int]]:
    """Yield each offset of another count with its code points; none inside a character."""
    counted = 0
    yield 0, 0
    for number, sign in enumerate(text, 1):
        counted += width(sign)
        yield counted, number


def _units(sign: str) -> int:
    return 2 if ord(sign) > 0xFFFF else 1


def _bytes(sign: str) -> int:
    return len(sign.encode("utf-8", "surrogatepass"))
