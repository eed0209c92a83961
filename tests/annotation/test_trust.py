"""Trust is the mean score of check tasks, counted exactly, with Wilson's interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.trust import MILLION, Trust, points_of, trust_of, wilson


@pytest.mark.parametrize(
    ("right", "tests", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_the_one_that_newcombe_published_for_wilsons_method(right, tests, low, high):
    assert wilson(right / tests, tests) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda tests: st.tuples(st.integers(0, tests), st.just(tests))))
def test_the_interval_is_the_one_of_statsmodels(counts):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    right, tests = counts

    trust = Trust(right * MILLION, tests)

    assert trust.interval == pytest.approx(proportion.proportion_confint(right, tests, method="wilson"), abs=1e-6)
    assert 0 <= trust.low <= trust.share <= trust.high <= 1


@pytest.mark.parametrize(
    ("is_hit", "score", "points"),
    [(None, None, 0), (True, None, MILLION), (False, None, 0), (True, 0.75, 750_000), (False, 1 / 3, 333_333)],
)
def test_a_judgement_is_worth_its_score_or_all_or_nothing_where_only_the_hit_is_known(is_hit, score, points):
    assert points_of(is_hit, score) == points


def test_exactly_at_the_limit_is_not_below_it_however_the_fractions_add_up():
    points = sum(points_of(True, 0.7) for _ in range(3))
    assert sum([0.7] * 3) / 3 < 0.7, "as fractions they would be below"

    assert not Trust(points, 3).is_below(70)
    assert Trust(points - 1, 3).is_below(70)
    assert Trust(points, 3).is_below(71)


def test_shown_per_cent_are_rounded_down_so_that_what_is_below_a_limit_looks_below_it():
    trust = Trust(13_990_000, 20)

    assert (trust.percent, trust.right) == (69, "13.99")
    assert trust.is_below(70)
    assert Trust(4_500_000, 6).in_words == "4.5 of 6 check tasks right (75%)"


def test_nobody_has_trust_before_the_first_check_task():
    assert trust_of(0, 0) is None
    assert trust_of(0, 1) == Trust(0, 1)
