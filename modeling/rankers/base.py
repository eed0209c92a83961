"""The contract of a ranker, and what each is handed when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from modeling.dataset import RankingTask
from modeling.words import Preparation, check_prepared
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import Json
from tesa_site.kernel.vectors.base import WordVectors

Curve: TypeAlias = tuple[Mapping[str, float], ...]  # one row per epoch: "epoch", "loss", "valid_ap", … as far as known
State: TypeAlias = dict[str, Json]
T = TypeVar("T")


class Ranker(Protocol):
    """Gives each candidate a number, the higher the better. Same seed and tasks, same numbers, bit by bit."""

    def fit(
        self, train: Sequence[RankingTask], valid: Sequence[RankingTask], *, seed: int, progress: Progress
    ) -> Curve:
        """Learn from train, choose by valid, and return the learning curve; empty where nothing is learned by steps."""

    def score(self, task: RankingTask) -> list[float]:
        """Return one number per candidate, in their order."""

    def score_all(self, tasks: Sequence[RankingTask], *, progress: Progress) -> list[list[float]]:
        """Return what `score` would for each task, faster."""

    def state(self) -> State:
        """Return what was learned, as JSON."""

    def load(self, state: Mapping[str, Json]) -> None:
        """Take up what `state` returned: scores are then the same."""


@dataclass(frozen=True)
class Resources:
    """What stands around rankers: word vectors, and a folder for features that were computed before."""

    vectors: WordVectors | None = None
    cache: Path | None = None


RankerFactory: TypeAlias = Callable[[Mapping[str, Json], Resources], Ranker]


def settings_from(kind: type[T], parameters: Mapping[str, Json]) -> T:
    """Return the settings dataclass with these parameters; an unknown name or a wrong type is named."""
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in parameters.items():
        if name not in known:
            choice = ", ".join(known) or "none"
            raise InvalidInput(f"there is no such parameter; known: {choice}", field=name)
        default: Any = known[name].default
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        right = is_number if isinstance(default, float) else type(value) is type(default)
        if not right:
            raise InvalidInput(f"{value!r} is not of the kind of {default!r}", field=name)
    return kind(**parameters)


def preparation_label(ranker: Ranker) -> str:
    """Return how the ranker prepares words, as “name version”; nothing where it reads none."""
    return str(ranker.state().get("preparation") or "")


def check_saved(state: Mapping[str, Json], current: Preparation) -> None:
    """Refuse a saved model that learned from words of another version."""
    check_prepared(str(state.get("preparation") or ""), current.label, what="The saved model")


def numbers(state: Mapping[str, Json], name: str) -> list[float]:
    """Return a list of numbers from a saved state."""
    found = state.get(name)
    if not isinstance(found, list):
        raise InvalidInput(f"the saved model has no {name!r}: it was written by another ranker or version")
    return [float(str(value)) for value in found]
