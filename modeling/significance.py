"""How sure a mean is, and whether one ranker is really better than another. Seeded: same values, same answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tesa_site.kernel.errors import InvalidInput

ROUNDS = 10_000
LEAST = 5  # values: fewer have no interval
_CELLS = 2_000_000  # drawn at once: 16 MB


@dataclass(frozen=True)
class Interval:
    """A mean and its interval; fewer than LEAST values have none, whatever a bootstrap would say of them."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Comparison:
    """Mean of (first − second) over the tasks, its interval, and the two-sided p-value of the randomisation test."""

    difference: float
    low: float | None
    high: float | None
    p: float


def bootstrap_interval(
    values: Sequence[float] | NDArray[np.float64], *, seed: int = 0, rounds: int = ROUNDS, level: float = 0.95
) -> Interval:
    """Return the mean and the percentile interval of means of tasks drawn with replacement."""
    found = _array(values)
    if len(found) < LEAST:
        return Interval(float(found.mean()), None, None)
    lot = np.random.default_rng(seed)
    means = [
        found[lot.integers(0, len(found), size=(count, len(found)))].mean(axis=1)
        for count in _portions(rounds, len(found))
    ]
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(found.mean()), float(low), float(high))


def paired_randomisation(
    first: Sequence[float] | NDArray[np.float64],
    second: Sequence[float] | NDArray[np.float64],
    *,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> Comparison:
    """Compare two rankers on the same tasks in the same order, by swapping them task by task at random.

    p counts the observed assignment too, so it is never 0: at least 1 / (rounds + 1).
    """
    one, other = _array(first), _array(second)
    if len(one) != len(other):
        raise InvalidInput(f"{len(one)} and {len(other)} values cannot be paired: both rankers need the same tasks")
    differences = one - other
    observed = abs(differences.sum())
    slack = 1e-12 * max(np.abs(differences).sum(), 1.0)  # equal sums differ by rounding
    lot = np.random.default_rng(seed)
    extreme = 0
    for count in _portions(rounds, len(one)):
        signs = lot.integers(0, 2, size=(count, len(one)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ differences) >= observed - slack).sum())
    interval = bootstrap_interval(differences, seed=seed, rounds=rounds)
    return Comparison(interval.mean, interval.low, interval.high, (extreme + 1) / (rounds + 1))


def randomisation_p_values(differences: NDArray[np.float64], *, seed: int = 0, rounds: int = ROUNDS) -> list[float]:
    """Return the p-value of each row of differences: what `paired_randomisation` gives, for many pairs at once."""
    if not differences.size:
        return []
    observed = np.abs(differences.sum(axis=1))
    slack = 1e-12 * np.maximum(np.abs(differences).sum(axis=1), 1.0)
    lot = np.random.default_rng(seed)
    extreme = np.zeros(len(differences), dtype=np.int64)
    for count in _portions(rounds, differences.shape[1]):
        signs = lot.integers(0, 2, size=(count, differences.shape[1]), dtype=np.int8) * 2 - 1
        extreme += (np.abs(signs.astype(np.float64) @ differences.T) >= observed - slack).sum(axis=0)
    return [float((found + 1) / (rounds + 1)) for found in extreme]


def _array(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.asarray(values, dtype=np.float64)
    if not len(found):
        raise InvalidInput("there are no values to draw from")
    return found


def _portions(rounds: int, width: int) -> list[int]:
    step = max(_CELLS // width, 1)
    return [min(step, rounds - start) for start in range(0, rounds, step)]
