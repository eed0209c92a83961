"""Where each offset of a text lies in another version of it, such as the transcript in recognized speech.

The letters are aligned with as few changes as possible. Where that can be done in several ways, read from the end, a
match is preferred to a substitution, that to a deletion and that to an insertion: the same texts always give the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_BLOCK = 4_000  # letters that are aligned at once; longer texts are aligned by their words first
_WORD = re.compile(r"\w+|[^\w\s]|\s+")


@dataclass(frozen=True)
class Alignment:
    """`offsets[i]` is where the offset i lies in the other text; `kept[i]`: whether letter i has an image there."""

    offsets: tuple[int, ...]
    kept: tuple[bool, ...]


def align(text: str, other: str) -> Alignment:
    """Return where each offset of `text`, its end included, lies in `other`. Letters are compared without case."""
    offsets, kept = [0], list[bool]()
    for (start, end), (first, last) in _blocks(text, other):
        images, own_kept = _block(text[start:end], other[first:last])
        offsets[-1:] = [first + image for image in images]
        kept += own_kept
    return Alignment(tuple(offsets), tuple(kept))


def _blocks(text: str, other: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield pieces of both texts that lie opposite each other, from start to end."""
    if max(len(text), len(other)) <= LONGEST_BLOCK:
        yield (0, len(text)), (0, len(other))
        return
    words, others = ([*_WORD.finditer(own)] for own in (text, other))
    images, kept = _letters([word[0].lower() for word in words], [word[0].lower() for word in others])
    start, first = 0, 0
    for number, word in enumerate(words):
        is_far = word.start() - start > LONGEST_BLOCK // 2
        is_anchor = kept[number] and not word[0].isspace() and others[images[number]][0].lower() == word[0].lower()
        if is_far and is_anchor:
            last = others[images[number]].start()
            yield from _cut((start, word.start()), (first, last))
            start, first = word.start(), last
    yield from _cut((start, len(text)), (first, len(other)))


def _cut(own: tuple[int, int], other: tuple[int, int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield a pair of pieces, or several where they are too long to be aligned at once."""
    longest = max(own[1] - own[0], other[1] - other[0])
    parts = -(-longest // (2 * LONGEST_BLOCK)) or 1
    for number in range(parts):
        yield _share(own, number, parts), _share(other, number, parts)


def _share(span: tuple[int, int], number: int, parts: int) -> tuple[int, int]:
    length = span[1] - span[0]
    return span[0] + length * number // parts, span[0] + length * (number + 1) // parts


def _block(text: str, other: str) -> tuple[list[int], list[bool]]:
    return _letters([letter.lower() for letter in text], [letter.lower() for letter in other])


def _letters(own: Sequence[str], other: Sequence[str]) -> tuple[list[int], list[bool]]:
    """Return the image of each offset of a sequence in the other, and which of its members have one."""
    costs = _costs(own, other)
    i, j = len(own), len(other)
    offsets, kept = [0] * i + [j], [False] * i
    while i or j:
        here = costs[i][j]
        # A match costs nothing, so where there is one, a substitution is never taken in its place.
        if i and j and costs[i - 1][j - 1] + (own[i - 1] != other[j - 1]) == here:
            i, j = i - 1, j - 1
            kept[i], offsets[i] = True, j
        elif i and costs[i - 1][j] + 1 == here:
            i -= 1
            offsets[i] = j
        else:
            j -= 1
    return offsets, kept


def _costs(own: Sequence[str], other: Sequence[str]) -> Any:
    """Return how many changes turn each beginning of one sequence into each beginning of the other."""
    import numpy as np

    numbers: dict[str, int] = {}
    left, right = (np.array([numbers.setdefault(sign, len(numbers)) for sign in signs], int) for signs in (own, other))
    columns = np.arange(len(right) + 1, dtype=np.int32)
    costs = np.empty((len(left) + 1, len(right) + 1), np.int32)
    costs[0] = columns
    for number, sign in enumerate(left, 1):
        above = costs[number - 1]
        row = costs[number]
        row[0] = number
        np.minimum(above[:-1] + (right != sign), above[1:] + 1, out=row[1:])
        # Insertions: the best of all places to the left, each one step dearer.
        np.minimum.accumulate(row - columns, out=row)
        row += columns
    return costs
