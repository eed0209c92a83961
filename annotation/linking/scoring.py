"""Precision, recall and F1 of predicted links, and what the errors are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Any

from annotation.linking.links import Link, LinkedText

BOOTSTRAPS = 1_000


@dataclass(frozen=True)
class LinkCounts:
    right: int = 0
    predicted: int = 0
    known: int = 0

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(self.right + other.right, self.predicted + other.predicted, self.known + other.known)

    @property
    def spurious(self) -> int:
        return self.predicted - self.right

    @property
    def missed(self) -> int:
        return self.known - self.right

    @property
    def precision(self) -> float | None:
        return self.right / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        return self.right / self.known if self.known else None

    @property
    def f1(self) -> float | None:
        both = self.predicted + self.known
        return 2 * self.right / both if both else None


class LinkError(StrEnum):
    """Why a link is wrong, or a known one missing."""

    WRONG_ENTITY = "wrong entity"  # the same piece of the text, with another entity
    WRONG_ENDS = "wrong ends"  # the same entity, with a piece that overlaps
    NESTED = "nested"  # inside a known mention, or around it
    SPURIOUS = "spurious"
    MISSED = "missed"


@dataclass(frozen=True)
class TextScores:
    """One text: its links beside the predicted ones."""

    text: LinkedText
    predicted: tuple[Link, ...]
    links: LinkCounts  # by piece and entity
    spans: LinkCounts  # by piece alone
    errors: tuple[tuple[LinkError, Link], ...]


@dataclass(frozen=True)
class LinkScores:
    """A system on a benchmark."""

    texts: tuple[TextScores, ...]

    @property
    def links(self) -> LinkCounts:
        return sum((own.links for own in self.texts), LinkCounts())

    @property
    def spans(self) -> LinkCounts:
        return sum((own.spans for own in self.texts), LinkCounts())

    @property
    def errors(self) -> Counter[LinkError]:
        return Counter(error for own in self.texts for error, _ in own.errors)

    def macro(self, *, spans: bool = False) -> float | None:
        """Return the mean F1 of the texts in which something is known or predicted."""
        values = [value for own in self.texts if (value := (own.spans if spans else own.links).f1) is not None]
        return fmean(values) if values else None

    def by_facet(self) -> dict[str, LinkCounts]:
        """Return the counts of the links for each source."""
        counts: dict[str, LinkCounts] = {}
        for own in self.texts:
            counts[own.text.facet] = counts.get(own.text.facet, LinkCounts()) + own.links
        return dict(sorted(counts.items()))


def score_links(texts: Iterable[LinkedText], predicted: Mapping[str, Sequence[Link]]) -> LinkScores:
    """Return the scores of predictions, by the key of each text. A prediction that is there twice counts once."""
    return LinkScores(tuple(_scored(text, tuple(sorted(set(predicted.get(text.key, ()))))) for text in texts))


def _scored(text: LinkedText, predicted: tuple[Link, ...]) -> TextScores:
    known, guessed = set(text.links), set(predicted)
    known_spans, guessed_spans = ({link.span for link in links} for links in (known, guessed))
    right = {link for link in known & guessed if link.entity}
    # A mention without an entity counts among the pieces, not among the links.
    links = LinkCounts(len(right), sum(bool(own.entity) for own in guessed), sum(bool(own.entity) for own in known))
    spans = LinkCounts(len(known_spans & guessed_spans), len(guessed_spans), len(known_spans))
    errors = [(_why(link, known), link) for link in predicted if link not in known]
    reached = {own for own in known if own.span in guessed_spans or any(_is_near(own, link) for link in guessed)}
    errors += [(LinkError.MISSED, link) for link in text.links if link not in reached]
    return TextScores(text, predicted, links, spans, tuple(errors))


def _why(link: Link, known: set[Link]) -> LinkError:
    """Return what is wrong with a predicted link that is not known."""
    if any(own.span == link.span for own in known):
        return LinkError.WRONG_ENTITY
    near = [own for own in known if own.overlaps(link)]
    if any(_is_near(own, link) for own in near):
        return LinkError.WRONG_ENDS
    if any(own.holds(link) or link.holds(own) for own in near):
        return LinkError.NESTED
    return LinkError.SPURIOUS


def _is_near(known: Link, link: Link) -> bool:
    """Tell whether a predicted link names the entity of a known one at an overlapping piece."""
    return bool(known.entity) and known.entity == link.entity and known.overlaps(link)


# ---- Two systems ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoreDifference:
    """How far the F1 of one system is above that of another, with a 95 % interval and a two-sided p."""

    value: float
    low: float
    high: float
    p: float


def difference(first: LinkScores, second: LinkScores, *, seed: int = 0) -> ScoreDifference | None:
    """Return the difference in micro F1, by a paired bootstrap over texts; None if a system has no F1."""
    import numpy as np

    counts = np.array(
        [
            (
                own.links.right,
                own.links.predicted + own.links.known,
                other.links.right,
                other.links.predicted + other.links.known,
            )
            for own, other in zip(first.texts, second.texts, strict=True)
        ]
    )
    value = _apart(counts.sum(axis=0)) if len(counts) else None
    if value is None:
        return None
    chance = np.random.default_rng(seed)
    drawn = (counts[chance.integers(0, len(counts), len(counts))].sum(axis=0) for _ in range(BOOTSTRAPS))
    values = sorted(own for sums in drawn if (own := _apart(sums)) is not None)
    beyond = min(sum(own <= 0 for own in values), sum(own >= 0 for own in values))
    low, high = (values[round(share * (len(values) - 1))] for share in (0.025, 0.975))
    return ScoreDifference(value, low, high, min(1.0, 2 * (beyond + 1) / (len(values) + 1)))


def _sums(scores: LinkScores) -> list[tuple[int, int]]:
    """Return for each text what is right, and what is predicted or known together."""
    return [(own.links.right, own.links.predicted + own.links.known) for own in scores.texts]


def _apart(sums: Any) -> float | None:
    """Return the difference of two F1: twice what is right, by all that is predicted or known."""
    right, both, other_right, other_both = sums.tolist()
    return 2 * right / both - 2 * other_right / other_both if both and other_both else None
