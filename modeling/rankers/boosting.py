"""Gradient-boosted trees (scikit-learn) over the features of our logistic regression.

The number of trees is the one with the best validation AP. The trees are saved as numbers, not as a pickle, and
evaluated by a few lines of numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernel.json_fields import object_list
from kernel.progress import Progress
from kernel.values import Json
from modeling.dataset import RankingTask
from modeling.rankers.base import Curve, Resources, State, numbers
from modeling.rankers.design import Design, Designer, make_designer
from modeling.rankers.settings import BoostingSettings, settings_from

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tree:
    """One node per position: go left if feature ≤ threshold. A leaf has no left (-1) and adds its value."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: Floats
    value: Floats

    def evaluate(self, rows: NDArray[np.float32]) -> Floats:
        place = np.zeros(len(rows), dtype=np.int64)
        numbers_of = np.arange(len(rows))
        while (inner := self.left[place] >= 0).any():
            goes_left = rows[numbers_of, np.maximum(self.feature[place], 0)] <= self.threshold[place]
            place = np.where(inner, np.where(goes_left, self.left[place], self.right[place]), place)
        return self.value[place]

    def to_json(self) -> dict[str, Json]:
        return {name: [*getattr(self, name).tolist()] for name in ("left", "right", "feature", "threshold", "value")}


class BoostingRanker:
    def __init__(self, settings: BoostingSettings, designer: Designer) -> None:
        self._settings, self._designer = settings, designer
        self._trees: list[Tree] = []
        self._start = 0.0

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        from sklearn.ensemble import GradientBoostingClassifier

        design = self._designer.learn(train, progress)
        held_out = self._designer.design(valid, progress) if valid else None
        rate = float(self._settings.learning_rate)
        trees = self._settings.trees
        model = GradientBoostingClassifier(
            n_estimators=trees,
            max_depth=self._settings.depth,
            learning_rate=rate,
            random_state=0,  # only chooses between equally good splits: other seeds would repeat the run
        )
        model.fit(
            design.values,
            design.labels,
            monitor=lambda number, *_: progress.report(number, trees, "Growing trees"),  # a cancel takes effect here
        )
        share = float(design.labels.mean())
        self._start = log(share / (1 - share))
        self._trees = [_tree(stage[0].tree_, rate) for stage in model.estimators_]
        losses = model.train_score_.tolist()
        curve = [{"epoch": float(number), "loss": loss} for number, loss in enumerate(losses, start=1)]
        if held_out:
            for row, value in zip(curve, self._staged(held_out), strict=True):
                row["valid_ap"] = value
            best = max(range(len(curve)), key=lambda number: curve[number]["valid_ap"])
            self._trees = self._trees[: best + 1]
        return tuple(curve)

    def _staged(self, held_out: Design) -> list[float]:
        judge, rows = held_out.judge(), held_out.values.astype(np.float32)
        total, maps = np.full(len(rows), self._start), []
        for tree in self._trees:
            total = total + tree.evaluate(rows)
            maps.append(judge.mean_ap(total))
        return maps

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        design = self._designer.design(tasks, progress)
        rows = design.values.astype(np.float32)  # the type in which scikit-learn's trees compare
        total = sum((tree.evaluate(rows) for tree in self._trees), np.full(len(rows), self._start))
        return design.per_task(total)

    def state(self) -> State:
        trees: list[Json] = [tree.to_json() for tree in self._trees]
        return {**self._designer.state(), "start": self._start, "trees": trees}

    def load(self, state: Mapping[str, Json]) -> None:
        self._designer.load(state)
        self._start = float(str(state.get("start", 0.0)))
        self._trees = [_tree_from(row) for row in object_list(state, "trees")]


def _tree_from(value: Mapping[str, Json]) -> Tree:
    left, right, feature = (np.array(numbers(value, name)).astype(np.int64) for name in ("left", "right", "feature"))
    return Tree(left, right, feature, np.array(numbers(value, "threshold")), np.array(numbers(value, "value")))


def _tree(grown: Any, rate: float) -> Tree:
    return Tree(
        grown.children_left.astype(np.int64),
        grown.children_right.astype(np.int64),
        grown.feature.astype(np.int64),
        grown.threshold.astype(np.float64),
        grown.value[:, 0, 0].astype(np.float64) * rate,
    )


def from_config(parameters: Mapping[str, Json], resources: Resources) -> BoostingRanker:
    return BoostingRanker(
        settings_from(BoostingSettings, parameters), make_designer("tesa", resources, without_own=True)
    )
