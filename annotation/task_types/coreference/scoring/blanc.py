"""BLANC (Recasens and Hovy 2011; Luo et al. 2014 for mentions that only one side has).

Each pair of mentions of a side is a link if they are in one chain, and a non-link otherwise. Recall, precision and F1
are the means of those of links and of non-links. If the key has only one of the two kinds, that kind alone counts, as
in the reference scorer; so key and response are not always interchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence

from annotation.task_types.coreference.scoring.counts import CorefCounts, CorefMetric, CorefScore, Proportion, score_of
from annotation.task_types.coreference.scoring.shared import SharedMentions, pairs


def _count(shared: SharedMentions) -> tuple[CorefCounts, ...]:
    both_linked = sum(map(pairs, shared.shared.values()))
    linked_in_key = sum(map(pairs, shared.matched_in_key.values()))
    linked_in_response = sum(map(pairs, shared.matched_in_response.values()))
    both_apart = pairs(shared.matched) - linked_in_key - linked_in_response + both_linked
    key_links, key_non_links = _links(shared.key_sizes)
    response_links, response_non_links = _links(shared.response_sizes)
    return (
        CorefCounts(Proportion(both_linked, key_links), Proportion(both_linked, response_links)),
        CorefCounts(Proportion(both_apart, key_non_links), Proportion(both_apart, response_non_links)),
    )


def _links(sizes: Sequence[int]) -> tuple[int, int]:
    links = sum(map(pairs, sizes))
    return links, pairs(sum(sizes)) - links


def _score(counts: Sequence[CorefCounts]) -> CorefScore:
    parts = dict(zip(("BLANC, links", "BLANC, non-links"), map(score_of, counts), strict=True))
    kinds = [part for part in parts.values() if part.recall is not None] or [*parts.values()][:1]
    return CorefScore(
        _mean([kind.recall for kind in kinds]),
        _mean([kind.precision for kind in kinds]),
        _mean([kind.f1 for kind in kinds]),
        parts=parts,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean, in which an undefined value counts as 0; None if all are undefined."""
    if all(value is None for value in values):
        return None
    return sum(value or 0.0 for value in values) / len(values)


BLANC = CorefMetric("BLANC", _count, _score)
