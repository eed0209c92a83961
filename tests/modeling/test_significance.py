from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.errors import InvalidInput
from modeling.significance import bootstrap_interval, paired_randomisation


def test_the_interval_holds_the_mean_narrows_with_more_tasks_and_repeats():
    lot = np.random.default_rng(1)
    few, many = lot.random(50), lot.random(5_000)

    narrow, wide = bootstrap_interval(many, seed=3), bootstrap_interval(few, seed=3)

    assert wide.low < few.mean() < wide.high
    assert narrow.high - narrow.low < (wide.high - wide.low) / 5
    assert bootstrap_interval(few, seed=3) == wide


def test_the_interval_covers_the_true_mean_about_nineteen_times_in_twenty():
    lot = np.random.default_rng(0)
    covered = 0
    for number in range(200):
        interval = bootstrap_interval(lot.random(100), seed=number, rounds=500)
        covered += interval.low <= 0.5 <= interval.high

    assert 178 <= covered <= 199


def test_the_p_value_is_near_the_exact_one_of_all_sign_changes():
    first = np.array([0.9, 0.4, 0.8, 0.7, 0.6, 0.9, 0.5, 0.8])
    second = np.array([0.7, 0.5, 0.6, 0.6, 0.5, 0.5, 0.6, 0.4])
    difference = first - second
    sums = [abs((np.array(signs) * difference).sum()) for signs in product((-1, 1), repeat=8)]
    exact = np.mean([total >= abs(difference.sum()) - 1e-9 for total in sums])

    comparison = paired_randomisation(first, second, seed=0)

    assert comparison.p == pytest.approx(exact, abs=0.01)
    assert comparison.difference == pytest.approx(difference.mean())
    assert comparison.low <= comparison.difference <= comparison.high


def test_the_interval_is_the_set_of_shifts_that_the_test_does_not_reject():
    difference = np.array([0.2, -0.1, 0.2, 0.1, 0.1, 0.4, -0.1, 0.4, 0.05, 0.3])
    comparison = paired_randomisation(difference, np.zeros(10))

    inside = np.linspace(comparison.low + 1e-9, comparison.high - 1e-9, 9)
    outside = (comparison.low - 1e-9, comparison.high + 1e-9)

    assert all(paired_randomisation(difference - shift, np.zeros(10)).p >= 0.05 for shift in inside)
    assert all(paired_randomisation(difference - shift, np.zeros(10)).p < 0.05 for shift in outside)


@given(st.lists(st.integers(-4, 9), min_size=5, max_size=25))
def test_the_interval_leaves_out_zero_exactly_when_p_is_below_five_per_cent(differences: list[int]):
    comparison = paired_randomisation([value / 12 for value in differences], [0.0] * len(differences), rounds=1000)

    leaves_out = (
        comparison.low is not None and comparison.high is not None and not comparison.low <= 0 <= comparison.high
    )
    assert leaves_out == (comparison.p < 0.05)


def test_the_interval_of_a_difference_covers_the_truth_about_nineteen_times_in_twenty():
    lot = np.random.default_rng(0)
    covered = 0
    for number in range(200):
        comparison = paired_randomisation(lot.normal(0.3, 1, 40), np.zeros(40), seed=number, rounds=500)
        covered += comparison.low <= 0.3 <= comparison.high

    assert 180 <= covered <= 199


def test_five_tasks_cannot_show_a_difference_and_have_no_interval_of_one():
    comparison = paired_randomisation([1.0] * 5, [0.5] * 5)

    assert comparison.p > 0.05
    assert (comparison.low, comparison.high) == (None, None)


def test_equal_rankers_are_never_told_apart_and_clearly_better_ones_always():
    values = np.random.default_rng(2).random(300)

    assert paired_randomisation(values, values).p == 1.0
    assert paired_randomisation(values + 0.2, values).p == pytest.approx(1 / 10_001)
    assert paired_randomisation(values, values + 0.2).difference == pytest.approx(-0.2)


def test_values_that_cannot_be_paired_or_drawn_get_a_sentence():
    with pytest.raises(InvalidInput, match="2 and 1 values cannot be paired"):
        paired_randomisation([1.0, 2.0], [1.0])
    with pytest.raises(InvalidInput, match="no values"):
        bootstrap_interval([])


def test_fewer_than_five_values_have_a_mean_and_no_interval():
    assert (bootstrap_interval([0.5, 1.0]).mean, bootstrap_interval([0.5, 1.0]).low) == (0.75, None)
    assert paired_randomisation([1.0] * 4, [0.5] * 4).high is None
    assert bootstrap_interval([0.5] * 5).low == 0.5
