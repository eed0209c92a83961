"""Comparisons of two at a time."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import kendalltau

from annotation.quality.paired import bradley_terry, order_closeness, tau_b

TWO_RANKINGS = st.integers(2, 9).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(1, size), min_size=size, max_size=size)] * 2)
)

# Games of the American League East in 1987, from A. Agresti, Categorical Data Analysis, 2nd edition (Wiley, 2002),
# Table 10.10: how often the team of the row beat the team of the column, and the estimates, Baltimore's being 0.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WON = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
ESTIMATES = (1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0)
GAMES = {
    (team, other): number
    for team, row in zip(TEAMS, WON, strict=True)
    for other, number in zip(TEAMS, row, strict=True)
    if team != other
}


def places(numbers: list[int]) -> dict[str, int]:
    return {f"t{position}": number for position, number in enumerate(numbers)}


@given(TWO_RANKINGS)
def test_tau_b_is_the_tau_b_of_scipy(both: tuple[list[int], list[int]]):
    left, right = both
    assume(len({*left}) > 1 and len({*right}) > 1)

    assert tau_b(places(left), places(right)) == pytest.approx(kendalltau(left, right).statistic)


def test_tau_b_has_a_value_where_everything_is_a_tie():
    tied, ordered = places([1, 1, 1]), places([1, 2, 3])

    assert tau_b(tied, tied) == 1
    assert tau_b(tied, ordered) == tau_b(ordered, tied) == 0
    assert tau_b({}, {}) == tau_b({"a": 1}, {"a": 1}) == 1


def test_a_tie_is_half_as_close_to_an_order_as_the_order_itself():
    assert order_closeness(places([1, 2, 3]), places([1, 2, 3])) == 1
    assert order_closeness(places([1, 2, 3]), places([3, 2, 1])) == 0
    assert order_closeness(places([1, 2]), places([1, 1])) == 0.5
    assert order_closeness(places([1, 2, 2]), places([1, 2, 3])) == pytest.approx(2.5 / 3)


def test_ties_that_nobody_compared_can_be_left_out():
    left, right = places([1, 2, 2, 4]), places([4, 2, 2, 1])

    assert order_closeness(left, right) == pytest.approx(1 / 6)
    assert order_closeness(left, right, with_shared_ties=False) == 0


def test_the_strengths_of_published_games_are_the_published_ones():
    strength = bradley_terry(GAMES, extra=0)

    for team, estimate in zip(TEAMS, ESTIMATES, strict=True):
        assert log(strength[team] / strength["Baltimore"]) == pytest.approx(estimate, abs=0.005)


@pytest.mark.parametrize("extra", [0.0, 0.1, 2.0])
def test_strengths_are_those_of_the_greatest_likelihood(extra: float):
    won = np.array(WON) + extra * (1 - np.eye(len(TEAMS)))

    def unlikely(logs: np.ndarray) -> float:
        beaten_by = np.subtract.outer([0.0, *logs], [0.0, *logs])
        return float((won * np.logaddexp(0, -beaten_by)).sum())

    fitted = np.exp([0.0, *minimize(unlikely, np.zeros(len(TEAMS) - 1), tol=1e-10).x])
    strength = bradley_terry(GAMES, extra=extra)

    assert [strength[team] for team in TEAMS] == pytest.approx([*(fitted / fitted.sum())], abs=1e-5)


def test_whoever_never_loses_is_strong_but_not_infinitely_so():
    strength = bradley_terry({("a", "b"): 5, ("b", "c"): 5, ("a", "c"): 5})

    assert strength["a"] > strength["b"] > strength["c"] > 0
    assert sum(strength.values()) == pytest.approx(1)


def test_two_who_only_tie_are_equally_strong():
    assert bradley_terry({("a", "b"): 1.5, ("b", "a"): 1.5}) == pytest.approx({"a": 0.5, "b": 0.5})
    assert bradley_terry({}) == {}
