from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.consensus import dawid_skene, majority
from annotation.quality.ratings import Ratings


def crowd(items: int = 60, seed: int = 3) -> tuple[Ratings, dict[str, str]]:
    """Two good workers, and three who mostly say "yes" whatever is asked."""
    generator = random.Random(seed)
    truth = {f"i{n}": generator.choice(["yes", "no"]) for n in range(items)}
    rows = []
    for item, label in truth.items():
        rows += [(item, worker, label if generator.random() < 0.95 else "yes") for worker in ("ada", "cleo")]
        rows += [(item, f"dan{n}", "yes" if generator.random() < 0.9 else "no") for n in range(3)]
    return Ratings.of(rows), truth


def test_the_majority_of_each_item_and_its_ties():
    ratings = Ratings.of([("i", "u", "a"), ("i", "v", "a"), ("i", "w", "b"), ("j", "u", "a"), ("j", "v", "b")])

    assert majority(ratings) == {"i": {"a"}, "j": {"a", "b"}}


def test_dawid_skene_sees_through_a_majority_that_always_says_yes():
    ratings, truth = crowd()

    consensus = dawid_skene(ratings)

    right = sum(consensus.labels[item] == label for item, label in truth.items()) / len(truth)
    outvoted = sum(majority(ratings)[item] == {label} for item, label in truth.items()) / len(truth)
    assert right >= 0.95 > outvoted
    assert min(consensus.accuracy["ada"], consensus.accuracy["cleo"]) > max(
        consensus.accuracy[f"dan{n}"] for n in range(3)
    )


def test_the_same_judgements_give_the_same_consensus():
    assert dawid_skene(crowd()[0]) == dawid_skene(crowd()[0])


def test_where_everybody_agrees_nothing_is_changed():
    rows = [(item, worker, label) for item, label in (("i", "a"), ("j", "b"), ("k", "c")) for worker in "uvw"]

    consensus = dawid_skene(Ratings.of(rows))

    assert consensus.labels == {"i": "a", "j": "b", "k": "c"}
    assert min(consensus.certainty.values()) == pytest.approx(1)


@given(st.lists(st.tuples(st.sampled_from("pqrs"), st.sampled_from("uvw"), st.sampled_from("abc")), max_size=12))
def test_every_item_gets_a_label_and_a_probability(rows):
    consensus = dawid_skene(Ratings.of(rows))

    assert set(consensus.labels) == {item for item, _, _ in rows}
    assert all(0 <= share <= 1 + 1e-9 for share in (*consensus.certainty.values(), *consensus.accuracy.values()))
