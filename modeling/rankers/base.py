"""The contract of a ranker, and the resources it is built with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from kernel.errors import InvalidInput
from kernel.progress import Progress
from kernel.values import Json
from kernel.vectors.base import WordVectors
from modeling.dataset import RankingTask
from modeling.words import Preparation, check_prepared

Curve: TypeAlias = tuple[Mapping[str, float], ...]  # one row per epoch: "epoch", "loss", "valid_ap", …
State: TypeAlias = dict[str, Json]


class Ranker(Protocol):
    """Scores candidates, the best highest. The same seed and tasks give the same numbers, bit by bit."""

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        """Learn from train, choose by valid, and return the learning curve; empty if it does not learn in steps."""

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        """Return one number per candidate for each task, in their order; other tasks do not change it."""

    def state(self) -> State:
        """Return what was learned, as JSON."""

    def load(self, state: Mapping[str, Json]) -> None:
        """Restore what `state` returned; the scores are then the same."""


@runtime_checkable
class Expecting(Protocol):
    """A ranker that scores right after learning, while its model is loaded, if it knows the tasks before."""

    def expect(self, tasks: Sequence[RankingTask]) -> None:
        """Remember tasks that `score_all` will be asked for, besides the validation part."""


@runtime_checkable
class Generating(Protocol):
    """A ranker that also writes phrases of its own."""

    def generations(self, tasks: Sequence[RankingTask]) -> Sequence[Sequence[tuple[str, float]]] | None:
        """Return phrases with their scores for tasks that were scored, the best first; None if it wrote none."""


Reports: TypeAlias = Sequence[Mapping[str, Json]]


@dataclass(frozen=True)
class Resources:
    """What every ranker is built with. Most need only vectors and cache; neural rankers need the rest."""

    vectors: WordVectors | None = None
    cache: Path | None = None  # of computed features
    work: Path | None = None  # where training keeps its checkpoints, and a trained model its files
    models: Path | None = None  # the folder of checkpoint folders
    locks: Path | None = None  # lock files of devices
    watch: Callable[[Reports], bool] | None = None  # gets all reports so far; returns whether to stop after this epoch


RankerFactory: TypeAlias = Callable[[Mapping[str, Json], Resources], Ranker]


def penalties(chosen: float, offered: Sequence[float], *, has_valid: bool) -> Sequence[float]:
    """Return the penalties to try: the chosen one; else the offered ones if there is a validation part to choose by."""
    return (chosen,) if chosen else offered if has_valid else (1.0,)


def check_saved(state: Mapping[str, Json], current: Preparation) -> None:
    """Raise WrongState if the saved model learned from words of another version."""
    check_prepared(str(state.get("preparation") or ""), current.label, what="The saved model")


def numbers(state: Mapping[str, Json], name: str) -> list[float]:
    """Return a list of numbers from a saved state."""
    values = state.get(name)
    if not isinstance(values, list):
        raise InvalidInput(f"the saved model has no {name!r}: it was written by another method or version")
    return [float(str(value)) for value in values]
