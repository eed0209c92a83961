"""What a description may say about a ranking."""

from __future__ import annotations

from typing import Literal

from pydantic import Field as Option
from pydantic import model_validator

from annotation.parts.base import PartOptions
from annotation.parts.targets import Targets

MOST_TARGETS = 12
ORDER, BEST_WORST, PAIR = "order", "best_worst", "pair"
TIE = "tie"  # chosen or labelled instead of a target


class RankingOptions(PartOptions):
    targets: Targets
    how: Literal["order", "best_worst", "pair"] | None = Option(
        default=None,
        description="a place for each target (order), the best and the worst of them (best_worst) or the better of two"
        " (pair); if it is left out, pair for two targets, and otherwise order",
    )
    ties: bool = Option(default=False, description="targets may share a place")
    tie: str = Option(default="No difference", min_length=1, max_length=100, description="the tie of a pair in words")
    best: str = Option(default="Best", min_length=1, max_length=100, description="words for the first place")
    worst: str = Option(default="Worst", min_length=1, max_length=100, description="words for the last place")
    shuffle: bool = Option(default=True, description="each person sees the targets in an order of their own")

    @property
    def way(self) -> str:
        return self.how or (PAIR if len(self.targets) == 2 else ORDER)

    @model_validator(mode="after")
    def _targets_to_compare(self) -> RankingOptions:
        number = len(self.targets)
        if not 2 <= number <= MOST_TARGETS:
            raise ValueError(f"a ranking has 2 to {MOST_TARGETS} targets; this one has {number}")
        if self.way == PAIR and number != 2:
            raise ValueError(f"a pair has exactly 2 targets; this one has {number}: use “order” or “best_worst”")
        if self.way == BEST_WORST and number < 3:
            raise ValueError("“best_worst” needs at least 3 targets: use “pair” for 2")
        if any(target.id == TIE for target in self.targets):
            raise ValueError("“tie” means that two targets share a place: give the target another id")
        return self

    @model_validator(mode="after")
    def _words_that_differ(self) -> RankingOptions:
        if self.ties and self.way == BEST_WORST:
            raise ValueError("“best_worst” asks for one best and one worst: leave “ties” out")
        if self.best.strip() == self.worst.strip():
            raise ValueError(f"“best” and “worst” are both called “{self.best}”: give them different words")
        return self
