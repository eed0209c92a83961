"""The paper's logistic regression, trained as the original code did, faults included.

15 features as they are, a linear layer to two classes and a softmax, trained by cross-entropy on the softmax's *output*
(a second softmax), Adam, batches of four candidates of one task, in an order shuffled once; the epoch with the best
validation AP is kept. A training task's own gold counts in its frequency.

If large counts meet an unlucky start, the double softmax has no slope and nothing is learned (torch does the same). The
log says so; use several seeds.

The weights of the two classes get opposite gradients, and so opposite steps of Adam: this code follows only their
difference (half the work, the same numbers; tested against torch).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from kernel.progress import Progress
from kernel.values import Json
from modeling.dataset import RankingTask
from modeling.rankers.base import Curve, Resources, State, numbers
from modeling.rankers.design import Design, Designer, make_designer
from modeling.rankers.settings import LogisticPaperSettings, settings_from

Floats = NDArray[np.float64]
_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8


class PaperLogistic:
    def __init__(self, settings: LogisticPaperSettings, designer: Designer) -> None:
        self._settings, self._designer = settings, designer
        self._weights: Floats = np.zeros(0)  # gold minus other; the last is the bias
        self._epoch = 0

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        design = self._designer.learn(train, progress)
        held_out = self._designer.design(valid, progress) if valid else None
        judge = held_out.judge() if held_out else None
        lot = np.random.default_rng(seed)
        trainer = Adam(initial_weights(design.values.shape[1], lot), self._settings.learning_rate)
        batches = make_batches(design, self._settings.batch, lot)
        curve: list[dict[str, float]] = []
        best = -1.0
        for epoch in range(1, self._settings.epochs + 1):
            progress.report(epoch - 1, self._settings.epochs, "Training")
            row = {"epoch": float(epoch), "loss": trainer.epoch(batches)}
            if held_out and judge:
                row["valid_ap"] = judge.mean_ap(_linear(held_out.values, trainer.weights))
            if (value := row.get("valid_ap", float(epoch))) > best:
                best, self._epoch, self._weights = value, epoch, trainer.weights.copy()
            curve.append(row)
        if judge and best < judge.chance():
            progress.log(f"seed {seed} started where the double softmax has no slope and learned nothing: try another")
        return tuple(curve)

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        """Return log-odds: probabilities have the same order, but round to 1 if many candidates are likely."""
        design = self._designer.design(tasks, progress)
        return design.per_task(_linear(design.values, self._weights))

    def state(self) -> State:
        weights: list[Json] = [*self._weights.tolist()]
        return {**self._designer.state(), "weights": weights, "epoch": self._epoch}

    def load(self, state: Mapping[str, Json]) -> None:
        self._designer.load(state)
        self._weights = np.array(numbers(state, "weights"))
        self._epoch = int(str(state.get("epoch", 0)))


Batches = list[tuple[Floats, Floats, list[float]]]  # features with a 1 behind, the same transposed, labels


class Adam:
    """Steps of Adam on the difference of the two classes' weights."""

    def __init__(self, weights: Floats, learning_rate: float) -> None:
        self.weights = weights
        self._rate = learning_rate
        self._first, self._second = np.zeros_like(weights), np.zeros_like(weights)
        self._power_1 = self._power_2 = 1.0

    def epoch(self, batches: Batches) -> float:
        """Take one step per batch; return the mean loss of the steps."""
        weights, first, second = self.weights, self._first, self._second
        power_1, power_2 = self._power_1, self._power_2
        scratch = np.empty_like(weights)
        total, count = 0.0, 0
        for rows, columns, labels in batches:
            loss, slopes = double_softmax(rows.dot(weights).tolist(), labels)
            total, count = total + loss, count + len(labels)
            gradient = columns.dot(slopes)
            power_1, power_2 = power_1 * _BETA_1, power_2 * _BETA_2
            first *= _BETA_1
            np.multiply(gradient, 1 - _BETA_1, out=scratch)
            first += scratch
            np.multiply(gradient, gradient, out=gradient)
            gradient *= 1 - _BETA_2
            second *= _BETA_2
            second += gradient
            # The root of the bias correction is taken out of the array: one operation less, 250,000 times.
            root = sqrt(1 - power_2)
            np.sqrt(second, out=scratch)
            scratch += _EPSILON * root
            np.divide(first, scratch, out=scratch)
            scratch *= 2 * self._rate * root / (1 - power_1)
            weights -= scratch
        self._power_1, self._power_2 = power_1, power_2
        return total / count


def double_softmax(logits: Sequence[float], labels: Sequence[float]) -> tuple[float, list[float]]:
    """Return the summed loss, and the slope of the *mean* loss in the gold class's output of each candidate.

    `logits` is gold minus other. Plain floats are faster than arrays for four numbers.
    """
    total, slopes = 0.0, []
    for logit, label in zip(logits, labels, strict=True):
        p = 1 / (1 + exp(-logit)) if logit > -700 else 0.0
        q = 1 / (1 + exp(1 - 2 * p))
        total -= log(q if label else 1 - q)
        slopes.append((q - label) * 2 * p * (1 - p) / len(labels))
    return total, slopes


def initial_weights(features: int, lot: np.random.Generator) -> Floats:
    """Return the difference of two rows of a linear layer, initialised as in torch: uniform within 1/√features."""
    bound = 1 / sqrt(features)
    rows = lot.uniform(-bound, bound, size=(2, features + 1))
    return np.asarray(rows[1] - rows[0])


def make_batches(design: Design, size: int, lot: np.random.Generator) -> Batches:
    """Split each task's candidates into batches, and shuffle the batches once: every epoch uses the same order."""
    values = np.column_stack([design.values, np.ones(len(design.values))])
    starts = (0, *design.ends[:-1])
    pieces = [
        (start, min(start + size, end))
        for first, end in zip(starts, design.ends, strict=True)
        for start in range(first, end, size)
    ]
    order = lot.permutation(len(pieces))
    return [
        (values[start:end], np.ascontiguousarray(values[start:end].T), design.labels[start:end].tolist())
        for start, end in (pieces[place] for place in order)
    ]


def _linear(values: Floats, weights: Floats) -> Floats:
    """Return the linear scores, summed row by row so that a score does not depend on other candidates."""
    return np.asarray((values * weights[:-1]).sum(axis=1) + weights[-1])


def from_config(parameters: Mapping[str, Json], resources: Resources) -> PaperLogistic:
    return PaperLogistic(
        settings_from(LogisticPaperSettings, parameters), make_designer("paper", resources, without_own=False)
    )
