"""Our logistic regression over the same features, without the original's faults.

Candidates are lemmatised like the texts; a training task's own gold does not count in its frequency; counts enter as
log(1 + count); every feature is standardised on the training part; an L2 penalty, chosen by validation AP, applies to
all weights but the bias. Newton's method finds the only optimum in a few steps, without a learning rate or a seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve

from kernel.progress import Progress
from kernel.values import Json
from modeling.dataset import RankingTask
from modeling.rankers import EMBEDDING_FEATURES
from modeling.rankers.base import Curve, Resources, State, numbers, penalties
from modeling.rankers.design import Design, Designer, make_designer
from modeling.rankers.settings import LogisticTesaSettings, settings_from

Floats = NDArray[np.float64]
PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)


class TesaLogistic:
    def __init__(self, settings: LogisticTesaSettings, designer: Designer) -> None:
        self._settings, self._designer = settings, designer
        self._weights = self._means = self._scales = np.zeros(0)
        self._penalty = settings.penalty

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        design = self._designer.learn(train, progress)
        shaped = _shape(design)
        self._means, deviations = shaped.mean(axis=0), shaped.std(axis=0)
        self._scales = np.where(deviations > 0, deviations, 1.0)
        rows = self._standardised(design)
        check = self._validator(valid, progress)
        chosen: list[dict[str, float]] = []
        best = -1.0
        for number, penalty in enumerate(penalties(self._settings.penalty, PENALTIES, has_valid=bool(valid))):
            progress.report(number, len(PENALTIES), "Training")
            weights, curve = self._descend(rows, design.labels, penalty, check)
            if (value := curve[-1].get("valid_ap", 0.0)) > best:
                best, chosen, self._weights, self._penalty = value, curve, weights, penalty
        return tuple(chosen)

    def _validator(self, valid: Sequence[RankingTask], progress: Progress) -> Callable[[Floats], float] | None:
        """Return a function from weights to validation AP; None if there is no validation part."""
        if not valid:
            return None
        held_out = self._designer.design(valid, progress)
        judge, rows = held_out.judge(), self._standardised(held_out)
        return lambda weights: judge.mean_ap(_product(rows, weights))

    def _descend(
        self, rows: Floats, labels: Floats, penalty: float, check: Callable[[Floats], float] | None
    ) -> tuple[Floats, list[dict[str, float]]]:
        weights = np.zeros(rows.shape[1])
        curve: list[dict[str, float]] = []
        for step in range(1, self._settings.steps + 1):
            loss, move = newton_step(rows, labels, weights, penalty)
            weights = weights + move
            curve.append({"epoch": float(step), "loss": loss, "penalty": penalty})
            if check:
                curve[-1]["valid_ap"] = check(weights)
            if np.abs(move).max() < 1e-8:
                break
        return weights, curve

    def _standardised(self, design: Design) -> Floats:
        rows = (_shape(design) - self._means) / self._scales
        return np.column_stack([rows, np.ones(len(rows))])

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        design = self._designer.design(tasks, progress)
        return design.per_task(_product(self._standardised(design), self._weights))

    def state(self) -> State:
        arrays: dict[str, Json] = {
            "weights": [*self._weights.tolist()],
            "means": [*self._means.tolist()],
            "scales": [*self._scales.tolist()],
        }
        return {**self._designer.state(), **arrays, "penalty": self._penalty}

    def load(self, state: Mapping[str, Json]) -> None:
        self._designer.load(state)
        self._weights, self._means, self._scales = (
            np.array(numbers(state, name)) for name in ("weights", "means", "scales")
        )
        self._penalty = float(str(state.get("penalty", 0.0)))


def newton_step(rows: Floats, labels: Floats, weights: Floats, penalty: float) -> tuple[float, Floats]:
    """Return the mean penalised loss at these weights, and the step to take. The last weight is the bias."""
    count = len(rows)
    logits = _product(rows, weights)
    ridge = np.full(len(weights), penalty / count)
    ridge[-1] = 1e-9  # almost free, so that the system has one solution
    loss = float((np.logaddexp(0.0, logits) - labels * logits).mean() + 0.5 * (ridge * weights * weights).sum())
    chances = 1 / (1 + np.exp(-np.clip(logits, -500, 500)))
    gradient = rows.T @ (chances - labels) / count + ridge * weights
    curvature = (rows.T * (chances * (1 - chances))) @ rows / count + np.diag(ridge)
    return loss, -np.asarray(solve(curvature, gradient, assume_a="pos"))


def _shape(design: Design) -> Floats:
    """Return the features with counts as log(1 + count): one more of a hundred means less than one more of two."""
    is_count = np.array([name not in EMBEDDING_FEATURES for name in design.names])
    return np.where(is_count, np.log1p(np.where(is_count, design.values, 0.0)), design.values)


def _product(rows: Floats, weights: Floats) -> Floats:
    return np.asarray((rows * weights).sum(axis=1))


def from_config(parameters: Mapping[str, Json], resources: Resources) -> TesaLogistic:
    return TesaLogistic(
        settings_from(LogisticTesaSettings, parameters), make_designer("tesa", resources, without_own=True)
    )
