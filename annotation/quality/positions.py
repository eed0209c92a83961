"""Whether the place on the page decides what people choose, where each person sees an order of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LEAST_EXPECTED = 5  # answers at each position, for the chi-square test
TOO_FEW = f"There are too few answers for a test, which needs {LEAST_EXPECTED} expected at each position."


@dataclass(frozen=True)
class PositionCount:
    """How often what stood at a position was chosen, and how often if the position made no difference."""

    position: int  # from 1
    chosen: int
    expected: float


@dataclass(frozen=True)
class PositionEffect:
    """How often each position was chosen; p is None where there are too few answers."""

    answers: int
    positions: tuple[PositionCount, ...]
    p: float | None


def effect_of_position(choices: Iterable[tuple[Sequence[str], str]]) -> PositionEffect:
    """Count the positions of what was chosen, given for each answer the ids in the order shown and the chosen id.

    Answers that chose none of at least two ids are left out. If orders differ in length, p is rather too high.
    """
    chosen: Counter[int] = Counter()
    lengths: Counter[int] = Counter()
    for order, id_ in choices:
        if len(order) > 1 and id_ in order:
            chosen[order.index(id_)] += 1
            lengths[len(order)] += 1
    positions = tuple(
        PositionCount(place + 1, chosen[place], sum(n / length for length, n in lengths.items() if length > place))
        for place in range(max(lengths, default=0))
    )
    return PositionEffect(lengths.total(), positions, _p(positions))


def _p(positions: Sequence[PositionCount]) -> float | None:
    """Return the p of the chi-square test."""
    if not positions or min(own.expected for own in positions) < LEAST_EXPECTED:
        return None
    from scipy.stats import chisquare

    return float(chisquare([own.chosen for own in positions], [own.expected for own in positions]).pvalue)


def effect_as_json(part: str, effect: PositionEffect) -> dict[str, Any]:
    """Return an effect as reports store it."""
    return {
        "part": part,
        "answers": effect.answers,
        "positions": [vars(own) for own in effect.positions],
        "p": effect.p,
    }


def effect_in_words(stored: Mapping[str, Any]) -> str:
    """Return how often the first position was chosen and what chance explains, given an effect as reports store it."""
    first, answers, p = stored["positions"][0], stored["answers"], stored["p"]
    counted = f"Position 1 was chosen in {first['chosen']:,} of {answers:,} answers ({first['chosen'] / answers:.0%})"
    expected = f"{first['expected'] / answers:.0%} were expected"
    if p is None:
        return f"{counted}; {expected}. {TOO_FEW}"
    return f"{counted}; {expected}; p {'< 0.001' if p < 0.001 else f'= {p:.2g}'}."
