"""B³ (Bagga and Baldwin 1998): for each mention, the share of its chain that is in its chain on the other side.

A mention that the other side lacks counts 0. Chains of one mention count like any other.
"""

from __future__ import annotations

from math import fsum

from annotation.task_types.coreference.scoring.counts import CorefCounts, CorefMetric, Proportion
from annotation.task_types.coreference.scoring.shared import SharedMentions


def _recall(shared: SharedMentions) -> Proportion:
    shares = (count * count / shared.key_sizes[key] for (key, _), count in shared.shared.items())
    return Proportion(fsum(shares), sum(shared.key_sizes))


B_CUBED = CorefMetric("B³", lambda shared: (CorefCounts(_recall(shared), _recall(shared.exchanged)),))
