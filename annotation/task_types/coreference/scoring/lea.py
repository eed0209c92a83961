"""LEA (Moosavi and Strube 2016): for each chain, the share of its links that the other side has, weighted by its size.

Every pair of mentions of a chain is a link. The link of a chain of one mention is to itself: it is right if the other
side also has this mention alone.
"""

from __future__ import annotations

from math import fsum

from annotation.task_types.coreference.scoring.counts import CorefCounts, CorefMetric, Proportion
from annotation.task_types.coreference.scoring.shared import SharedMentions, pairs


def _recall(shared: SharedMentions) -> Proportion:
    resolved = []
    for (key, response), count in shared.shared.items():
        size = shared.key_sizes[key]
        if size > 1:
            resolved.append(size * pairs(count) / pairs(size))
        elif shared.response_sizes[response] == 1:
            resolved.append(1.0)
    return Proportion(fsum(resolved), sum(shared.key_sizes))


LEA = CorefMetric("LEA", lambda shared: (CorefCounts(_recall(shared), _recall(shared.exchanged)),))
