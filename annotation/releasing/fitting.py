"""Rules that look at the answers to all tasks of a release together: fitted once, before its rows are made.

It takes one label for each answer and row of a choice in memory, as the measures of agreement do, and no answer itself.
The same answers give the same estimates: people and labels are sorted, and probabilities are rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from annotation.quality.consensus import dawid_skene
from annotation.quality.ratings import Ratings
from annotation.releasing.building import Built
from annotation.task_types.consensus_rules import PROBABILITY_DIGITS, Estimate, Estimates

BETWEEN = "\n"  # in the name of a row of a task; keys have no line breaks
AllEstimates: TypeAlias = Mapping[str, Estimates]  # by the key of the task


def fit(parts: Sequence[str], built: Iterable[Built]) -> AllEstimates:
    """Return what Dawid and Skene's model says of each task that the release keeps, in these parts.

    A label counts as its author's, also where reviewers corrected it.
    """
    rows: dict[str, list[tuple[str, str, str]]] = {part: [] for part in parts}
    for own in built:
        if own.row is not None:
            for worker, labels in own.parts:
                for part in parts:
                    rows[part] += _judgements(str(own.row["key"]), worker, labels.get(part))
    estimates: dict[str, dict[str, dict[str, Estimate]]] = {}
    for part in parts:
        consensus = dawid_skene(Ratings.of(rows.pop(part)))
        for item, label in consensus.labels.items():
            key, _, row = item.partition(BETWEEN)
            probability = round(consensus.certainty[item], PROBABILITY_DIGITS)
            estimate = Estimate("" if item in consensus.tied else label, probability)
            estimates.setdefault(key, {}).setdefault(part, {})[row] = estimate
    return estimates


def _judgements(key: str, worker: str, labels: object) -> list[tuple[str, str, str]]:
    if labels is None:
        return []
    if isinstance(labels, Mapping):
        return [(f"{key}{BETWEEN}{row}", worker, str(label)) for row, label in labels.items()]
    return [(f"{key}{BETWEEN}", worker, str(labels))]
