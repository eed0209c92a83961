"""Trust: how far somebody's answers to check tasks come to the known ones, and what follows from it.

Points are counted exactly, in millionths: adding and subtracting fractions would leave somebody who is exactly at a
limit below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from kernel.values import counted

MILLION = 1_000_000  # points of a check task that is wholly right
Z = 1.959964  # a level of 95 % in standard deviations of the normal distribution
LEAST_TESTS = 5  # the usual number of check tasks before a limit acts


def points_of(is_hit: bool | None, score: float | None) -> int:
    """Return the points of one judgement: its score, or all or nothing where only the hit is known; 0 if none."""
    if is_hit is None:
        return 0
    return round(MILLION * (float(is_hit) if score is None else min(max(score, 0.0), 1.0)))


def wilson(share: float, number: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share (or a mean score) over this number of tests."""
    middle, spread = share + Z * Z / (2 * number), Z * sqrt(share * (1 - share) / number + (Z / (2 * number)) ** 2)
    low, high = (middle - spread) / (1 + Z * Z / number), (middle + spread) / (1 + Z * Z / number)
    return min(max(0.0, low), share), max(min(1.0, high), share)  # rounding must not put the share outside


@dataclass(frozen=True)
class Trust:
    """The mean score of `tests` judged check tasks, at least one."""

    points: int  # in millionths
    tests: int

    @property
    def share(self) -> float:
        return self.points / (self.tests * MILLION)

    @property
    def percent(self) -> int:
        """Whole per cent, rounded down: 69.9 is below a limit of 70, so it must not be shown as 70."""
        return self.points * 100 // (self.tests * MILLION)

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.share, self.tests)

    @property
    def low(self) -> float:
        return self.interval[0]

    @property
    def high(self) -> float:
        return self.interval[1]

    @property
    def right(self) -> str:
        """The points as a number of check tasks, such as 4 or 4.5."""
        return f"{self.points / MILLION:.2f}".rstrip("0").rstrip(".")

    @property
    def in_words(self) -> str:
        return f"{self.right} of {counted(self.tests, 'check task')} right ({self.percent}%)"

    def is_below(self, percent: int) -> bool:
        """Tell whether it is under this limit; exactly at the limit is not."""
        return self.points * 100 < percent * self.tests * MILLION


def trust_of(points: int, tests: int) -> Trust | None:
    """Return the trust that counters say; None before the first judged check task."""
    return Trust(points, tests) if tests else None


GOOD_PERCENT, GOOD_TESTS = 70, 3  # of the other check tasks: whoever reaches both does well
LEAST_GOOD = 3  # people who do well, before their misses say anything about a check task


@dataclass(frozen=True)
class GoldMisses:
    """How many people missed one check task, and how many of those who do well on the others."""

    judged: int
    missed: int
    good: int
    good_missed: int

    @property
    def looks_wrong(self) -> bool:
        """Whether its known answers are probably wrong: at least half of those who do well elsewhere missed it."""
        return self.good >= LEAST_GOOD and 2 * self.good_missed >= self.good


@dataclass(frozen=True)
class TrustLimit:
    """From which trust on somebody may go on, and how many check tasks must be judged before the limit acts."""

    percent: int  # 0: there is no limit
    least: int = LEAST_TESTS

    def is_missed(self, trust: Trust, *, least: int = 0) -> bool:
        """Tell whether somebody is below it. `least`: the number of check tasks from which it may act on them."""
        return trust.tests >= max(self.least, least) and trust.is_below(self.percent)
