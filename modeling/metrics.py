"""Ranking metrics for many tasks at once: one row per task, one column per candidate.

Rank 1 is the highest score. Tied candidates have no order, so the value of a metric is its exact mean over all their
orders. Without ties this is the usual value. Validation, comparisons and all tables use it.
`tie_broken_table` gives the value of one arbitrary order, for comparison with other evaluation scripts.

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

import numpy as np
from numpy.typing import NDArray

from kernel.errors import InvalidInput

Floats = NDArray[np.float64]
METRICS = ("ap", "r10", "rr", "p10", "ndcg10", "rar")
PRIMARY = ("ap", "r10", "rr")
CUT = 10


@dataclass(frozen=True)
class Table:
    """Scores and golds of many tasks, padded to the longest. A padded cell is not a gold and ranks last."""

    scores: Floats
    gold: NDArray[np.bool_]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, scores: Sequence[Sequence[float]], labels: Sequence[Sequence[int]]) -> Table:
        """Return the table; raise InvalidInput on infinite scores, tasks without gold, and lengths that differ."""
        lengths = np.array([len(row) for row in labels], dtype=np.int64)
        width = int(lengths.max(initial=0))
        table = np.full((len(labels), width), -np.inf)
        gold = np.zeros((len(labels), width), dtype=bool)
        for number, (row, label) in enumerate(zip(scores, labels, strict=True)):
            if len(row) != len(label):
                raise InvalidInput(f"task {number}: {len(row)} scores for {len(label)} candidates")
            table[number, : len(row)] = row
            gold[number, : len(row)] = np.asarray(label) > 0
        inside = np.arange(width) < lengths[:, None]
        if not np.isfinite(table[inside]).all():
            raise InvalidInput("a score is not a finite number")
        if not gold.any(axis=1).all():
            raise InvalidInput("a task has no gold: there is nothing to rank first")
        return cls(table, gold, lengths)


# ---- Ties in the candidates' own order ------------------------------------------------------------


def tie_broken_table(table: Table) -> dict[str, Floats]:
    """Return each metric's value for each task, with tied candidates in the order in which they are listed."""
    order = np.argsort(-table.scores, axis=1, kind="stable")
    hits = np.take_along_axis(table.gold, order, axis=1)
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


# ---- The mean over all orders of tied candidates --------------------------------------------------


def evaluate_table(table: Table) -> dict[str, Floats]:
    """Return each metric's value for each task: its exact mean over all orders of tied candidates."""
    ties = _Ties.of(table)
    first_ten = ties.golds_in_first(CUT)
    discounts = _discounts(ties.share.shape[1])
    return {
        "ap": ties.average_precision(),
        "r10": first_ten / ties.golds,
        "rr": ties.reciprocal_rank(),
        "p10": first_ten / CUT,
        "ndcg10": (ties.share * discounts).sum(axis=1) / np.cumsum(discounts)[ties.golds - 1],
        "rar": _reciprocal_average_ranks(ties),
    }


def average_precision(table: Table) -> Floats:
    """Return the average precision of each task: what the paper calls AP, and its mean MAP."""
    return _Ties.of(table).average_precision()


@dataclass(frozen=True)
class _Ties:
    """The candidates of each task by falling score. Each array describes the tie group at every rank."""

    inside: NDArray[np.int64]  # ranks of the group before this one
    size: NDArray[np.int64]  # candidates in the group
    hits: NDArray[np.int64]  # golds in the group
    above: NDArray[np.int64]  # golds in higher groups
    golds: NDArray[np.int64]  # in the task (one number per row)

    @classmethod
    def of(cls, table: Table) -> _Ties:
        order = np.argsort(-table.scores, axis=1, kind="stable")
        scores = np.take_along_axis(table.scores, order, axis=1)
        width = scores.shape[1]
        rank = np.arange(width)
        is_new = np.ones(scores.shape, dtype=bool)
        is_new[:, 1:] = scores[:, 1:] != scores[:, :-1]
        start = np.maximum.accumulate(np.where(is_new, rank, 0), axis=1)
        is_last = np.ones(scores.shape, dtype=bool)
        is_last[:, :-1] = is_new[:, 1:]
        end = np.minimum.accumulate(np.where(is_last, rank + 1, width)[:, ::-1], axis=1)[:, ::-1]
        counted = np.zeros((len(scores), width + 1), dtype=np.int64)
        np.cumsum(np.take_along_axis(table.gold, order, axis=1), axis=1, out=counted[:, 1:])
        above = np.take_along_axis(counted, start, axis=1)
        hits = np.take_along_axis(counted, end, axis=1) - above
        return cls(rank - start, end - start, hits, above, counted[:, -1])

    @property
    def share(self) -> Floats:
        """The probability that a rank holds a gold."""
        return np.asarray(self.hits / self.size, dtype=np.float64)

    def golds_in_first(self, ranks: int) -> Floats:
        at = min(ranks, self.size.shape[1]) - 1
        reached = self.hits[:, at] * (self.inside[:, at] + 1) / self.size[:, at]
        return np.asarray(self.above[:, at] + reached, dtype=np.float64)

    def average_precision(self) -> Floats:
        place = np.arange(1, self.size.shape[1] + 1)
        others = (self.hits - 1) / np.maximum(
            self.size - 1, 1
        )  # the probability of a gold at another rank of the group
        precision = self.share * (self.above + 1 + self.inside * others) / place
        return np.asarray(precision.sum(axis=1) / self.golds, dtype=np.float64)

    def reciprocal_rank(self) -> Floats:
        place = np.arange(1, self.size.shape[1] + 1)
        is_first = (self.above == 0) & (self.hits > 0)  # the highest group with a gold
        left = self.size - self.inside
        here = np.where(is_first, np.minimum(self.hits / left, 1.0), 0.0)  # gold here, if none before
        none_before = np.ones_like(here)
        none_before[:, 1:] = np.cumprod(1.0 - here, axis=1)[:, :-1]
        return np.asarray((none_before * here / place).sum(axis=1), dtype=np.float64)


@lru_cache(maxsize=64)
def _discounts(width: int) -> Floats:
    place = np.arange(1, width + 1)
    return np.where(place <= CUT, 1.0 / np.log2(place + 1), 0.0)


Groups = tuple[tuple[int, int], ...]  # from the top: (candidates with this score, golds among them)


def _reciprocal_average_ranks(ties: _Ties) -> Floats:
    place = np.arange(1, ties.size.shape[1] + 1)
    values = ties.golds / (ties.share * place).sum(axis=1)  # correct if no gold is tied with another candidate
    for number in np.flatnonzero(((ties.size > 1) & (ties.hits > 0)).any(axis=1)):
        starts = np.flatnonzero(ties.inside[number] == 0)
        groups = zip(ties.size[number, starts].tolist(), ties.hits[number, starts].tolist(), strict=True)
        values[number] = _expected_reciprocal_average(tuple(groups), int(ties.golds[number]))
    return np.asarray(values, dtype=np.float64)


@lru_cache(maxsize=65_536)
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
    for last in range(1, size + 1):  # take the place `last` or not
        for chosen in range(min(last, golds), 0, -1):
            shift = last - chosen
            if shift < width:
                ways[chosen, shift:] += ways[chosen - 1, : width - shift]
        ways /= ways.max()
    return np.asarray(ways[golds] / ways[golds].sum(), dtype=np.float64)
