"""Overlap groups: contexts of one article that say nearly the same about nearly the same entities.

Two contexts are linked if their sentences overlap and their tuples share two entities; linked contexts form a group.
The abstract is linked to every context of the same tuple. A sample takes one instance per group, and a split keeps a
group together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TypeAlias

from corpus.contexts import Context, ContextKind
from kernel.values import content_hash

Place: TypeAlias = tuple[str, int, int, tuple[str, ...]]


def group_keys(article_id: str, contexts: Sequence[Context]) -> tuple[str, ...]:
    """Return the group of each context, in order. The key of a group depends only on its smallest member."""
    roots = list(range(len(contexts)))
    places: list[Place] = [(str(c.kind), c.first, c.last, tuple(sorted(c.entities))) for c in contexts]
    for first, second in _links(places):
        roots[_root(roots, first)] = _root(roots, second)
    smallest: dict[int, Place] = {}
    for number, place in enumerate(places):
        root = _root(roots, number)
        smallest[root] = min(smallest.get(root, place), place)
    keys = {
        root: content_hash([article_id, kind, first, last, list(entities)])
        for root, (kind, first, last, entities) in smallest.items()
    }
    return tuple(keys[_root(roots, number)] for number in range(len(contexts)))


def _root(roots: list[int], number: int) -> int:
    while roots[number] != number:
        roots[number] = number = roots[roots[number]]
    return number


def _links(places: Sequence[Place]) -> Iterator[tuple[int, int]]:
    """Yield pairs of linked contexts, by number; the groups follow from these pairs."""
    sharing_pair: dict[tuple[str, tuple[str, str]], list[int]] = defaultdict(list)
    of_tuple: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, (kind, _, _, entities) in enumerate(places):
        of_tuple[entities].append(number)
        for pair in combinations(entities, 2):
            sharing_pair[kind, pair].append(number)
    for numbers in sharing_pair.values():
        yield from _overlaps(numbers, places)
    for numbers in of_tuple.values():
        if any(places[number][0] == ContextKind.ABSTRACT for number in numbers):
            yield from pairwise(numbers)


def _overlaps(numbers: Sequence[int], places: Sequence[Place]) -> Iterator[tuple[int, int]]:
    """Yield the links between windows that overlap."""
    reach, farthest = -1, -1  # the last sentence reached so far, and the window that reaches it
    for number in sorted(numbers, key=lambda number: places[number][1]):
        _, first, last, _ = places[number]
        if first <= reach:
            yield farthest, number
        if last > reach:
            reach, farthest = last, number
