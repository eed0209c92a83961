"""Distinct pieces of the answers to one item. Everything is sorted: the same answers give the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from annotation.follow_ups.base import FollowUpKind, GatheredPiece
from annotation.task_types.cleaned import CleanedAnswer


def gathered(kind: FollowUpKind, answers: Iterable[tuple[str, CleanedAnswer]]) -> list[GatheredPiece]:
    """Return each piece once, by its unit. Each answer comes with its author.

    Nothing tells how many people gave a piece: it would sway those who judge it.
    """
    words: dict[str, Counter[str]] = {}
    authors: dict[str, set[str]] = {}
    for author, answer in answers:
        if not answer.is_answered:
            continue
        for piece in kind.pieces(answer):
            words.setdefault(piece.unit, Counter())[piece.words] += 1
            authors.setdefault(piece.unit, set()).add(author)
    return [
        GatheredPiece(unit, _usual(words[unit]), len(authors[unit]), frozenset(authors[unit])) for unit in sorted(words)
    ]


def _usual(ways: Counter[str]) -> str:
    """Return the most frequent way to write a piece; of several, the first by its letters."""
    return min(ways.items(), key=lambda way: (-way[1], way[0]))[0]
