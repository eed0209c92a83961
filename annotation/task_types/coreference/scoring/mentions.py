"""How many mentions were recognized, whatever chains they are in."""

from __future__ import annotations

from annotation.task_types.coreference.scoring.counts import CorefCounts, CorefMetric, Proportion
from annotation.task_types.coreference.scoring.shared import SharedMentions


def _recall(shared: SharedMentions) -> Proportion:
    return Proportion(shared.matched, sum(shared.key_sizes))


MENTIONS = CorefMetric("Mentions", lambda shared: (CorefCounts(_recall(shared), _recall(shared.exchanged)),))
