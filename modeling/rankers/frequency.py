"""How often a candidate is a gold in the training part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kernel.errors import InvalidInput
from kernel.progress import Progress
from kernel.values import Json
from modeling.dataset import RankingTask
from modeling.rankers.base import Curve, Resources, State
from modeling.rankers.settings import NoSettings, settings_from


class GoldCounts:
    """The number of training tasks in which each phrase is a gold."""

    def __init__(self, counts: Mapping[str, int] | None = None) -> None:
        self._counts: Counter[str] = Counter(counts)

    @classmethod
    def of(cls, tasks: Iterable[RankingTask]) -> GoldCounts:
        return cls(Counter(phrase for task in tasks for phrase in task.gold_phrases))

    def column(self, tasks: Iterable[RankingTask], *, without_own: bool = False) -> NDArray[np.float64]:
        """Return the count of each candidate, task after task; `without_own` does not count the task itself."""
        counts, own = self._counts, int(without_own)
        return np.array([counts[c.phrase] - own * c.label for task in tasks for c in task.candidates], dtype=np.float64)

    def to_json(self) -> dict[str, Json]:
        return dict(sorted(self._counts.items()))

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> GoldCounts:
        counts = state.get("counts")
        if not isinstance(counts, dict):
            raise InvalidInput("the saved model has no 'counts': it was written by another method or version")
        return cls({phrase: int(str(count)) for phrase, count in counts.items()})


class FrequencyRanker:
    def __init__(self) -> None:
        self._counts = GoldCounts()

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        self._counts = GoldCounts.of(train)
        return ()

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        return [self._counts.column([task]).tolist() for task in tasks]

    def state(self) -> State:
        return {"counts": self._counts.to_json()}

    def load(self, state: Mapping[str, Json]) -> None:
        self._counts = GoldCounts.from_state(state)


def from_config(parameters: Mapping[str, Json], resources: Resources) -> FrequencyRanker:
    settings_from(NoSettings, parameters)
    return FrequencyRanker()
