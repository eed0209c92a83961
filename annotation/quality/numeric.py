"""How far people agree on numbers.

Alpha takes Krippendorff's interval distance: the squared difference of two numbers. It needs only three sums for each
item, so its cost grows with the number of judgements, not of pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotation.quality.agreement import REPLICATES, Agreement, Statistic, mean_of, measured, with_several
from annotation.quality.ratings import Ratings, Undefined

if TYPE_CHECKING:
    from annotation.quality.ratings import Floats

ONE_NUMBER = Undefined("Everybody gave the same number to everything, so chance alone would agree as well.")
ROUNDING = 1e-12  # a spread this small beside the squares it is computed from is none


def interval_alpha(ratings: Ratings, *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return alpha with the squared difference over the items with two judgements or more; labels are numbers."""
    used, words = with_several(ratings)
    name = "Krippendorff's alpha, interval"
    return measured(name, _alpha_of(used), used, words, seed, replicates, without_variety=ONE_NUMBER)


def mean_difference(ratings: Ratings, *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return how far two people's numbers are apart: the mean over an item's pairs, then over items."""
    used, words = with_several(ratings)
    return measured("pairwise difference", mean_of(_differences(used)), used, words, seed, replicates)


def _alpha_of(used: Ratings) -> Statistic:
    import numpy as np

    size, numbers = used.judgements.astype(float), _scaled(_numbers(used))
    sums = np.bincount(used.item, weights=numbers, minlength=len(used.items))
    squares = np.bincount(used.item, weights=numbers**2, minlength=len(used.items))
    apart = (numbers - (sums / size)[used.item]) ** 2
    within = size * np.bincount(used.item, weights=apart, minlength=len(used.items)) / (size - 1)
    columns = np.stack([size, sums, squares, within], axis=1)

    def alpha(weights: Floats) -> Floats:
        total, summed, squared, observed = (weights @ columns).T
        expected = total * squared - summed**2
        has_spread = expected > ROUNDING * total * squared
        values: Floats = 1 - (total - 1) * observed / np.where(has_spread, expected, np.nan)
        return values

    return alpha


def _differences(used: Ratings) -> Floats:
    """Return for each item the mean absolute difference over its pairs of judgements.

    In ascending order, the k-th of m numbers is subtracted m - 1 - k times and has k numbers subtracted from it.
    """
    import numpy as np

    numbers, size = _numbers(used), used.judgements
    order = np.lexsort((numbers, used.item))
    item = used.item[order]
    starts = np.concatenate(([0], np.cumsum(size)[:-1])).astype(np.int64)
    place = np.arange(len(item)) - starts[item]
    above_least = numbers[order] - numbers[order][starts[item]]
    signed = (2 * place - size[item] + 1) * above_least
    pairs = size * (size - 1) / 2
    differences: Floats = np.bincount(item, weights=signed, minlength=len(size)) / pairs
    return differences


def _numbers(used: Ratings) -> Floats:
    """Return the number of each judgement."""
    import numpy as np

    return np.array([float(label) for label in used.labels], dtype=float)[used.label]


def _scaled(numbers: Floats) -> Floats:
    """Return the numbers with mean 0 and range 1, which changes no alpha and loses no digits of large numbers."""
    import numpy as np

    if not len(numbers):
        return numbers
    low, high = numbers.min(), numbers.max()
    spread = high / 2 - low / 2  # halves, because the difference of two large numbers may be infinite
    if not spread > 0:
        return np.zeros_like(numbers)
    shares = (numbers / 2 - low / 2) / spread
    scaled: Floats = shares - shares.mean()
    return scaled
