"""Cohen's kappa of every two workers who judged the same items, and what it says about one worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from annotation.quality.agreement import ONE_LABEL, REPLICATES, Agreement, Interval, bootstrap, mean_of
from annotation.quality.ratings import Ratings, Undefined

if TYPE_CHECKING:
    from annotation.quality.ratings import Floats, Integers


@dataclass(frozen=True)
class Pair:
    """Two workers: how many items both judged, on how many they agree, and Cohen's kappa."""

    first: str
    second: str
    items: int
    agree: int
    kappa: float | Undefined


@dataclass(frozen=True)
class WorkerAgreement:
    """One worker against everybody else who judged the same items."""

    share: float | Undefined  # share of comparisons with other people's judgements that agree
    kappa: float | Undefined  # mean of Cohen's kappa over colleagues, weighted by shared items


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> float | Undefined:
    """Return Cohen's kappa of two people's labels of the same items, in the same order."""
    rows = [(str(n), who, label) for who, labels in (("a", first), ("b", second)) for n, label in enumerate(labels)]
    if len(first) != len(second):
        raise ValueError(f"two people must label the same items: {len(first)} and {len(second)} labels")
    pairs = worker_pairs(Ratings.of(rows))
    return pairs[0].kappa if pairs else Undefined("The two people have no item in common.")


def worker_pairs(ratings: Ratings, *, least_items: int = 1) -> tuple[Pair, ...]:
    """Return every pair of workers with `least_items` in common, sorted by name."""
    import numpy as np

    left, right = pairs_of_judgements(ratings)
    if not len(left):
        return ()
    pair_code = ratings.worker[left] * len(ratings.workers) + ratings.worker[right]
    codes, pair = np.unique(pair_code, return_inverse=True)
    items = np.bincount(pair)
    agree = np.bincount(pair, weights=ratings.label[left] == ratings.label[right]).astype(np.int64)
    chance = _chance(ratings, pair, left, right, len(codes)) / (items.astype(float) ** 2)
    return tuple(
        Pair(
            ratings.workers[code // len(ratings.workers)], ratings.workers[code % len(ratings.workers)],
            shared, same, ONE_LABEL if by_chance >= 1 - 1e-12 else (same / shared - by_chance) / (1 - by_chance),
        )
        for code, shared, same, by_chance in zip(
            codes.tolist(), items.tolist(), agree.tolist(), chance.tolist(), strict=True
        )
        if shared >= least_items
    )  # fmt: skip


def mean_kappa(pairs: Sequence[Pair]) -> float | Undefined:
    """Return the mean kappa of the pairs that have one; every pair counts the same."""
    return _mean([pair.kappa for pair in pairs if not isinstance(pair.kappa, Undefined)])


def _mean(values: Sequence[float]) -> float | Undefined:
    if not values:
        return Undefined("No two participants share enough instances with two labels.")
    return sum(values) / len(values)


def cohen(ratings: Ratings, *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return the mean of Cohen's kappa over all pairs of workers with common items; the interval resamples pairs."""
    kappas = [pair.kappa for pair in worker_pairs(ratings)]
    return mean_over_pairs("Cohen's kappa, mean over pairs", kappas, len(ratings), seed=seed, replicates=replicates)


def mean_over_pairs(
    measure: str, kappas: Sequence[float | Undefined], judgements: int, *, seed: int, replicates: int
) -> Agreement:
    """Return the mean over the pairs of workers that have a kappa, with an interval over resampled pairs."""
    import numpy as np

    known = np.array([kappa for kappa in kappas if not isinstance(kappa, Undefined)], dtype=float)
    left = len(kappas) - len(known)
    note = f"{left} of {len(kappas)} pairs of participants left out: they gave one label only." if left else ""
    interval: Interval | Undefined = Undefined("An interval needs at least two pairs of participants.")
    if len(known) > 1:
        interval = bootstrap(mean_of(known), len(known), seed=seed, replicates=replicates)
    return Agreement(measure, _mean(known.tolist()), interval, len(known), judgements, note)


def worker_agreement(ratings: Ratings) -> dict[str, WorkerAgreement]:
    """Return each worker's agreement with the others; Undefined for one who shares no item with anybody."""
    sums = {worker: [0, 0, 0, 0.0] for worker in ratings.workers}  # compared, agreeing, weight and sum of kappas
    for pair in worker_pairs(ratings):
        for worker in (pair.first, pair.second):
            total = sums[worker]
            total[0] += pair.items
            total[1] += pair.agree
            if not isinstance(pair.kappa, Undefined):
                total[2] += pair.items
                total[3] += pair.items * pair.kappa
    alone = Undefined("Nobody else answered about the same instances.")
    return {
        worker: WorkerAgreement(
            agree / compared if compared else alone,
            kappas / weight if weight else (ONE_LABEL if compared else alone),
        )
        for worker, (compared, agree, weight, kappas) in sums.items()
    }


def pairs_of_judgements(ratings: Ratings) -> tuple[Integers, Integers]:
    """Return the rows of every pair of judgements of one item, in the order of the workers' names."""
    import numpy as np

    order = np.lexsort((ratings.worker, ratings.item))
    counts = ratings.judgements
    starts = np.concatenate(([0], np.cumsum(counts)[:-1])) if len(counts) else counts
    left, right = [], []
    for size in np.unique(counts[counts >= 2]).tolist():
        first = starts[counts == size]
        for a, b in combinations(range(size), 2):
            left.append(order[first + a])
            right.append(order[first + b])
    empty = np.zeros(0, dtype=np.int64)
    return (np.concatenate(left), np.concatenate(right)) if left else (empty, empty)


def means_of_items(ratings: Ratings, left: Integers, values: Floats) -> Floats:
    """Return the mean of each item's pairs; `left` has a row of each pair, and each item has at least one pair."""
    import numpy as np

    item, items = ratings.item[left], len(ratings.items)
    means: Floats = np.bincount(item, weights=values, minlength=items) / np.bincount(item, minlength=items)
    return means


def _chance(ratings: Ratings, pair: Integers, left: Integers, right: Integers, pairs: int) -> Floats:
    """Return for each pair the sum over labels of (times the first gave it) x (times the second gave it)."""
    import numpy as np

    labels = max(len(ratings.labels), 1)
    cells, counts = np.unique(pair * labels + ratings.label[left], return_counts=True)
    others, other_counts = np.unique(pair * labels + ratings.label[right], return_counts=True)
    both, at, other_at = np.intersect1d(cells, others, assume_unique=True, return_indices=True)
    return np.bincount(both // labels, weights=counts[at] * other_counts[other_at], minlength=pairs).astype(float)
