"""From which closeness on two answers count as the same."""

from __future__ import annotations

from dataclasses import dataclass

ROUNDING = 1e-9  # a cosine of two equal vectors may be a little less than 1


@dataclass(frozen=True)
class Thresholds:
    """The limits at which closeness becomes a verdict; `same` is above 0 and at most 1."""

    same: float = 1.0

    def __post_init__(self) -> None:
        _check(self.same)


def is_same(closeness: float, threshold: float = 1.0) -> bool:
    """Say whether two answers of this closeness (0 to 1) count as the same; the threshold itself is enough."""
    _check(threshold)
    return closeness >= threshold - ROUNDING


def _check(threshold: float) -> None:
    if not 0 < threshold <= 1:
        raise ValueError(f"a threshold of closeness must be above 0 and at most 1, not {threshold}")
