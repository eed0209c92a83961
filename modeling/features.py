"""The paper's features of a candidate (appendix C), for all candidates of many tasks at once.

The first of the fifteen, how often a candidate is a gold in training, belongs to the rankers. The other fourteen are
here. Without word vectors, the five that need them are absent from the table: a zero would be wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kernel.atomic_files import written_whole
from kernel.progress import Progress, Silent
from kernel.values import content_hash
from kernel.vectors.base import WordVectors
from modeling.dataset import RankingTask, tasks_hash
from modeling.rankers import EMBEDDING_FEATURES, TEXT_FEATURES
from modeling.words import Preparation, Words

Floats = NDArray[np.float64]
FEATURES_VERSION = 1
COUNT_FEATURES = tuple(name for name in TEXT_FEATURES if name not in EMBEDDING_FEATURES)


@dataclass(frozen=True)
class FeatureTable:
    """One row per candidate, task after task; `ends[i]` is where task i ends."""

    names: tuple[str, ...]
    values: Floats
    ends: tuple[int, ...]

    def per_task(self, column: Floats) -> list[list[float]]:
        """Return one number per candidate as one list per task."""
        return [column[start:end].tolist() for start, end in pairwise((0, *self.ends))]


@dataclass(frozen=True)
class FeatureExtractor:
    """Computes feature tables and caches them in `cache`, under the hash of everything they depend on."""

    preparation: Preparation
    vectors: WordVectors | None = None
    cache: Path | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return TEXT_FEATURES if self.vectors else COUNT_FEATURES

    def table(self, tasks: Sequence[RankingTask], progress: Progress | None = None) -> FeatureTable:
        ends = tuple(accumulate(len(task.candidates) for task in tasks))
        path = self._path(tasks) if self.cache else None
        values = _cached(path, (ends[-1] if ends else 0, len(self.names))) if path else None
        if values is None:
            values = self._compute(tasks, progress or Silent())
            if path:
                with written_whole(path) as file:
                    np.save(file, values, allow_pickle=False)
        return FeatureTable(self.names, values, ends)

    def _path(self, tasks: Sequence[RankingTask]) -> Path:
        identity = content_hash(
            {
                "version": FEATURES_VERSION,
                "preparation": [self.preparation.name, self.preparation.version],
                "vectors": self.vectors.identity if self.vectors else None,
                "tasks": tasks_hash(tasks),
            }
        )
        assert self.cache is not None  # noqa: S101  (checked before)
        return self.cache / f"features-{identity[:32]}.npy"

    def _compute(self, tasks: Sequence[RankingTask], progress: Progress) -> Floats:
        readings = read_words(tasks, self.preparation, progress)
        space = Space(self.vectors, readings) if self.vectors else None
        blocks = [_block(reading, space) for reading in readings]
        return np.concatenate(blocks) if blocks else np.empty((0, len(self.names)))


@dataclass(frozen=True, slots=True)
class TaskWords:
    """The words of one task: of each candidate, each background, the title and context, and the entities."""

    candidates: tuple[Words, ...]
    backgrounds: tuple[Words, ...]  # without empty ones
    context: Words
    entities: Words

    @property
    def shared(self) -> frozenset[str]:
        """The words that are in every background; none if there is no background."""
        sets = [frozenset(words) for words in self.backgrounds]
        return frozenset.intersection(*sets) if sets else frozenset()

    @property
    def all_words(self) -> Words:
        return (*self.entities, *self.context, *(word for words in self.backgrounds for word in words))


def read_words(tasks: Sequence[RankingTask], how: Preparation, progress: Progress) -> list[TaskWords]:
    """Return the words of each task. Phrases and backgrounds appear in many tasks: each is prepared once."""
    phrase_words, background_words = cache(how.candidate), cache(how.text)
    readings = []
    for number, task in enumerate(tasks):
        if number % 50 == 0:
            progress.report(number, len(tasks), "Reading the words of each passage")
        item = task.item
        reading = TaskWords(
            candidates=tuple(map(phrase_words, task.phrases)),
            backgrounds=tuple(filter(None, map(background_words, item.backgrounds))),
            context=(*how.text(item.title), *how.text(item.context)),
            entities=tuple(word for name in item.entities for word in how.entity(name)),
        )
        readings.append(reading)
    return readings


class Space:
    """The vectors of all words in the tasks, and their means."""

    def __init__(self, source: WordVectors, readings: Iterable[TaskWords]) -> None:
        words: set[str] = set()
        for reading in readings:
            words.update(reading.all_words, *reading.candidates)
        vectors = source.take(words)
        self.length = len(next(iter(vectors.values()))) if vectors else 1
        self._rows = {word: row for row, word in enumerate(sorted(vectors))}
        self._matrix = np.zeros((len(vectors), self.length))
        for word, row in self._rows.items():
            self._matrix[row] = vectors[word]
        self._means: dict[Words, Floats] = {}

    def mean(self, words: Iterable[str]) -> Floats:
        """Return the mean vector of the known words; zero if none is known."""
        rows = [row for row in map(self._rows.get, words) if row is not None]
        if not rows:
            return np.zeros(self.length)
        return np.asarray(self._matrix[rows].sum(axis=0) / len(rows))

    def phrase(self, words: Words) -> Floats:
        """Return the mean vector of a phrase, scaled to length 1; cached."""
        if words not in self._means:
            self._means[words] = unit(self.mean(words))
        return self._means[words]


def unit(vector: Floats) -> Floats:
    """Return the vector scaled to length 1; the zero vector unchanged."""
    length = float(np.sqrt((vector * vector).sum()))
    return vector / length if length else vector


def _block(reading: TaskWords, space: Space | None) -> Floats:
    """Return the features of one task's candidates, one row each."""
    bags = _Bags(reading)
    names = TEXT_FEATURES if space else COUNT_FEATURES
    block = np.zeros((len(reading.candidates), len(names)))
    columns = [number for number, name in enumerate(names) if name in COUNT_FEATURES]
    for row, words in enumerate(reading.candidates):
        block[row, columns] = bags.counts(frozenset(words))
    if space:
        texts = [unit(space.mean(words)) for words in _embedded(reading)]
        phrases = np.array([space.phrase(words) for words in reading.candidates])
        places = [number for number, name in enumerate(names) if name in EMBEDDING_FEATURES]
        for place, text in zip(places, texts, strict=True):
            block[:, place] = (phrases * text).sum(axis=1)
    return block


