"""Agreement between reviewers: kappa of what two decided without knowing of each other."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.quality.agreement import Interval
from annotation.quality.ratings import Undefined
from annotation.quality.reviewers import first_and_second, reviewer_agreement
from annotation.quality.verdicts import ReviewEntry

VERDICTS = ("accept", "correct", "exclude", "nothing fits")


@pytest.mark.parametrize(
    ("history", "pair"),
    [
        ([(1, "ada", "accept"), (2, "ben", "exclude")], ("accept", "exclude")),
        ([(2, "ben", "exclude"), (1, "ada", "accept"), (3, "cleo", "correct")], ("accept", "exclude")),
        ([(1, "ada", "accept"), (2, "ben", "exclude"), (3, "ada", "exclude")], ("accept", "exclude")),
        ([(1, "ada", "flag"), (2, "ben", "exclude"), (3, "ada", "accept")], ("exclude", "accept")),
        ([(1, "ada", "accept"), (2, "ben", "comment")], None),
        ([(1, "ada", "accept"), (2, "ada", "exclude")], None),
        ([(1, "ada", "exclude"), (2, "ada", "undo", None, 1), (3, "ben", "accept")], None),
        (
            [(1, "ada", "exclude"), (2, "ada", "undo", None, 1), (3, "ben", "accept"), (4, "ada", "accept")],
            ("accept", "accept"),
        ),
        ([(1, "ada", "accept"), (2, "ben", "exclude"), (3, "ada", "undo", None, 1)], ("accept", "exclude")),
        (
            [(1, "ada", "accept"), (2, "ben", "exclude"), (3, "ada", "undo", None, 1), (4, "ada", "exclude")],
            ("accept", "exclude"),
        ),
        (
            [(1, "ben", "exclude"), (2, "ada", "accept"), (3, "ada", "undo", None, 2), (4, "ada", "exclude")],
            ("exclude", "accept"),
        ),
        ([(1, "ada", "correct", {"none": True}), (2, "ben", "correct", {})], ("nothing fits", "correct")),
        ([], None),
    ],
)
def test_the_first_decisions_of_two_people_are_compared(history, pair):
    assert first_and_second([ReviewEntry(*row) for row in history], lambda answer: answer == {"none": True}) == pair


@pytest.mark.slow
def test_kappa_is_scikit_learn_s_and_lies_in_its_interval():
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(5)
    first = rng.choice(VERDICTS, 300, p=[0.6, 0.2, 0.15, 0.05])
    second = np.where(rng.random(300) < 0.7, first, rng.choice(VERDICTS, 300))

    agreement = reviewer_agreement([*zip(first.tolist(), second.tolist(), strict=True)])

    assert agreement.value == pytest.approx(cohen_kappa_score(first, second))
    assert isinstance(agreement.interval, Interval)
    assert agreement.interval.low < agreement.value < agreement.interval.high
    by_items = [cohen_kappa_score(first[some], second[some]) for some in rng.integers(0, 300, (1000, 300))]
    assert (agreement.interval.low, agreement.interval.high) == pytest.approx(
        np.quantile(by_items, [0.025, 0.975]), abs=0.02
    )
    assert agreement.note == f"The same verdict on {int((first == second).sum())} of 300."


def test_what_cannot_be_computed_says_why():
    for pairs, why in (([], "No answer has been decided on by two"), ([("accept", "accept")] * 9, "the same label")):
        agreement = reviewer_agreement(pairs)

        assert isinstance(agreement.value, Undefined)
        assert why in agreement.value.reason
