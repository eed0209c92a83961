"""How far people agree on sets, such as the spans they marked in a text or the boxes they ticked.

F1 compares whole sets: somebody who marks one of four spans agrees only in part with somebody who marks all four. An
empty set is an answer too: two empty sets agree completely, an empty one and any other not at all.

Alpha takes the MASI distance (R. Passonneau: Measuring Agreement on Set-valued Items for Semantic and Pragmatic
Annotation, LREC 2006): 1 - J x M. J is the Jaccard index. M is 1 for equal sets, 2/3 if one contains the other, 1/3 if
they overlap otherwise and 0 if they share nothing. Expected disagreement compares every two distinct sets, which takes
too much memory for large campaigns; beyond a limit it is estimated from random pairs of judgements.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from annotation.quality.agreement import (
    REPLICATES,
    Agreement,
    Statistic,
    label_counts,
    mean_of,
    measured,
    with_several,
)
from annotation.quality.pairs import means_of_items, pairs_of_judgements
from annotation.quality.ratings import Ratings, Undefined

if TYPE_CHECKING:
    from annotation.quality.ratings import Floats, Integers

DISTINCT = 1500  # a table of this many sets takes 18 MB, and 1,000 resamples about a second
DRAWN = 50_000  # with this many pairs, the standard error of the mean distance is at most 0.0022
ONE_SET = Undefined("Everybody gave the same set to everything, so chance alone would agree as well.")
Sets = Mapping[str, frozenset[str]]  # by label


def pairwise_f1(ratings: Ratings, sets: Sets, *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return the F1 of two people's sets: the mean over an item's pairs, then over items."""
    used, words = with_several(ratings)
    left, right = pairs_of_judgements(used)
    shared, first, second = _sizes(_members(used, sets), used.label[left], used.label[right])
    f1 = _ratio(2 * shared, first + second)
    return measured("pairwise F1", mean_of(means_of_items(used, left, f1)), used, words, seed, replicates)


def set_alpha(ratings: Ratings, sets: Sets, *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return alpha with the MASI distance over the items with two judgements or more."""
    import numpy as np

    used, (note, over) = with_several(ratings)
    members, size = _members(used, sets), used.judgements.astype(float)
    left, right = pairs_of_judgements(used)
    apart = masi_distance(*_sizes(members, used.label[left], used.label[right]))
    within = 2 * np.bincount(used.item[left], weights=apart, minlength=len(size)) / (size - 1)
    if len(np.unique(used.label)) > DISTINCT:
        expected = _estimated(used, members, seed)
        note = f"{note} Expected disagreement is estimated from {DRAWN:,} random pairs of judgements.".strip()
    else:
        expected = _exact(used, members)

    def alpha(weights: Floats) -> Floats:
        total, by_chance = weights @ size, expected(weights)
        values: Floats = 1 - (total - 1) * (weights @ within) / np.where(by_chance > 0, by_chance, np.nan)
        return values

    name = "Krippendorff's alpha, sets (MASI)"
    return measured(name, alpha, used, (note, over), seed, replicates, without_variety=ONE_SET)


def masi_distance(shared: Floats, first: Floats, second: Floats) -> Floats:
    """Return the distance of two sets each, from the number of members they share and their sizes."""
    import numpy as np

    smaller, larger = np.minimum(first, second), np.maximum(first, second)
    monotone = np.select([shared == larger, shared == smaller, shared > 0], [1.0, 2 / 3, 1 / 3])
    distance: Floats = 1 - _ratio(shared, first + second - shared) * monotone
    return distance


def _exact(used: Ratings, members: Sequence[frozenset[str]]) -> Statistic:
    """Return the sum of distances over all ordered pairs of judgements as a statistic."""
    import numpy as np

    counts = label_counts(used)
    present = np.unique(used.label)
    holding: dict[str, list[int]] = defaultdict(list)
    for place, label in enumerate(present.tolist()):
        for member in members[label]:
            holding[member].append(place)
    shared = np.zeros((len(present), len(present)))
    for places in holding.values():
        shared[np.ix_(places, places)] += 1
    size = np.diag(shared)
    distance = masi_distance(shared, size[:, None], size[None, :])

    def expected(weights: Floats) -> Floats:
        frequency = counts(weights)
        values: Floats = (frequency @ distance * frequency).sum(axis=1)
        return values

    return expected


def _estimated(used: Ratings, members: Sequence[frozenset[str]], seed: int) -> Statistic:
    """Return an estimate of the same sum, from random pairs that do not depend on the names of workers."""
    import numpy as np

    generator = np.random.default_rng([seed, 1])  # other numbers than those that resample the items
    rows = np.lexsort((used.label, used.item))
    left, right = rows[generator.integers(0, len(used), (2, DRAWN))]
    distance = masi_distance(*_sizes(members, used.label[left], used.label[right]))
    size = used.judgements.astype(float)

    def expected(weights: Floats) -> Floats:
        chosen = weights[:, used.item[left]] * weights[:, used.item[right]]
        values: Floats = (weights @ size) ** 2 * (chosen @ distance) / chosen.sum(axis=1)
        return values

    return expected


def _members(used: Ratings, sets: Sets) -> list[frozenset[str]]:
    """Return the set of each label, in the order of the labels."""
    return [sets[label] for label in used.labels]


def _sizes(members: Sequence[frozenset[str]], left: Integers, right: Integers) -> tuple[Floats, Floats, Floats]:
    """Return for each pair of labels the number of members they share, and the sizes of both sets."""
    import numpy as np

    sizes = np.array([len(each) for each in members], dtype=float)
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    shared = np.array([len(members[first] & members[second]) for first, second in pairs], dtype=float)
    return shared, sizes[left], sizes[right]


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return the quotients; 1 where the whole is 0, because two empty sets are equal."""
    import numpy as np

    return np.where(whole > 0, part / np.maximum(whole, 1), 1.0)
