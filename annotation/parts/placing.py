"""Places of a ranking, counted from 1: the first two of a tie are both 1, and the next is 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from annotation.quality.paired import Places, bradley_terry

DIGITS = 6  # of numbers in files, so that every machine writes the same ones


def standard(ranks: Mapping[str, float]) -> dict[str, int]:
    """Return the places that ranks give, the lowest first; equal ones share a place, and the next are skipped."""
    return {name: 1 + sum(other < rank for other in ranks.values()) for name, rank in ranks.items()}


def outcome(left: int, right: int, tie: str) -> str:
    """Return which of two targets has the better place: the first, the second, or a tie."""
    return tie if left == right else "first" if left < right else "second"


def groups(places: Places) -> list[list[str]]:
    """Return who shares each place, the best first."""
    return [[name for name in places if places[name] == place] for place in sorted({*places.values()})]


def ordinal(place: int) -> str:
    """Return “1st”."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def joined(names: Sequence[str]) -> str:
    """Return “A, B and C”."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def mean_points(names: Sequence[str], rankings: Sequence[Places]) -> dict[str, float]:
    """Return mean Borda points: for each ranking, how many are below; those of the same place count half."""
    points = dict.fromkeys(names, 0.0)
    for winner, _, share in _comparisons(names, rankings):
        points[winner] += share
    votes = {name: sum(name in places for places in rankings) for name in names}
    return {name: round(total / votes[name], DIGITS) for name, total in points.items() if votes[name]}


def strengths(names: Sequence[str], rankings: Sequence[Places], *, with_ties: bool = True) -> dict[str, float]:
    """Return Bradley-Terry strengths, which sum to 1; without ties where a tie only means that nobody compared."""
    wins = dict.fromkeys(permutations(names, 2), 0.0)
    for winner, loser, share in _comparisons(names, rankings):
        wins[winner, loser] += share if with_ties or share == 1 else 0
    strength = bradley_terry(wins) or dict.fromkeys(names, 1.0)  # nobody to compare with
    return {name: round(strength[name], DIGITS) for name in names}


def _comparisons(names: Sequence[str], rankings: Sequence[Places]) -> list[tuple[str, str, float]]:
    """Return how much of a win each has over each other: all of one, or half of one for a tie."""
    return [
        (left, right, 1.0 if places[left] < places[right] else 0.5)
        for places in rankings
        for left, right in permutations([name for name in names if name in places], 2)
        if places[left] <= places[right]
    ]
