from __future__ import annotations

import pytest

from annotation.quality.ratings import Ratings
from annotation.quality.texts import pairwise_closeness


def test_texts_are_as_close_as_the_function_says_and_each_two_are_compared_once():
    asked = []

    def shared_words(left: str, right: str) -> float:
        asked.append((left, right))
        return len({*left.split()} & {*right.split()}) / len({*left.split()} | {*right.split()})

    rows = [("i", "u", "old ports"), ("i", "v", "ports")]
    rows += [("j", "u", "ports"), ("j", "v", "old ports"), ("j", "w", "ports")]

    assert pairwise_closeness(Ratings.of(rows), shared_words).value == pytest.approx(
        (1 / 2 + (1 / 2 + 1 + 1 / 2) / 3) / 2
    )
    assert asked == [("old ports", "ports"), ("ports", "ports")]


def test_texts_are_compared_in_alphabetical_order_so_the_names_of_workers_do_not_count():
    def is_shorter(left: str, right: str) -> float:
        return float(len(left) < len(right))

    values = {
        pairwise_closeness(Ratings.of([("i", first, "a"), ("i", second, "bb")]), is_shorter).value
        for first, second in ("uv", "vu")
    }

    assert values == {1.0}


def test_a_closeness_must_be_a_share():
    with pytest.raises(ValueError, match="between 0 and 1"):
        pairwise_closeness(Ratings.of([("i", "u", "a"), ("i", "v", "b")]), lambda left, right: 1.5)
