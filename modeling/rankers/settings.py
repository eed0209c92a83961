"""The parameters of each ranker, with their defaults and limits. Imports nothing heavy: web processes check with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from kernel.errors import InvalidInput
from kernel.values import Json
from modeling.words import preparation

T = TypeVar("T")


@dataclass(frozen=True)
class NoSettings:
    """No parameters."""


@dataclass(frozen=True)
class SingleFeatureSettings:
    preparation: str = "paper"

    def __post_init__(self) -> None:
        preparation(self.preparation)


@dataclass(frozen=True)
class LogisticPaperSettings:
    epochs: int = 50
    learning_rate: float = 3e-3
    batch: int = 4

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.batch < 1 or self.learning_rate <= 0:
            raise InvalidInput("epochs, batch and learning_rate must be above zero")


@dataclass(frozen=True)
class LogisticTesaSettings:
    """A penalty of 0 lets validation AP choose one."""

    penalty: float = 0.0
    steps: int = 25

    def __post_init__(self) -> None:
        if self.penalty < 0 or self.steps < 1:
            raise InvalidInput("penalty must not be negative, and steps must be above zero")


@dataclass(frozen=True)
class EmbeddingSettings:
    """A penalty of 0 lets validation AP choose one."""

    penalty: float = 0.0

    def __post_init__(self) -> None:
        if self.penalty < 0:
            raise InvalidInput("penalty must not be negative")


@dataclass(frozen=True)
class BoostingSettings:
    trees: int = 100
    depth: int = 3
    learning_rate: float = 0.1

    def __post_init__(self) -> None:
        if self.trees < 1 or self.depth < 1 or self.learning_rate <= 0:
            raise InvalidInput("trees, depth and learning_rate must be above zero")


def settings_from(kind: type[T], parameters: Mapping[str, Json]) -> T:
    """Return the settings with these parameters; raise InvalidInput on an unknown name or a value of the wrong type."""
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in parameters.items():
        if name not in known:
            raise InvalidInput(f"there is no such parameter; known: {', '.join(known) or 'none'}", field=name)
        default: Any = known[name].default
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_right = is_number if isinstance(default, float) else type(value) is type(default)
        if not is_right:
            raise InvalidInput(f"{value!r} has the wrong type; the default is {default!r}", field=name)
    return kind(**parameters)
