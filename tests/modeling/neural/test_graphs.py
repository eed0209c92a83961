"""What a CUDA graph is filled with can be checked without a GPU; `benchmarks.neural --check` compares the graphs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modeling.rankers.neural.graphs import LARGEST, MOST, _frequent, _padded, _rounded, _starts
from modeling.rankers.neural.kinds import CrossEncoder, Seq2Seq
from modeling.rankers.neural.settings import CrossEncoderSettings, Seq2SeqSettings
from modeling.rankers.neural.texts import TaskIds


@given(lengths=st.lists(st.integers(1, 90), min_size=1, max_size=12), spare=st.integers(1, 9))
def test_the_sequences_of_a_graph_cover_every_row_and_none_is_empty(lengths, spare):
    slots = len(lengths) + spare
    total = _rounded(sum(lengths) + spare, 64)

    sizes = np.diff(_starts(lengths, slots, total))

    assert sizes[: len(lengths)].tolist() == lengths
    assert (sizes >= 1).all()
    assert (len(sizes), sizes.sum()) == (slots, total)
    assert max(sizes[len(lengths) :]) <= 64 + spare  # what fills up stays far below the longest text


def test_rows_are_filled_up_at_their_end():
    assert _padded(np.array([[5, 6], [7, 8]]), 4, 1).tolist() == [[5, 6, 1, 1], [7, 8, 1, 1]]


tasks = st.builds(
    lambda text, phrases: TaskIds(
        "train", "k", np.full(text, 7), tuple(np.full(n, 8) for n in phrases), (1,) * len(phrases), 0
    ),
    st.integers(1, 40),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)


@given(batch=st.lists(tasks, min_size=1, max_size=6), score=st.sampled_from(("original", "corrected")))
def test_the_size_of_a_batch_is_known_before_its_rows_are_made(batch, score):
    pairs = [(task, range(len(task.candidates))) for task in batch]
    cross, seq2seq = CrossEncoder(CrossEncoderSettings(), 1), Seq2Seq(Seq2SeqSettings(score=score))
    texts, ids, _, _ = seq2seq.arrays(pairs)

    assert cross.size(pairs) == cross.arrays(pairs)[0].shape[1]
    assert seq2seq.sizes(pairs) == (len(texts), ids.shape[1])


def test_the_most_frequent_sizes_get_a_graph_the_largest_first():
    rare = [(256 * number, 8) for number in range(1, MOST + 1) if 256 * number <= LARGEST]
    frequent = [(1024, sentences) for sentences in range(100, 100 + MOST)] * 2

    assert _frequent([*rare, *frequent]) == sorted(set(frequent), reverse=True)
    assert _frequent([(512, 8), (2048, 8), (LARGEST + 256, 8)]) == [(2048, 8), (512, 8)]
