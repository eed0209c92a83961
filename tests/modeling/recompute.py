"""Figures from a predictions.jsonl, by nothing but the standard library: what our pages say is held against this.

python tests/modeling/recompute.py predictions.jsonl [metrics.jsonl]

With metrics.jsonl each figure is held against the one that stands there; the exit code tells whether all are equal.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from math import fsum, log2

COLUMNS = ("MAP", "R@10", "MRR")  # of the results table
METRICS = {"MAP": "ap", "R@10": "r10", "MRR": "rr", "P@10": "p10", "nDCG@10": "ndcg10", "1 / average rank": "rar"}


def tie_groups(scores: list[float], labels: list[int]) -> list[tuple[int, int]]:
    """From the top: how many candidates have this score, and how many of them are golds."""
    held: defaultdict[float, list[int]] = defaultdict(list)
    for score, label in zip(scores, labels, strict=True):
        held[score].append(int(label > 0))
    return [(len(held[score]), sum(held[score])) for score in sorted(held, reverse=True)]


def of_task(groups: list[tuple[int, int]]) -> tuple[float, ...]:
    """Return the mean of each metric, in the order of METRICS, over all orders of candidates with equal scores."""
    golds = sum(golds_here for _, golds_here in groups)
    precision, ten, gain, best, none_so_far, rank, above = 0.0, 0.0, 0.0, 0.0, 1.0, 0, 0
    for size, golds_here in groups:
        for before in range(size):
            rank += 1
            chance = golds_here / size
            if golds_here:
                precision += chance * (above + 1 + before * (golds_here - 1) / max(size - 1, 1)) / rank
            if rank <= 10:
                ten += chance
                gain += chance / log2(rank + 1)
            first = min(golds_here / (size - before), 1.0)  # the chance of a gold here when the group had none before
            best += none_so_far * first / rank
            none_so_far *= 1 - first
        above += golds_here
    most = fsum(1 / log2(rank + 1) for rank in range(1, min(golds, 10) + 1))
    return precision / golds, ten / golds, best, ten / 10, gain / most, mean_reciprocal(groups, golds)


def mean_reciprocal(groups: list[tuple[int, int]], golds: int) -> float:
    """Return the mean of golds / (sum of their ranks), counting the ways to reach each sum."""
    ways, before = {0: 1}, 0
    for size, golds_here in groups:
        sums = {(0, 0): 1}  # (golds placed, sum of their ranks) → ways
        for rank in range(before + 1, before + size + 1):
            for (placed, total), count in [*sums.items()]:
                if placed < golds_here:
                    sums[placed + 1, total + rank] = sums.get((placed + 1, total + rank), 0) + count
        joined: defaultdict[int, int] = defaultdict(int)
        for total, count in ways.items():
            for (placed, more), others in sums.items():
                if placed == golds_here:
                    joined[total + more] += count * others
        ways, before = dict(joined), before + size
    return fsum(golds / total * count for total, count in ways.items()) / sum(ways.values())


def recompute(lines: Iterable[str], keys: set[str] | None = None) -> dict[tuple[str, str], float]:
    """Return the mean by part and metric, over these instances only where keys are given."""
    values_by_part: defaultdict[str, list[tuple[float, ...]]] = defaultdict(list)
    for line in lines:
        row = json.loads(line)
        if keys is None or row["key"] in keys:
            values_by_part[row["part"]].append(of_task(tie_groups(row["scores"], row["labels"])))
    return {
        (part, name): fsum(values) / len(values)
        for part, rows in values_by_part.items()
        for name, values in zip(METRICS, zip(*rows, strict=True), strict=True)
    }


def differences(predictions: Iterable[str], metrics: Iterable[str]) -> dict[tuple[str, str], float]:
    """Return by part and metric how far metrics.jsonl is off; infinitely where a figure is missing."""
    means = {(row["part"], row["metric"]): row["mean"] for row in map(json.loads, metrics) if row["kind"] == "result"}
    return {
        (part, name): abs(means.get((part, METRICS[name]), float("inf")) - value)
        for (part, name), value in recompute(predictions).items()
    }


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.readlines()
    for (part, name), value in recompute(lines).items():
        print(f"{part:6} {name:17} {value:.6f}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as file:
            most = max(differences(lines, file).values())
        print(f"the largest difference to {sys.argv[2]} is {most:.1e}")
        sys.exit(most > 1e-9)
