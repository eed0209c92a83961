"""Finding the tuples of 2 to 6 entities of one type in an article.

Only tuples with a context are useful, so they are taken from windows with as many sentences as the tuple has entities.
A window with up to 8 entities gives all its subsets. A more crowded one gives only runs of neighbours in text order:
otherwise a single article that lists 18 people would give 31,000 tuples.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from corpus.articles import EntityType
from corpus.contexts import Passage, PreparedArticle, next_break

SMALLEST, LARGEST = 2, 6
CROWDED = 8  # a window with more entities gives only runs of neighbours
MOST_PER_ARTICLE = 100


@dataclass(frozen=True, slots=True, order=True)
class EntityTuple:
    """Entities of one type that occur together, as sorted keys."""

    type: EntityType
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundTuples:
    """The tuples of one article, sorted, and what was left out."""

    tuples: tuple[EntityTuple, ...]
    cut: int = 0  # tuples above the limit, dropped at random
    crowded: int = 0  # windows (of one type, for one size) that gave only their runs of neighbours


def find_tuples(
    reading: PreparedArticle,
    types: Mapping[str, EntityType],
    *,
    article_id: str,
    seed: int,
    limit: int = MOST_PER_ARTICLE,
) -> FoundTuples:
    """Return the tuples that have a context in this article. `types` maps each entity to its type."""
    tuples: set[EntityTuple] = set()
    crowded = 0
    for type_ in EntityType:
        keys = frozenset(key for key, own in types.items() if own is type_)
        for size, window in _distinct_windows(reading, keys):
            crowded += len(window) > CROWDED
            tuples.update(EntityTuple(type_, entities) for entities in _tuples_of(window, size))
    kept = sorted(tuples)
    if len(kept) > limit:
        lot = random.Random(f"{seed} {article_id}")  # noqa: S311 (a sample, not a secret)
        kept = sorted(lot.sample(kept, limit))
    return FoundTuples(tuple(kept), len(tuples) - len(kept), crowded)


def _distinct_windows(reading: PreparedArticle, keys: frozenset[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield (size, entities) for each window with at least `size` entities, in order of first mention."""
    body = [(mention.sentence, mention.entity) for mention in reading.body.mentions if mention.entity in keys]
    abstract = tuple(dict.fromkeys(mention.entity for mention in reading.abstract.mentions if mention.entity in keys))
    for size in range(SMALLEST, LARGEST + 1):
        windows = dict.fromkeys([*_windows(reading.body, body, size), abstract])
        yield from ((size, window) for window in windows if len(window) >= size)


def _windows(body: Passage, mentions: Sequence[tuple[int, str]], length: int) -> Iterator[tuple[str, ...]]:
    """Yield the distinct entities of each window of `length` sentences of prose that begins with a mention."""
    sentences = [sentence for sentence, _ in mentions]
    for sentence in dict.fromkeys(sentences):
        stop = min(sentence + length, next_break(body, sentence))
        start, end = bisect_left(sentences, sentence), bisect_left(sentences, stop)
        yield tuple(dict.fromkeys(entity for _, entity in mentions[start:end]))


def _tuples_of(window: tuple[str, ...], size: int) -> Iterator[tuple[str, ...]]:
    if len(window) <= CROWDED:
        return combinations(sorted(window), size)
    return (tuple(sorted(window[start : start + size])) for start in range(len(window) - size + 1))
