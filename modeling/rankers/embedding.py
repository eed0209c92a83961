"""A linear map from an instance's words to the vector of a good aggregation, learned by ridge regression.

The instance is the mean vector of its entities' names, context and backgrounds; the target is the mean vector of its
golds. A candidate's score is its cosine with the mapped instance. The penalty is chosen by validation AP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve

from kernel.errors import InvalidInput
from kernel.progress import Progress
from kernel.values import Json
from kernel.vectors.base import WordVectors
from modeling.dataset import RankingTask
from modeling.features import Space, read_words, unit
from modeling.metrics import Table, average_precision
from modeling.rankers.base import Curve, Resources, State, check_saved, numbers, penalties
from modeling.rankers.settings import EmbeddingSettings, settings_from
from modeling.words import preparation

Floats = NDArray[np.float64]
_PREPARATION = preparation("paper")  # does not lemmatise candidates: a plural has its own vector
PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class _Points:
    instances: Floats
    candidates: tuple[Floats, ...]  # unit vectors, one row each


class EmbeddingRanker:
    def __init__(self, settings: EmbeddingSettings, vectors: WordVectors) -> None:
        self._settings, self._vectors = settings, vectors
        self._map: Floats = np.zeros((0, 0))  # the last row is the constant
        self._penalty = settings.penalty

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        if not train:
            raise InvalidInput("the training part is empty: there is nothing to learn from")
        points, held_out = self._points(train, progress), self._points(valid, progress)
        targets = _gold_directions(train, points)
        labels = [task.labels for task in valid]
        curve: list[dict[str, float]] = []
        best = -1.0
        for number, penalty in enumerate(penalties(self._settings.penalty, PENALTIES, has_valid=bool(valid)), start=1):
            mapping, loss = _ridge(points.instances, targets, penalty)
            row = {"epoch": float(number), "penalty": penalty, "loss": loss}
            if valid:
                row["valid_ap"] = float(average_precision(Table.of(_cosines(held_out, mapping), labels)).mean())
            if (value := row.get("valid_ap", 0.0)) > best:
                best, self._map, self._penalty = value, mapping, penalty
            curve.append(row)
        return tuple(curve)

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        return _cosines(self._points(tasks, progress), self._map)

    def _points(self, tasks: Sequence[RankingTask], progress: Progress) -> _Points:
        readings = read_words(tasks, _PREPARATION, progress)
        space = Space(self._vectors, readings)
        instances = [np.append(unit(space.mean(reading.all_words)), 1.0) for reading in readings]
        candidates = tuple(np.array([space.phrase(words) for words in reading.candidates]) for reading in readings)
        return _Points(np.array(instances), candidates)

    def state(self) -> State:
        flat: list[Json] = [*self._map.ravel().tolist()]
        return {
            "vectors": self._vectors.identity,
            "preparation": _PREPARATION.label,
            "columns": self._map.shape[1],
            "map": flat,
            "penalty": self._penalty,
        }

    def load(self, state: Mapping[str, Json]) -> None:
        if state.get("vectors") != self._vectors.identity:
            raise InvalidInput(f"the saved model was made with the word vectors {state.get('vectors')!r}: choose them")
        check_saved(state, _PREPARATION)
        self._map = np.array(numbers(state, "map")).reshape(-1, int(str(state["columns"])))
        self._penalty = float(str(state.get("penalty", 0.0)))


def _gold_directions(tasks: Sequence[RankingTask], points: _Points) -> Floats:
    golds = (vectors[np.array(task.labels) > 0] for task, vectors in zip(tasks, points.candidates, strict=True))
    return np.array([unit(vectors.sum(axis=0)) for vectors in golds])


def _ridge(rows: Floats, targets: Floats, penalty: float) -> tuple[Floats, float]:
    """Return the map with the least penalised squared error (the constant is not penalised), and its mean error."""
    ridge = np.full(rows.shape[1], penalty)
    ridge[-1] = 1e-6
    mapping = np.asarray(solve(rows.T @ rows + np.diag(ridge), rows.T @ targets, assume_a="pos"))
    return mapping, float(((rows @ mapping - targets) ** 2).mean())


def _cosines(points: _Points, mapping: Floats) -> list[list[float]]:
    """Return one cosine per candidate. Instances are mapped one by one, so that no score depends on other tasks."""
    cosines = []
    for instance, candidates in zip(points.instances, points.candidates, strict=True):
        aim = unit((instance[:, None] * mapping).sum(axis=0))
        cosines.append((candidates * aim).sum(axis=1).tolist())
    return cosines


def from_config(parameters: Mapping[str, Json], resources: Resources) -> EmbeddingRanker:
    if resources.vectors is None:
        raise InvalidInput("the method 'embedding' needs word vectors: choose some, or another method")
    return EmbeddingRanker(settings_from(EmbeddingSettings, parameters), resources.vectors)
