"""How far people agree on labels that have an order, such as "rarely", "often", "always".

Alpha takes Krippendorff's ordinal distance: the number of judgements between two labels, squared. Kappa is Cohen's with
quadratic weights: the number of steps between two labels, squared. Labels that nobody gave count as steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from annotation.quality.agreement import (
    ONE_LABEL,
    REPLICATES,
    Agreement,
    Statistic,
    label_counts,
    measured,
    with_several,
)
from annotation.quality.pairs import mean_over_pairs, pairs_of_judgements
from annotation.quality.ratings import Ratings, Undefined

if TYPE_CHECKING:
    from annotation.quality.ratings import Floats


def ordinal_alpha(ratings: Ratings, order: Sequence[str], *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return alpha with the ordinal distance over the items with two judgements or more; `order` has every label."""
    used, words = with_several(_in_order(ratings, order))
    return measured("Krippendorff's alpha, ordinal", _alpha_of(used), used, words, seed, replicates)


def weighted_kappa(ratings: Ratings, order: Sequence[str], *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return the mean quadratic-weighted kappa over all pairs of workers; the interval resamples pairs."""
    kappas = _kappas(_in_order(ratings, order))
    name = "quadratic-weighted kappa, mean over pairs"
    return mean_over_pairs(name, kappas, len(ratings), seed=seed, replicates=replicates)


def _in_order(ratings: Ratings, order: Sequence[str]) -> Ratings:
    """Return the same judgements with labels in this order instead of sorted by name."""
    import numpy as np

    position = {label: n for n, label in enumerate(order)}
    codes = np.array([position[label] for label in ratings.labels], dtype=np.int64)
    return replace(ratings, labels=tuple(order), label=codes[ratings.label])


def _alpha_of(used: Ratings) -> Statistic:
    """Return alpha as a statistic. The distance of two labels is the squared difference of their mean ranks."""
    import numpy as np

    counts_of, size = label_counts(used), used.judgements.astype(float)
    by_item = np.argsort(used.item, kind="stable")
    starts = np.searchsorted(used.item[by_item], np.arange(len(used.items)))
    label = np.unique(used.label, return_inverse=True)[1][by_item]

    def alpha(weights: Floats) -> Floats:
        counts = counts_of(weights)
        total = counts.sum(axis=1)
        ranks = np.cumsum(counts, axis=1) - counts / 2 - total[:, None] / 2  # their sum over all judgements is 0
        expected = total * (counts * ranks * ranks).sum(axis=1)
        rank = ranks[:, label]
        sums = np.add.reduceat(rank, starts, axis=1)
        squares = np.add.reduceat(rank * rank, starts, axis=1)
        observed = (weights * (size * squares - sums * sums) / (size - 1)).sum(axis=1)
        values: Floats = 1 - (total - 1) * observed / np.where(expected > 0, expected, np.nan)
        return values

    return alpha


def _kappas(ratings: Ratings) -> list[float | Undefined]:
    """Return the kappa of every pair of workers with common items."""
    import numpy as np

    left, right = pairs_of_judgements(ratings)
    if not len(left):
        return []
    workers = ratings.worker[left] * len(ratings.workers) + ratings.worker[right]
    pair = np.unique(workers, return_inverse=True)[1]
    first, second = ratings.label[left].astype(float), ratings.label[right].astype(float)

    def total(values: Floats) -> Floats:
        return np.bincount(pair, weights=values).astype(float)

    items = total(np.ones(len(pair)))
    observed = items * total((first - second) ** 2)
    expected = items * total(first**2 + second**2) - 2 * total(first) * total(second)
    return [
        1 - steps / by_chance if by_chance > 0 else ONE_LABEL
        for steps, by_chance in zip(observed.tolist(), expected.tolist(), strict=True)
    ]
