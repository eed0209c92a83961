from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.numeric import ONE_NUMBER, interval_alpha, mean_difference
from annotation.quality.ratings import Ratings, Undefined

TABLES = st.lists(st.lists(st.integers(-50, 50), min_size=2, max_size=4), min_size=1, max_size=8)  # a list per item


def ratings_of(table: list[list[int]], factor: float = 1.0, shift: float = 0.0) -> Ratings:
    return Ratings.of(
        (f"i{n}", f"w{w}", str(factor * number + shift))
        for n, numbers in enumerate(table)
        for w, number in enumerate(numbers)
    )


@given(TABLES, st.sampled_from([-3.0, 0.01, 7.0, 1e9, 1e200]), st.sampled_from([0.0, -5.0, 1000.0]))
def test_alpha_does_not_depend_on_unit_and_zero(table: list[list[int]], factor: float, shift: float):
    plain = interval_alpha(ratings_of(table), replicates=2).value
    changed = interval_alpha(ratings_of(table, factor, shift), replicates=2).value

    assert plain == changed if isinstance(plain, Undefined) else plain == pytest.approx(changed, abs=1e-6)


def test_alpha_keeps_its_digits_far_from_zero():
    # Squared differences: 1 and 1 within items; 1, 9, 16, 4, 9 and 1 between any two numbers, in the mean 40 / 6.
    near, far = (interval_alpha(ratings_of([[1, 2], [4, 5]], shift=shift), replicates=2).value for shift in (0, 1e9))

    assert near == far == pytest.approx(1 - 1 / (40 / 6))


@given(TABLES)
def test_the_difference_is_the_mean_over_pairs_then_over_items(table: list[list[int]]):
    means = [np.mean([abs(left - right) for left, right in combinations(numbers, 2)]) for numbers in table]

    assert mean_difference(ratings_of(table), replicates=2).value == pytest.approx(np.mean(means))


def test_one_number_everywhere_has_no_alpha_and_no_difference():
    ratings = ratings_of([[3, 3], [3, 3, 3]], factor=0.1)

    assert interval_alpha(ratings).value == ONE_NUMBER
    assert mean_difference(ratings).value == 0
