"""Ranking metrics, for many tasks at once: one row a task, one column a candidate.

Rank 1 is the highest score. Candidates with equal scores keep their own order, so that a result repeats; since that
order is a coin toss, the expected value over all orders of the tied candidates is computed beside it, exactly.

ap     mean over golds of (golds ranked no lower) / (its rank)          the paper's three
r10    golds in the first ten / golds
rr     1 / rank of the best gold
p10    golds in the first ten / 10
ndcg10 gain 1 per gold, discount 1 / log2(rank + 1), against the best order
rar    1 / mean rank of the golds
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from tesa_site.kernel.errors import InvalidInput

Floats = NDArray[np.float64]
METRICS = ("ap", "r10", "rr", "p10", "ndcg10", "rar")
PRIMARY = ("ap", "r10", "rr")
CUT = 10


@dataclass(frozen=True)
class Table:
    """Scores and golds of many tasks, padded to the longest: a padded cell is no gold and ranks last."""

    scores: Floats
    gold: NDArray[np.bool_]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, scores: Sequence[Sequence[float]], labels: Sequence[Sequence[int]]) -> Table:
        """Return the table; refuse a score that is no number, a task without gold, and lengths that differ."""
        lengths = np.array([len(row) for row in labels], dtype=np.int64)
        width = int(lengths.max(initial=0))
        table = np.full((len(labels), width), -np.inf)
        gold = np.zeros((len(labels), width), dtype=bool)
        for number, (one, label) in enumerate(zip(scores, labels, strict=True)):
            if len(one) != len(label):
                raise InvalidInput(f"task {number}: {len(one)} scores for {len(label)} candidates")
            table[number, : len(one)] = one
            gold[number, : len(one)] = np.asarray(label) > 0
        inside = np.arange(width) < lengths[:, None]
        if not np.isfinite(table[inside]).all():
            raise InvalidInput("a score is not a finite number")
        if not gold.any(axis=1).all():
            raise InvalidInput("a task has no gold: there is nothing to rank first")
        return cls(table, gold, lengths)


def gold_in_order(table: Table) -> NDArray[np.bool_]:
    """Return for each task whether rank 1, 2, … holds a gold; ties in the candidates' own order."""
    order = np.argsort(-table.scores, axis=1, kind="stable")
    return np.take_along_axis(table.gold, order, axis=1)


def ranks(scores: Sequence[float]) -> list[int]:
    """Return each candidate's rank, from 1; ties in the candidates' own order."""
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    found = np.empty(len(scores), dtype=np.int64)
    found[order] = np.arange(1, len(scores) + 1)
    return [int(rank) for rank in found]


def average_precision(table: Table) -> Floats:
    """Return the average precision of each task: what the paper calls AP, and its mean MAP."""
    hits = gold_in_order(table)
    place = np.arange(1, hits.shape[1] + 1)
    return np.asarray((hits * np.cumsum(hits, axis=1) / place).sum(axis=1) / hits.sum(axis=1), dtype=np.float64)


def evaluate_table(table: Table) -> dict[str, Floats]:
    """Return each metric's value for each task, ties in the candidates' own order."""
    hits = gold_in_order(table)
    place = np.arange(1, hits.shape[1] + 1)
    golds = hits.sum(axis=1)
    first_ten = hits[:, :CUT].sum(axis=1)
    discounts = _discounts(hits.shape[1])
    return {
        "ap": (hits * np.cumsum(hits, axis=1) / place).sum(axis=1) / golds,
        "r10": first_ten / golds,
        "rr": 1.0 / (hits.argmax(axis=1) + 1),
        "p10": first_ten / CUT,
        "ndcg10": (hits * discounts).sum(axis=1) / np.cumsum(discounts)[golds - 1],
        "rar": golds / (hits * place).sum(axis=1),
    }


def expect_table(table: Table) -> dict[str, Floats]:
    """Return each metric's expected value for each task when tied candidates come in a random order."""
    found = {name: values.copy() for name, values in evaluate_table(table).items()}
    ordered = -np.sort(-table.scores, axis=1)
    tied = (ordered[:, 1:] == ordered[:, :-1]) & np.isfinite(ordered[:, 1:])
    for number in np.flatnonzero(tied.any(axis=1)):
        scores, gold = table.scores[number], table.gold[number]
        for name, value in _expected(_tie_groups(scores, gold, int(table.lengths[number]))).items():
            found[name][number] = value
    return found


@lru_cache(maxsize=64)
def _discounts(width: int) -> Floats:
    place = np.arange(1, width + 1)
    return np.where(place <= CUT, 1.0 / np.log2(place + 1), 0.0)


Groups = tuple[tuple[int, int], ...]  # from the top: (candidates with this score, golds among them)


def _tie_groups(scores: Floats, gold: NDArray[np.bool_], length: int) -> Groups:
    _, group, sizes = np.unique(-scores[:length], return_inverse=True, return_counts=True)
    golds = np.bincount(group, weights=gold[:length], minlength=len(sizes)).astype(int)
    return tuple(zip(sizes.tolist(), golds.tolist(), strict=True))


@lru_cache(maxsize=65_536)
def _expected(groups: Groups) -> dict[str, float]:
    total = sum(golds for _, golds in groups)
    discounts = _discounts(sum(size for size, _ in groups))
    precision = ten = gain = 0.0
    before, above = 0, 0  # candidates and golds in higher groups
    for size, golds in groups:
        place = np.arange(before + 1, before + size + 1)
        share = golds / size
        if golds:
            among = (golds - 1) / (size - 1) if size > 1 else 0.0  # chance that another place of the group is a gold
            precision += float((share * (above + 1 + np.arange(size) * among) / place).sum())
        ten += share * float((place <= CUT).sum())
        gain += share * float(discounts[before : before + size].sum())
        before, above = before + size, above + golds
    return {
        "ap": precision / total,
        "r10": ten / total,
        "rr": _expected_reciprocal_rank(groups),
        "p10": ten / CUT,
        "ndcg10": gain / float(discounts[:total].sum()),
        "rar": _expected_reciprocal_average(groups, total),
    }


def _expected_reciprocal_rank(groups: Groups) -> float:
    before = 0
    for size, golds in groups:
        if golds:
            ways = comb(size, golds)
            return sum(comb(size - i, golds - 1) / ways / (before + i) for i in range(1, size - golds + 2))
        before += size
    return 0.0


def _expected_reciprocal_average(groups: Groups, total: int) -> float:
    """Return the mean of total / (sum of gold ranks), over the exact distribution of that sum."""
    chances, least, before = np.ones(1), 0, 0
    for size, golds in groups:
        if golds:
            chances = np.convolve(chances, _rank_sums(size, golds))
            least += before * golds + golds * (golds + 1) // 2
        before += size
    return float((chances * total / (least + np.arange(len(chances)))).sum())


@lru_cache(maxsize=4096)
def _rank_sums(size: int, golds: int) -> Floats:
    """Return the distribution of (the sum of `golds` places drawn from 1…size) minus the least such sum."""
    width = golds * (size - golds) + 1
    ways = np.zeros((golds + 1, width))
    ways[0, 0] = 1.0
    for last in range(1, size + 1):  # choose or leave the place `last`
        for chosen in range(min(last, golds), 0, -1):
            shift = last - chosen
            if shift < width:
                ways[chosen, shift:] += ways[chosen - 1, : width - shift]
        ways /= ways.max()
    return np.asarray(ways[golds] / ways[golds].sum(), dtype=np.float64)
