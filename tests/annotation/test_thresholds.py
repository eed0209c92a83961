from __future__ import annotations

import math

import pytest

from annotation.quality.thresholds import Thresholds, is_same


def test_only_complete_closeness_is_the_same_unless_a_threshold_says_otherwise():
    assert is_same(1.0)
    assert not is_same(0.99)
    assert is_same(0.8, 0.8)
    assert not is_same(0.79, 0.8)
    assert Thresholds().same == 1.0


def test_rounding_does_not_make_equal_answers_different():
    assert is_same(math.sqrt(0.5) ** 2 + 0.5 - 1e-12)


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.01, math.nan, math.inf])
def test_a_threshold_is_above_0_and_at_most_1(threshold: float):
    with pytest.raises(ValueError, match="at most 1"):
        Thresholds(same=threshold)
    with pytest.raises(ValueError, match="at most 1"):
        is_same(0.5, threshold)
