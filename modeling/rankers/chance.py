"""Random order: the baseline of every other ranker."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from kernel.progress import Progress
from kernel.values import Json
from modeling.dataset import RankingTask
from modeling.rankers.base import Curve, Resources, State
from modeling.rankers.settings import NoSettings, settings_from


class RandomRanker:
    def __init__(self) -> None:
        self._seed = 0

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        self._seed = seed
        return ()

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        lots = ((task, random.Random(f"{self._seed} {task.key}")) for task in tasks)  # noqa: S311  (not a secret)
        return [[lot.random() for _ in task.candidates] for task, lot in lots]

    def state(self) -> State:
        return {"seed": self._seed}

    def load(self, state: Mapping[str, Json]) -> None:
        self._seed = int(str(state["seed"]))


def from_config(parameters: Mapping[str, Json], resources: Resources) -> RandomRanker:
    settings_from(NoSettings, parameters)
    return RandomRanker()
