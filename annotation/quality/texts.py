"""How far people agree on texts in their own words, by a closeness of two texts that the caller chooses."""

from __future__ import annotations

from collections.abc import Callable

from annotation.quality.agreement import REPLICATES, Agreement, mean_of, measured, with_several
from annotation.quality.pairs import means_of_items, pairs_of_judgements
from annotation.quality.ratings import Ratings

CLOSENESS = "pairwise closeness"
Closeness = Callable[[str, str], float]  # of two texts, in alphabetical order → 0 (unrelated) to 1 (the same)


def pairwise_closeness(
    ratings: Ratings, closeness: Closeness, *, seed: int = 0, replicates: int = REPLICATES
) -> Agreement:
    """Return the closeness of two people's texts: the mean over an item's pairs, then over items.

    The closeness of two texts is computed once, however many pairs of people gave them.
    """
    import numpy as np

    used, words = with_several(ratings)
    left, right = pairs_of_judgements(used)
    codes = np.sort(np.stack([used.label[left], used.label[right]], axis=1), axis=1)
    distinct, position = np.unique(codes, axis=0, return_inverse=True)
    texts = used.labels
    values = [_checked(closeness(texts[first], texts[second])) for first, second in distinct.tolist()]
    means = means_of_items(used, left, np.array(values, dtype=float)[position.ravel()])
    return measured(CLOSENESS, mean_of(means), used, words, seed, replicates)


def _checked(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"a closeness must be between 0 and 1, not {value}")
    return value
