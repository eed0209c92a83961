"""The matrix that learning rankers share: frequency and text features of all candidates, task after task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernel.errors import InvalidInput
from kernel.progress import Progress
from kernel.values import Json
from modeling.dataset import RankingTask
from modeling.features import FeatureExtractor, FeatureTable
from modeling.metrics import Table, average_precision
from modeling.rankers import EMBEDDING_FEATURES, FREQUENCY
from modeling.rankers.base import Resources, State, check_saved
from modeling.rankers.frequency import GoldCounts
from modeling.words import preparation

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Design(FeatureTable):
    """A feature table with the candidates' labels."""

    labels: Floats

    def judge(self) -> Judge:
        golds = [[int(label) for label in labels] for labels in self.per_task(self.labels)]
        return Judge(Table.of(self.per_task(np.zeros(len(self.labels))), golds))


class Judge:
    """Mean average precision of many scorings of the same tasks, without rebuilding the table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._inside = np.arange(table.scores.shape[1]) < table.lengths[:, None]

    def chance(self) -> float:
        """Return the expected mean AP of a random order."""
        return self.mean_ap(np.zeros(self._table.lengths.sum()))

    def mean_ap(self, column: Floats) -> float:
        scores = np.full_like(self._table.scores, -np.inf)
        scores[self._inside] = column
        return float(average_precision(Table(scores, self._table.gold, self._table.lengths)).mean())


def make_designer(name: str, resources: Resources, *, without_own: bool) -> Designer:
    """Return a designer for words of this preparation, which has learned nothing yet."""
    return Designer(FeatureExtractor(preparation(name), resources.vectors, resources.cache), without_own, GoldCounts())


@dataclass
class Designer:
    """Builds designs. `learn` sets the gold counts of the training part."""

    extractor: FeatureExtractor
    without_own: bool  # do not count a training task's own gold in its frequency
    counts: GoldCounts

    def learn(self, train: Sequence[RankingTask], progress: Progress) -> Design:
        if not train:
            raise InvalidInput("the training part is empty: there is nothing to learn from")
        if self.extractor.vectors is None:
            progress.log(f"without word vectors these features are absent: {', '.join(EMBEDDING_FEATURES)}")
        self.counts = GoldCounts.of(train)
        return self.design(train, progress, without_own=self.without_own)

    def design(self, tasks: Sequence[RankingTask], progress: Progress, *, without_own: bool = False) -> Design:
        table = self.extractor.table(tasks, progress)
        frequency = self.counts.column(tasks, without_own=without_own)
        labels = np.array([candidate.label for task in tasks for candidate in task.candidates], dtype=np.float64)
        values = np.column_stack([frequency, table.values])
        return Design((FREQUENCY, *table.names), values, table.ends, labels)

    def state(self) -> State:
        vectors = self.extractor.vectors
        names: list[Json] = [FREQUENCY, *self.extractor.names]
        identity = vectors.identity if vectors else None
        prepared = self.extractor.preparation.label
        return {"features": names, "counts": self.counts.to_json(), "vectors": identity, "preparation": prepared}

    def load(self, state: Mapping[str, Json]) -> None:
        vectors = self.extractor.vectors
        if state.get("vectors") != (vectors.identity if vectors else None):
            raise InvalidInput(f"the saved model was made with the word vectors {state.get('vectors')!r}: choose them")
        check_saved(state, self.extractor.preparation)
        self.counts = GoldCounts.from_state(state)
