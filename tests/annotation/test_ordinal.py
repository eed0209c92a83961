from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.agreement import percent_agreement
from annotation.quality.ordinal import ordinal_alpha, weighted_kappa
from annotation.quality.ratings import Ratings, Undefined


def ratings_of(*columns: str) -> Ratings:
    """One string per worker, one digit per item."""
    return Ratings.of((f"i{n:02}", f"w{w}", digit) for w, line in enumerate(columns) for n, digit in enumerate(line))


def kappa_of(first: str, second: str) -> float | Undefined:
    return weighted_kappa(ratings_of(first, second), "12345", replicates=2).value


def test_weighted_kappa_of_a_table_worked_by_hand():
    # Table of first against second: (4 1 0), (1 2 1), (0 1 2). Both gave 1 five times, 2 four times, 3 three times.
    # Observed squares: 4 x 1. By chance: (5x4 + 4x5 + 4x3 + 3x4) x 1 + (5x3 + 3x5) x 4 = 184, over 12 items.
    assert kappa_of("111112222333", "111121223233") == pytest.approx(1 - 4 / (184 / 12))


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("1235"), st.sampled_from("1235")), min_size=1, max_size=15))
def test_weighted_kappa_is_scikit_learns(labels: list[tuple[str, str]]):
    from sklearn.metrics import cohen_kappa_score

    first, second = ("".join(column) for column in zip(*labels, strict=True))
    kappa = kappa_of(first, second)

    if isinstance(kappa, Undefined):
        assert len({*first, *second}) == 1
    else:
        expected = cohen_kappa_score([*first], [*second], labels=[*"12345"], weights="quadratic")
        assert kappa == pytest.approx(expected, abs=1e-9)


def test_every_two_workers_count_the_same_and_those_with_one_label_are_left_out_with_a_note():
    kappa = weighted_kappa(ratings_of("1115", "1115", "111", "111"), "12345", replicates=2)

    assert kappa.value == 1
    assert kappa.items == 1
    assert kappa.note == "5 of 6 pairs of participants left out: they gave one label only."


def test_a_near_miss_is_a_smaller_disagreement_than_a_far_one():
    near, far = ratings_of("11335", "11334"), ratings_of("11335", "11331")

    for measure in (ordinal_alpha, weighted_kappa):
        assert measure(near, "12345", replicates=2).value > measure(far, "12345", replicates=2).value
    assert percent_agreement(near).value == percent_agreement(far).value == 4 / 5


@given(st.lists(st.lists(st.sampled_from([1, 2, 5, 9]), min_size=2, max_size=3), min_size=1, max_size=8))
def test_alpha_sees_only_the_order_of_numbers(table: list[list[int]]):
    cells = [(f"i{n}", f"w{w}", number) for n, numbers in enumerate(table) for w, number in enumerate(numbers)]
    plain = Ratings.of((item, worker, str(number)) for item, worker, number in cells)
    stretched = Ratings.of((item, worker, str(number**3 + 7)) for item, worker, number in cells)
    values = [
        ordinal_alpha(ratings, order.split(), replicates=2).value
        for ratings, order in ((plain, "1 2 5 9"), (stretched, "8 15 132 736"))
    ]

    assert values[0] == values[1]


def test_alpha_ignores_labels_that_nobody_gave_and_kappa_counts_them_as_steps():
    ratings = ratings_of("1155", "1555")

    assert ordinal_alpha(ratings, "15", replicates=2).value == ordinal_alpha(ratings, "12345", replicates=2).value
    three = ratings_of("112551", "115521")
    assert weighted_kappa(three, "125", replicates=2).value != weighted_kappa(three, "12345", replicates=2).value
