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


def golds_at(scores: list[float], labels: list[int]) -> list[int]:
    """Ranks of the golds; among equal scores the candidate that stands first is ranked first."""
    order = sorted(range(len(scores)), key=lambda place: -scores[place])  # Python's sort keeps the order of equals
    return [rank for rank, place in enumerate(order, 1) if labels[place]]


def of_task(ranks: list[int]) -> tuple[float, ...]:
    """Return the metrics of one task in the order of METRICS, from the ranks of its golds."""
    precision = fsum(number / rank for number, rank in enumerate(ranks, 1)) / len(ranks)
    first_ten = [rank for rank in ranks if rank <= 10]
    gain = fsum(1 / log2(rank + 1) for rank in first_ten)
    most = fsum(1 / log2(rank + 1) for rank in range(1, min(len(ranks), 10) + 1))
    recall = len(first_ten) / len(ranks)
    return precision, recall, 1 / ranks[0], len(first_ten) / 10, gain / most, len(ranks) / sum(ranks)


def recompute(lines: Iterable[str], keys: set[str] | None = None) -> dict[tuple[str, str], float]:
    """Return the mean by part and metric, over these instances only where keys are given."""
    found: defaultdict[str, list[tuple[float, ...]]] = defaultdict(list)
    for line in lines:
        row = json.loads(line)
        if keys is None or row["key"] in keys:
            found[row["part"]].append(of_task(golds_at(row["scores"], row["labels"])))
    return {
        (part, name): fsum(values) / len(values)
        for part, rows in found.items()
        for name, values in zip(METRICS, zip(*rows, strict=True), strict=True)
    }


def differences(predictions: Iterable[str], metrics: Iterable[str]) -> dict[tuple[str, str], float]:
    """Return by part and metric how far metrics.jsonl is off; infinitely where a figure is missing."""
    told = {(row["part"], row["metric"]): row["mean"] for row in map(json.loads, metrics) if row["kind"] == "result"}
    return {
        (part, name): abs(told.get((part, METRICS[name]), float("inf")) - value)
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
