"""The ranks of a task's candidates: a range of ranks where scores are tied."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class RankRange:
    """The best and the worst rank that a candidate's score allows; they differ if it is tied with others."""

    best: int
    worst: int
    score: float

    @property
    def rank(self) -> str:
        """“3”, or “3–7” for tied candidates."""
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"

    @property
    def shown(self) -> str:
        """The score with three decimals, whole numbers without. A page shows thousands, and filters are slow."""
        return str(int(self.score)) if self.score.is_integer() else f"{self.score:.3f}"


def places(scores: Sequence[float]) -> list[RankRange]:
    """Return the place of each candidate, in the candidates' order."""
    ordered, count = sorted(scores), len(scores)
    return [
        RankRange(count - bisect_right(ordered, score) + 1, count - bisect_left(ordered, score), float(score))
        for score in scores
    ]
