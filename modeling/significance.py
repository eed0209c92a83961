"""Confidence intervals of means, and tests of whether one ranker is better than another. All draws are seeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from kernel.errors import InvalidInput

if TYPE_CHECKING:  # every web process imports this module, few need numpy and its 25 MB
    import numpy as np
    from numpy.typing import NDArray

ROUNDS = 10_000
LEVEL = 0.95  # of every interval
LEAST = 5  # values: fewer have no interval
_CELLS = 2_000_000  # drawn at once: 16 MB


@dataclass(frozen=True)
class MeanInterval:
    """A mean and its interval; fewer than LEAST values have no interval."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Comparison:
    """Mean of (first − second) over the tasks, its 95 % interval and the two-sided p-value.

    Both come from the same randomisation test: the interval excludes 0 exactly when p is below .05. There is no
    interval if no difference could be significant, as with five tasks.
    """

    difference: float
    low: float | None
    high: float | None
    p: float


def bootstrap_interval(
    values: Sequence[float] | NDArray[np.float64], *, seed: int = 0, rounds: int = ROUNDS
) -> MeanInterval:
    """Return the mean and the percentile interval of means of tasks drawn with replacement."""
    import numpy as np

    array = _array(values)
    if len(array) < LEAST:
        return MeanInterval(float(array.mean()), None, None)
    lot = np.random.default_rng(seed)
    means = [
        array[lot.integers(0, len(array), size=(count, len(array)))].mean(axis=1)
        for count in _portions(rounds, len(array))
    ]
    low, high = np.quantile(np.concatenate(means), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return MeanInterval(float(array.mean()), float(low), float(high))


def paired_randomisation(
    first: Sequence[float] | NDArray[np.float64],
    second: Sequence[float] | NDArray[np.float64],
    *,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> Comparison:
    """Compare two rankers on the same tasks in the same order, by swapping them task by task at random.

    p counts the observed assignment too, so it is never 0: at least 1 / (rounds + 1). The interval holds every shift
    of the differences that the test does not reject. A random assignment cuts the tasks in two; it is at least as
    extreme as the observed one for exactly the shifts between the mean differences of its two sides.
    """
    import numpy as np

    ours, theirs = _array(first), _array(second)
    if len(ours) != len(theirs):
        raise InvalidInput(f"{len(ours)} and {len(theirs)} values cannot be paired: both methods need the same tasks")
    differences = ours - theirs
    total, count = float(differences.sum()), len(differences)
    slack = 1e-12 * max(np.abs(differences).sum(), 1.0)  # equal sums differ by rounding
    lot = np.random.default_rng(seed)
    lows, highs, extreme = [], [], 0
    for portion in _portions(rounds, count):
        signs = lot.integers(0, 2, size=(portion, count), dtype=np.int8) * 2 - 1
        swapped = signs @ differences
        is_extreme = np.abs(swapped) >= abs(total) - slack
        extreme += int(is_extreme.sum())
        low, high = _side_means(total, swapped, signs.sum(axis=1, dtype=np.int64), count)
        lows.append(np.where(is_extreme, np.minimum(low, 0.0), low))  # consistent with p despite rounding
        highs.append(np.where(is_extreme, np.maximum(high, 0.0), high))
    reach = ceil((1 - LEVEL) * (rounds + 1) - 1)  # assignments that must be as extreme for p to be 1 - LEVEL
    least, most = np.sort(np.concatenate(lows))[reach - 1], np.sort(np.concatenate(highs))[-reach]
    has_interval = count >= LEAST and np.isfinite([least, most]).all()
    return Comparison(
        difference=float(differences.mean()),
        low=float(least) if has_interval else None,
        high=float(most) if has_interval else None,
        p=(extreme + 1) / (rounds + 1),
    )


def _side_means(
    total: float, swapped: NDArray[np.float64], balance: NDArray[np.int64], count: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smaller and the larger mean of the two sides of each assignment; ±∞ where one side is empty."""
    import numpy as np

    kept, turned = (count + balance) // 2, (count - balance) // 2
    is_whole = (kept == 0) | (turned == 0)
    unswapped = (total + swapped) / 2 / np.maximum(kept, 1)
    reversed_ = (total - swapped) / 2 / np.maximum(turned, 1)
    low, high = np.minimum(unswapped, reversed_), np.maximum(unswapped, reversed_)
    return np.where(is_whole, -np.inf, low), np.where(is_whole, np.inf, high)


def randomisation_p_values(differences: NDArray[np.float64], *, seed: int = 0, rounds: int = ROUNDS) -> list[float]:
    """Return the p-value of each row of differences: what `paired_randomisation` gives, for many pairs at once."""
    import numpy as np

    if not differences.size:
        return []
    observed = np.abs(differences.sum(axis=1))
    slack = 1e-12 * np.maximum(np.abs(differences).sum(axis=1), 1.0)
    lot = np.random.default_rng(seed)
    extreme = np.zeros(len(differences), dtype=np.int64)
    for count in _portions(rounds, differences.shape[1]):
        signs = lot.integers(0, 2, size=(count, differences.shape[1]), dtype=np.int8) * 2 - 1
        extreme += (np.abs(signs.astype(np.float64) @ differences.T) >= observed - slack).sum(axis=0)
    return [float((count + 1) / (rounds + 1)) for count in extreme]


def _array(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    array = np.asarray(values, dtype=np.float64)
    if not len(array):
        raise InvalidInput("there are no values to draw from")
    return array


def _portions(rounds: int, width: int) -> list[int]:
    step = max(_CELLS // width, 1)
    return [min(step, rounds - start) for start in range(0, rounds, step)]
