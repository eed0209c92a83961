"""How far people agree on labels, corrected for chance, with bootstrap intervals over the items.

Krippendorff's alpha (nominal) takes items with any number of judgements. Fleiss' kappa takes only items with the same
number, so it is computed over those with the most common one. A value that cannot be computed is Undefined and says
why; it is never NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation.quality.ratings import Ratings, Undefined
from annotation.quality.trust import wilson

if TYPE_CHECKING:
    from annotation.quality.ratings import Floats

REPLICATES = 1000
LEVEL = 0.95
BATCH = 32  # resamples computed at once: they fit a processor's cache
Statistic = Callable[["Floats"], "Floats"]  # rows of how often each item counts → a value each, NaN where undefined

SEVERAL = "the instances with two or more judgements"
TOO_FEW = Undefined("No item has two judgements, so there is nothing to compare.")
ONE_LABEL = Undefined("Everybody gave the same label to everything, so chance alone would agree as well.")


@dataclass(frozen=True)
class Interval:
    """A 95 % interval: usually where the value lies in 95 of 100 resamples of the items (percentile bootstrap)."""

    low: float
    high: float


@dataclass(frozen=True)
class Agreement:
    """One measure: its value and interval, the numbers of items and judgements, and a note on what was left out."""

    measure: str
    value: float | Undefined
    interval: Interval | Undefined
    items: int
    judgements: int
    note: str = ""
    over: str = ""  # which items


@dataclass(frozen=True)
class HitRate:
    """Hits on items whose answer is known, with Wilson's interval: unlike a bootstrap, it suits few answers."""

    hits: int
    answered: int

    @property
    def share(self) -> float:
        return self.hits / self.answered

    @property
    def interval(self) -> Interval:
        return Interval(*wilson(self.share, self.answered))


def krippendorff_alpha(ratings: Ratings, *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return nominal alpha over the items with two judgements or more; 1 is perfect, 0 chance, below 0 worse."""
    used, words = with_several(ratings)
    return measured("Krippendorff's alpha", _alpha_of(used), used, words, seed, replicates)


def fleiss_kappa(ratings: Ratings, *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return Fleiss' kappa over the items that have the most common number of judgements (of two or more)."""
    import numpy as np

    several = ratings.judgements[ratings.judgements >= 2]
    usual = int(np.bincount(several).argmax()) if len(several) else 0
    used = ratings.only_items((ratings.judgements == usual) & (ratings.judgements >= 2))
    note = _left_out(ratings, used, f"other than {usual} judgements")
    over = f"the instances with exactly {usual} judgements, the most common number"
    return measured("Fleiss' kappa", _kappa_of(used), used, (note, over), seed, replicates)


def percent_agreement(ratings: Ratings, *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return the mean share of an item's pairs of judgements that have the same label; not corrected for chance."""
    used, words = with_several(ratings)
    return measured("pairwise agreement", mean_of(_shares(used)), used, words, seed, replicates)


def bootstrap(statistic: Statistic, items: int, *, seed: int, replicates: int) -> Interval | Undefined:
    """Return the percentile interval of a statistic over resampled items; the same seed gives the same interval."""
    import numpy as np

    if items < 2:
        return Undefined("An interval needs at least two items.")
    generator = np.random.default_rng(seed)
    batches = []
    for start in range(0, replicates, BATCH):
        rows = min(BATCH, replicates - start)
        drawn = generator.integers(0, items, (rows, items)) + items * np.arange(rows)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items)
        batches.append(statistic(weights.astype(float)))
    return interval_of(np.concatenate(batches) if batches else np.zeros(0))


def interval_of(values: Floats) -> Interval | Undefined:
    """Return the interval that holds 95 % of the resamples' values; NaN marks a resample whose value is undefined."""
    import numpy as np

    known = values[np.isfinite(values)]
    if len(known) * 2 < len(values) or not len(known):
        return Undefined("In most resamples the value is undefined, so no interval can be given.")
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))


def mean_of(values: Floats) -> Statistic:
    """Return the statistic "mean of one value per item"."""
    return lambda weights: (weights @ values) / weights.sum(axis=1)


def measured(
    measure: str,
    statistic: Statistic,
    used: Ratings,
    words: tuple[str, str],
    seed: int,
    replicates: int,
    *,
    without_variety: Undefined = ONE_LABEL,
) -> Agreement:
    """Return the measure over the items used; `words` are its note and a description of these items.

    The statistic is NaN where all judgements are the same; `without_variety` says so.
    """
    import numpy as np

    items = len(used.items)
    if not items:
        return Agreement(measure, TOO_FEW, TOO_FEW, 0, 0, *words)
    value = float(statistic(np.ones((1, items)))[0])
    if not np.isfinite(value):
        return Agreement(measure, without_variety, without_variety, items, len(used), *words)
    interval = bootstrap(statistic, items, seed=seed, replicates=replicates)
    return Agreement(measure, value, interval, items, len(used), *words)


def with_several(ratings: Ratings) -> tuple[Ratings, tuple[str, str]]:
    """Return the items with two judgements or more, and the words that `measured` takes for them."""
    used = ratings.only_items(ratings.judgements >= 2)
    return used, (_left_out(ratings, used, "one judgement"), SEVERAL)


def _left_out(ratings: Ratings, used: Ratings, having: str) -> str:
    """Return a note on the number of items that are not used; empty if all are."""
    unused = len(ratings.items) - len(used.items)
    return f"{unused} of {len(ratings.items)} items left out: they have {having}." if unused else ""


def label_counts(used: Ratings) -> Statistic:
    """Return the statistic "how often each label was given", a column for each label that occurs, in their order."""
    import numpy as np

    order = np.argsort(used.label, kind="stable")
    starts = np.unique(used.label[order], return_index=True)[1]
    item = used.item[order]
    return lambda weights: np.add.reduceat(weights[:, item], starts, axis=1)


def _squares_of(used: Ratings) -> Statistic:
    """Return the statistic "sum over labels of the square of how often a label was given"."""
    counts = label_counts(used)
    return lambda weights: (counts(weights) ** 2).sum(axis=1)


def _alpha_of(used: Ratings) -> Statistic:
    import numpy as np

    size = used.judgements.astype(float)
    agreeing = used.agreeing / np.maximum(size - 1, 1)
    squares = _squares_of(used)

    def alpha(weights: Floats) -> Floats:
        total = weights @ size
        expected = total * total - squares(weights)
        observed = total - weights @ agreeing
        values: Floats = 1 - (total - 1) * observed / np.where(expected > 0, expected, np.nan)
        return values

    return alpha


def _kappa_of(used: Ratings) -> Statistic:
    import numpy as np

    size = used.judgements.astype(float)
    share, squares = mean_of(_shares(used)), _squares_of(used)

    def kappa(weights: Floats) -> Floats:
        total = weights @ size
        chance = squares(weights) / (total * total)
        values: Floats = (share(weights) - chance) / np.where(chance < 1, 1 - chance, np.nan)
        return values

    return kappa


def _shares(used: Ratings) -> Floats:
    """Return for each item the share of pairs of judgements that have the same label."""
    import numpy as np

    size = used.judgements.astype(float)
    shares: Floats = used.agreeing / np.maximum(size * (size - 1), 1)
    return shares
