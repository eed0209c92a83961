"""Batches and learning rates as fairseq computes them, without torch."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.rankers.neural.batches import Example, make_batches, updates_of
from modeling.rankers.neural.schedule import learning_rate


def examples(*lengths: int, size: int = 1) -> list[Example]:
    return [Example(number, tuple(range(size)), length) for number, length in enumerate(lengths)]


def test_a_batch_ends_where_its_sentences_times_its_longest_would_pass_the_limit():
    batches = make_batches(examples(10, 20, 30, 40), max_sentences=0, max_tokens=60, is_sorted=True, seed=1)

    assert batches == [[0, 1], [2], [3]]  # 2 × 20 fits; 3 × 30 and 2 × 40 do not


def test_sentences_are_limited_too_and_those_of_one_task_stay_together():
    batches = make_batches(examples(5, 5, 5, size=3), max_sentences=6, max_tokens=0, is_sorted=False, seed=1)

    assert sorted(map(len, batches)) == [1, 2]


def test_an_example_beyond_a_limit_is_a_batch_of_its_own():
    batches = make_batches(examples(10, 100, 20), max_sentences=0, max_tokens=50, is_sorted=True, seed=1)

    assert batches == [[0, 2], [1]]


@given(st.lists(st.integers(1, 100), min_size=1, max_size=60), st.integers(0, 9), st.integers(0, 300), st.booleans())
def test_every_example_is_in_exactly_one_batch_and_no_limit_is_passed(lengths, sentences, tokens, is_sorted):
    batches = make_batches(examples(*lengths), max_sentences=sentences, max_tokens=tokens, is_sorted=is_sorted, seed=4)

    assert sorted(chain.from_iterable(batches)) == [*range(len(lengths))]
    for batch in batches:
        assert not sentences or len(batch) <= sentences
        assert not tokens or len(batch) == 1 or len(batch) * max(lengths[number] for number in batch) <= tokens


def test_an_epoch_has_its_own_order_and_every_batch_once():
    batches = [[number] for number in range(10)]
    first, second = (updates_of(batches, accumulate=4, seed=1, epoch=epoch) for epoch in (0, 1))

    assert [len(update) for update in first] == [4, 4, 2]
    assert sorted(chain.from_iterable(first)) == sorted(chain.from_iterable(second)) == batches
    assert first != second
    assert first == updates_of(batches, accumulate=4, seed=1, epoch=0)


@pytest.mark.parametrize(
    ("update", "share"), [(0, 0.1), (1, 0.1), (5, 0.5), (10, 1.0), (55, 0.5), (99, 1 / 90), (100, 0)]
)
def test_the_rate_rises_in_the_warm_up_and_then_falls_to_zero(update, share):
    assert learning_rate(update, peak=2.0, warmup=10, total=100) == pytest.approx(2.0 * share)


def test_without_warm_up_the_rate_starts_at_the_peak():
    assert learning_rate(0, peak=3.0, warmup=0, total=10) == 3.0
