"""How often people give an accepted answer where one is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from annotation.quality.agreement import Interval
from annotation.task_types.aggregation.cleaning.variants import variant_key

Z = 1.959964  # 95 %


@dataclass(frozen=True)
class Gold:
    """What is known of an instance: the accepted phrases, or that no phrase fits."""

    phrases: frozenset[str] = frozenset()
    impossible: bool = False

    def hit(self, phrases: Iterable[str]) -> bool:
        """Say whether a person's cleaned phrases hold an accepted one, number and spelling aside; none = impossible."""
        given = {variant_key(phrase) for phrase in phrases}
        if not given:
            return self.impossible
        return bool(given & {variant_key(phrase) for phrase in self.phrases})


@dataclass(frozen=True)
class HitRate:
    """Hits among gold instances answered, with Wilson's interval: honest for few answers, unlike a bootstrap."""

    hits: int
    answered: int

    @property
    def share(self) -> float:
        return self.hits / self.answered

    @property
    def interval(self) -> Interval:
        n, p = self.answered, self.share
        middle, spread = p + Z * Z / (2 * n), Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
        low, high = (middle - spread) / (1 + Z * Z / n), (middle + spread) / (1 + Z * Z / n)
        return Interval(max(0.0, low), min(1.0, high))


def hit_rates(rows: Iterable[tuple[str, Gold, Iterable[str]]]) -> dict[str, HitRate]:
    """Return the hit rate of each worker in (worker, gold, cleaned phrases); who met no gold is not in it."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for worker, gold, phrases in rows:
        counts[worker][0] += gold.hit(phrases)
        counts[worker][1] += 1
    return {worker: HitRate(hits, answered) for worker, (hits, answered) in sorted(counts.items())}
