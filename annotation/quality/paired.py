"""Comparisons of two at a time: how alike two rankings are, and how strong each of several is by whom it beats."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import sqrt

Places = Mapping[str, int]  # the lower, the better; equal ones are ties
MOST_ROUNDS = 10_000
TOLERANCE = 1e-10


def tau_b(left: Places, right: Places) -> float:
    """Return Kendall's tau-b of two rankings of the same things, from -1 to 1.

    Where a ranking only has ties, the formula has no value: then it is 1 if the other does too, and otherwise 0.
    """
    signs = [(_sign(left, *pair), _sign(right, *pair)) for pair in combinations([n for n in left if n in right], 2)]
    ordered = [sum(1 for both in signs if both[side]) for side in (0, 1)]
    if not all(ordered):
        return float(not any(ordered))
    return sum(first * second for first, second in signs) / sqrt(ordered[0] * ordered[1])


def order_closeness(left: Places, right: Places, *, with_shared_ties: bool = True) -> float:
    """Return the mean over pairs: 1 where both rankings say the same, 0.5 for a tie against an order, 0 for opposites.

    Without shared ties, pairs that are ties in both do not count, as if nobody had compared them.
    """
    signs = [(_sign(left, *pair), _sign(right, *pair)) for pair in combinations([n for n in left if n in right], 2)]
    counted = [1 - abs(first - second) / 2 for first, second in signs if with_shared_ties or first or second]
    return sum(counted) / len(counted) if counted else 1.0


def bradley_terry(wins: Mapping[tuple[str, str], float], *, extra: float = 0.1) -> dict[str, float]:
    """Return the strength of everybody from wins by (winner, loser): the strengths sum to 1.

    A beats B with probability A / (A + B). A tie is half a win for each. Every two get `extra` wins over each other, so
    that nobody who never loses becomes infinitely strong. The algorithm is Hunter's MM (Annals of Statistics, 2004).
    """
    names = [*dict.fromkeys(name for pair in wins for name in pair)]
    games = {
        name: {other: wins.get((name, other), 0) + wins.get((other, name), 0) + 2 * extra for other in names}
        for name in names
    }
    own = {name: sum(wins.get((name, other), 0) + extra for other in names if other != name) for name in names}
    strength = dict.fromkeys(names, 1 / len(names) if names else 0)
    for _ in range(MOST_ROUNDS):
        before = dict(strength)
        for name in names:
            faced = sum(n / (strength[name] + strength[other]) for other, n in games[name].items() if other != name)
            strength[name] = own[name] / faced if faced else strength[name]
        total = sum(strength.values())
        strength = {name: value / total for name, value in strength.items()}
        if all(abs(strength[name] - before[name]) < TOLERANCE for name in names):
            break
    return strength


def _sign(places: Places, first: str, second: str) -> int:
    """Return 1 if the first comes before the second, -1 if it comes after, and 0 for a tie."""
    return (places[first] < places[second]) - (places[first] > places[second])
