"""What a CUDA graph is filled with can be checked without a GPU; `benchmarks.neural --check` compares the graphs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modeling.rankers.neural.graphs import _padded, _rounded, _starts


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
