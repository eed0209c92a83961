"""The contract of a ranker, and the resources it is built with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from modeling.dataset import RankingTask
from modeling.words import Preparation, check_prepared
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import Json
from tesa_site.kernel.vectors.base import WordVectors

Curve: TypeAlias = tuple[Mapping[str, float], ...]  # one row per epoch: "epoch", "loss", "valid_ap", …
State: TypeAlias = dict[str, Json]


class Ranker(Protocol):
    """Scores candidates, the best highest. The same seed and tasks give the same numbers, bit by bit."""

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        """Learn from train, choose by valid, and return the learning curve; empty if it does not learn in steps."""

    def score(self, task: RankingTask) -> list[float]:
        """Return one number per candidate, in their order."""

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        """Return what `score` returns for each task, faster."""

    def state(self) -> State:
        """Return what was learned, as JSON."""

    def load(self, state: Mapping[str, Json]) -> None:
        """Restore what `state` returned; the scores are then the same."""


@dataclass(frozen=True)
class Resources:
    """What every ranker is built with: word vectors, and a cache folder for computed features."""

    vectors: WordVectors | None = None
    cache: Path | None = None


RankerFactory: TypeAlias = Callable[[Mapping[str, Json], Resources], Ranker]


def check_saved(state: Mapping[str, Json], current: Preparation) -> None:
    """Raise WrongState if the saved model learned from words of another version."""
    check_prepared(str(state.get("preparation") or ""), current.label, what="The saved model")


def numbers(state: Mapping[str, Json], name: str) -> list[float]:
    """Return a list of numbers from a saved state."""
    values = state.get(name)
    if not isinstance(values, list):
        raise InvalidInput(f"the saved model has no {name!r}: it was written by another ranker or version")
    return [float(str(value)) for value in values]
