"""Which cleaned phrases are one phrase: they differ in number, spelling, hyphens, accents or a determiner only.

Grouping never rewrites an answer; it says what to count together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from annotation.task_types.aggregation.cleaning.english import american, singular
from annotation.task_types.aggregation.cleaning.predicates import tokens, without_opening


@lru_cache(maxsize=2**14)
def variant_key(phrase: str) -> str:
    """Return what all variants of a phrase share: its words as American singulars, written together.

    Written together, because "super-powers", "super powers" and "superpowers" are one. A phrase without words is its
    own key.
    """
    spoken = without_opening(tokens(phrase))
    return "".join("and" if word == "&" else american(singular(american(word))) for word in spoken) or phrase


def group_variants(phrases: Iterable[str]) -> dict[str, str]:
    """Map each phrase to the one that stands for its group: the most frequent, then a plural, the shortest,
    the first by the alphabet."""
    counts = Counter(phrases)
    groups: dict[str, list[str]] = defaultdict(list)
    for phrase in counts:
        groups[variant_key(phrase)].append(phrase)
    chosen = {
        key: min(group, key=lambda p: (-counts[p], not _is_plural(p), len(p), p)) for key, group in groups.items()
    }
    return {phrase: chosen[key] for key, group in groups.items() for phrase in group}


def _is_plural(phrase: str) -> bool:
    return any(singular(word) != word for word in tokens(phrase))