def _embedded(reading: TaskWords) -> tuple[Iterable[str], ...]:
    """Return the words of each embedding feature, in the order of EMBEDDING_FEATURES."""
    shared = sorted(reading.shared)
    return (
        [word for words in reading.backgrounds for word in words],
        shared,
        reading.context,
        reading.all_words,
        sorted({*shared, *reading.context}),
    )


class _Bags:
    __slots__ = ("background", "context", "everything", "sets", "shared")

    def __init__(self, reading: TaskWords) -> None:
        self.background = Counter(word for words in reading.backgrounds for word in words)
        self.sets = [frozenset(words) for words in reading.backgrounds]
        self.shared = reading.shared
        self.context = Counter(reading.context)
        self.everything = Counter(reading.all_words)

    def counts(self, words: frozenset[str]) -> tuple[int, ...]:
        """Return the count features of a candidate, in the order of COUNT_FEATURES."""
        in_background = [self.background[word] for word in words if word in self.background]
        in_context = [self.context[word] for word in words if word in self.context]
        in_all = [self.everything[word] for word in words if word in self.everything]
        return (
            sum(in_background),
            len(in_background),
            len(words & self.shared),
            sum(not words.isdisjoint(background) for background in self.sets),
            sum(in_context),
            len(in_context),
            sum(in_all),
            len(in_all),
            sum(word in self.context or word in self.shared for word in words),
        )


def _cached(path: Path, shape: tuple[int, int]) -> Floats | None:
    """Return the cached table; None if the file is missing, damaged or has another shape."""
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return values if values.shape == shape and values.dtype == np.float64 else None
