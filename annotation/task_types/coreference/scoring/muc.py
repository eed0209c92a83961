"""MUC (Vilain et al. 1995): how many links a key chain needs, and how many of them the response leaves intact.

A chain of n mentions needs n - 1 links. The response cuts it into parts; each mention it lacks is a part of its own.
Only chains count, whatever links encode them, and a chain of one mention counts nothing.
"""

from __future__ import annotations

from annotation.task_types.coreference.scoring.counts import CorefCounts, CorefMetric, Proportion
from annotation.task_types.coreference.scoring.shared import SharedMentions


def _recall(shared: SharedMentions) -> Proportion:
    # n mentions, m of them matched, in r chains: n - m + r parts, so n - (n - m + r) = m - r links are intact.
    return Proportion(shared.matched - len(shared.shared), sum(size - 1 for size in shared.key_sizes))


MUC = CorefMetric("MUC", lambda shared: (CorefCounts(_recall(shared), _recall(shared.exchanged)),))
