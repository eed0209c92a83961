"""Figures from a predictions.jsonl, by nothing but the standard library: what our pages say is held against this.

python tests/modeling/recompute.py predictions.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from math import fsum

COLUMNS = ("MAP", "R@10", "MRR")


def golds_at(scores: list[float], labels: list[int]) -> list[int]:
    """Ranks of the golds; among equal scores the candidate that stands first is ranked first."""
    order = sorted(range(len(scores)), key=lambda place: -scores[place])  # Python's sort keeps the order of equals
    return [rank for rank, place in enumerate(order, 1) if labels[place]]


def of_task(ranks: list[int]) -> tuple[float, float, float]:
    precision = fsum(number / rank for number, rank in enumerate(ranks, 1)) / len(ranks)
    return precision, sum(rank <= 10 for rank in ranks) / len(ranks), 1 / ranks[0]


def recompute(lines: Iterable[str], keys: set[str] | None = None) -> dict[tuple[str, str], float]:
    """Return the mean by part and column, over these instances only where keys are given."""
    found: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for line in lines:
        row = json.loads(line)
        if keys is None or row["key"] in keys:
            found[row["part"]].append(of_task(golds_at(row["scores"], row["labels"])))
    return {
        (part, name): fsum(values) / len(values)
        for part, rows in found.items()
        for name, values in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    }


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        for (part, name), value in recompute(file).items():
            print(f"{part:6} {name:5} {value:.6f}")
