"""What metrics count, and the scores that follow. 0/0 is undefined (None) rather than 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from annotation.task_types.coreference.scoring.shared import SharedMentions


@dataclass(frozen=True, slots=True)
class Proportion:
    numerator: float
    denominator: float

    @property
    def value(self) -> float | None:
        return self.numerator / self.denominator if self.denominator else None


@dataclass(frozen=True, slots=True)
class CorefCounts:
    recall: Proportion
    precision: Proportion


@dataclass(frozen=True, slots=True)
class CorefScore:
    """The values of one metric. Either the counts behind them, or the scores that they are made of, by label."""

    recall: float | None
    precision: float | None
    f1: float | None
    counts: CorefCounts | None = None
    parts: Mapping[str, CorefScore] = field(default_factory=dict)

    @property
    def as_conll(self) -> CorefScore:
        """The same with 0 for what is undefined, as the reference scorer prints it."""
        parts = {label: part.as_conll for label, part in self.parts.items()}
        return CorefScore(self.recall or 0.0, self.precision or 0.0, self.f1 or 0.0, self.counts, parts)


def f1_of(recall: float | None, precision: float | None) -> float | None:
    """Return the harmonic mean. A value that is undefined beside a defined one counts as 0."""
    if recall is None and precision is None:
        return None
    product, total = (recall or 0.0) * (precision or 0.0), (recall or 0.0) + (precision or 0.0)
    return 2 * product / total if total else 0.0


def score_of(counts: CorefCounts) -> CorefScore:
    recall, precision = counts.recall.value, counts.precision.value
    return CorefScore(recall, precision, f1_of(recall, precision), counts)


def only_score(counts: Sequence[CorefCounts]) -> CorefScore:
    """Return the score of a metric that counts one thing."""
    (only,) = counts
    return score_of(only)


@dataclass(frozen=True)
class CorefMetric:
    label: str
    count: Callable[[SharedMentions], tuple[CorefCounts, ...]]  # of one document; documents are added up
    score: Callable[[Sequence[CorefCounts]], CorefScore] = only_score


def added(documents: Iterable[Sequence[CorefCounts]]) -> tuple[CorefCounts, ...]:
    """Add numerators and denominators over documents; the order of the documents does not matter."""
    return tuple(
        CorefCounts(_sum([count.recall for count in column]), _sum([count.precision for count in column]))
        for column in zip(*documents, strict=True)
    )


def _sum(proportions: Sequence[Proportion]) -> Proportion:
    return Proportion(
        fsum(proportion.numerator for proportion in proportions),
        fsum(proportion.denominator for proportion in proportions),
    )
