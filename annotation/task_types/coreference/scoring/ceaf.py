"""CEAF (Luo 2005): each key chain is paired with at most one response chain, so that the pairs are most similar.

Similarity is the number of shared mentions (CEAF-m), or twice that number divided by the mentions of both chains
(CEAF-e). CEAF-m divides the sum by the mentions of a side, CEAF-e by its chains.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum

from annotation.task_types.coreference.scoring.counts import CorefCounts, CorefMetric, Proportion
from annotation.task_types.coreference.scoring.shared import SharedMentions

Similarities = dict[tuple[int, int], float]


def _mention_similarities(shared: SharedMentions) -> Similarities:
    return dict(shared.shared)


def _chain_similarities(shared: SharedMentions) -> Similarities:
    return {
        (key, response): 2 * count / (shared.key_sizes[key] + shared.response_sizes[response])
        for (key, response), count in shared.shared.items()
    }


def _best_sum(similarities: Similarities) -> float:
    """Return the largest sum of similarities that pairs can reach."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    if not similarities:
        return 0
    rows = {key: row for row, key in enumerate(sorted({key for key, _ in similarities}))}
    columns = {response: column for column, response in enumerate(sorted({response for _, response in similarities}))}
    table = np.zeros((len(rows), len(columns)))
    for (key, response), similarity in similarities.items():
        table[rows[key], columns[response]] = similarity
    return fsum(table[linear_sum_assignment(table, maximize=True)])


def _metric(
    label: str, similarities: Callable[[SharedMentions], Similarities], size: Callable[[tuple[int, ...]], int]
) -> CorefMetric:
    def count(shared: SharedMentions) -> tuple[CorefCounts, ...]:
        best = _best_sum(similarities(shared))
        return (CorefCounts(Proportion(best, size(shared.key_sizes)), Proportion(best, size(shared.response_sizes))),)

    return CorefMetric(label, count)


CEAF_M = _metric("CEAF-m", _mention_similarities, sum)
CEAF_E = _metric("CEAF-e", _chain_similarities, len)
