from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality import sets
from annotation.quality.agreement import Agreement, Interval
from annotation.quality.ratings import Ratings
from tests.properties import at_most


def spans(text: str) -> frozenset[str]:
    return frozenset(text.split())


def f1_and_alpha(rows: Sequence[tuple[str, str, str]], replicates: int = 5) -> tuple[Agreement, Agreement]:
    """Measure rows of (item, worker, members separated by spaces)."""
    members = {text: spans(text) for _, _, text in rows}
    ratings = Ratings.of(rows)
    return (
        sets.pairwise_f1(ratings, members, replicates=replicates),
        sets.set_alpha(ratings, members, replicates=replicates),
    )


def table(*items: Iterable[str]) -> list[tuple[str, str, str]]:
    return [(f"i{n}", f"w{w}", text) for n, texts in enumerate(items) for w, text in enumerate(texts)]


def test_f1_compares_whole_sets_and_not_the_best_pair_of_members():
    # Every two people share the span 0-1:PER, so their closest spans are equal: 1.00 by the best pair. Of three people
    # with 4, 2 and 1 spans, F1 is 2 x 2 / 6, 2 x 1 / 5 and 2 x 1 / 3: 0.578 in the mean.
    f1, _ = f1_and_alpha(table(["0-1:PER 3-7:LOC 9-10:PER 12-14:LOC", "0-1:PER 3-7:LOC", "0-1:PER"]))

    assert f1.value == pytest.approx((2 / 3 + 2 / 5 + 2 / 3) / 3)


@pytest.mark.parametrize(
    ("left", "right", "expected", "masi"),
    [
        ("", "", 1, 0),
        ("", "a", 0, 1),
        ("a b", "a b", 1, 0),
        ("a", "b", 0, 1),
        ("a", "a b", 2 / 3, 1 - 1 / 2 * 2 / 3),
        ("a b", "a c", 1 / 2, 1 - 1 / 3 * 1 / 3),
    ],
)
def test_f1_and_masi_of_two_sets_worked_by_hand(left: str, right: str, expected: float, masi: float):
    sizes = [len(members) for members in (spans(left) & spans(right), spans(left), spans(right))]
    f1, _ = f1_and_alpha(table([left, right]))

    assert f1.value == pytest.approx(expected)
    assert sets.masi_distance(*np.array(sizes, dtype=float)[:, None]) == pytest.approx(masi)


def test_each_item_counts_once_however_many_pairs_it_has():
    f1, _ = f1_and_alpha(table(["a", "a", "a", "a"], ["a", "b"]))

    assert f1.value == 1 / 2


def test_alpha_worked_by_hand():
    # Sets a, a, a, ab, b, b: one disagreement at 1 - 1/3. Distances: a to ab and b to ab 2/3, a to b 1.
    # Sum over all ordered pairs: 2 x (3x1 x 2/3 + 2x1 x 2/3 + 3x2 x 1) = 2 x 28/3, over 6 x 5 pairs.
    _, alpha = f1_and_alpha(table(["a", "a"], ["a", "a b"], ["b", "b"]))

    assert alpha.value == pytest.approx(1 - (2 * 2 / 3 / 6) / (2 * 28 / 3 / 30))


def test_empty_sets_are_judgements():
    f1, alpha = f1_and_alpha(table(["", ""], ["a"]))

    assert (f1.value, f1.judgements) == (1, 2)
    assert alpha.value == sets.ONE_SET


def test_the_estimate_for_large_campaigns_is_close_to_the_exact_value_and_says_so(monkeypatch: pytest.MonkeyPatch):
    dice = random.Random(1)
    marked = [dice.sample("abcdefgh", dice.randrange(5)) for _ in range(400)]
    rows = table(*([" ".join(m for m in members if dice.random() < 0.8) for _ in "uvw"] for members in marked))
    rows.append(("alone", "w0", "a"))
    _, exact = f1_and_alpha(rows, replicates=200)
    monkeypatch.setattr(sets, "DISTINCT", 0)

    _, estimate = f1_and_alpha(rows, replicates=200)

    assert isinstance(exact.interval, Interval)
    assert isinstance(estimate.interval, Interval)
    assert estimate.value == pytest.approx(exact.value, abs=0.003)
    assert vars(estimate.interval) == pytest.approx(vars(exact.interval), abs=0.005)
    assert exact.note == "1 of 401 items left out: they have one judgement."
    assert estimate.note == (f"{exact.note} Expected disagreement is estimated from 50,000 random pairs of judgements.")


@at_most(30)
@given(st.randoms(use_true_random=False))
def test_the_estimate_does_not_depend_on_order_or_names_of_workers(dice: random.Random):
    rows = [(f"i{n}", f"w{w}", f"{n % 3} {dice.randrange(3)}") for n in range(9) for w in range(3)]
    names = dict(zip(("w0", "w1", "w2"), dice.sample("xyz", 3), strict=True))
    others = [(item, names[worker], label) for item, worker, label in dice.sample(rows, len(rows))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sets, "DISTINCT", 0)
        patch.setattr(sets, "DRAWN", 500)
        first, second = (f1_and_alpha(each)[1].value for each in (rows, others))

    assert first == pytest.approx(second)


@pytest.mark.slow
def test_a_large_number_of_distinct_sets_needs_little_memory():
    rows = table(*([f"{n} {n}-{w}" for w in range(3)] for n in range(15_000)))
    tracemalloc.start()

    f1, alpha = f1_and_alpha(rows)

    assert tracemalloc.get_traced_memory()[1] < 300_000_000  # a table of 45,000 sets would take 16 GB
    tracemalloc.stop()
    assert f1.value == pytest.approx(1 / 2)
    assert alpha.value == pytest.approx(1 / 9, abs=0.001)  # distance 8/9 within items, nearly 1 by chance
