"""Agreement on the units of answers, measured on phrases of the TESA task."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.ratings import Undefined
from annotation.quality.units import unit_agreement
from annotation.task_types import TASK_TYPES
from annotation.task_types.aggregation.comparing import jaccard, token_f1
from kernel.vectors.base import Vector

TESA = TASK_TYPES["aggregation"]

ROWS = [
    ("i", "ada", ("northern ports",)),
    ("i", "ben", ("northern port", "bays")),
    ("i", "cleo", ("harbours",)),
    ("j", "ada", ("capes",)),
    ("j", "ben", ()),
]


def test_variants_are_one_cluster_and_the_largest_stands_first():
    (instance, alone) = unit_agreement(ROWS, TESA).items

    assert [(cluster.unit, cluster.workers) for cluster in instance.clusters] == [
        ("northern ports", ("ada", "ben")),
        ("bays", ("ben",)),
        ("harbours", ("cleo",)),
    ]
    assert instance.means["same cluster"] == pytest.approx(1 / 3)
    assert isinstance(alone.means["same cluster"], Undefined)


def test_two_people_agree_as_far_as_their_closest_phrases_do():
    agreement = unit_agreement([("i", "ada", ("bays", "old ports")), ("i", "ben", ("new ports", "capes"))], TESA)

    assert agreement.items[0].means["shared words (Jaccard)"] == pytest.approx(1 / 3)
    assert agreement.items[0].means["shared words (F1)"] == pytest.approx(1 / 2)


def test_overall_counts_each_instance_once_and_says_what_was_left_out():
    overall = {measure.measure: measure for measure in unit_agreement(ROWS, TESA).overall}

    assert set(overall) == {"same cluster", "shared words (Jaccard)", "shared words (F1)"}
    assert overall["same cluster"].value == pytest.approx(1 / 3)
    assert overall["same cluster"].note == "1 of 2 instances left out: fewer than two people gave a phrase."


def test_each_worker_is_compared_with_the_others():
    workers = unit_agreement(ROWS, TESA).workers

    assert workers["ada"]["same cluster"] == 0.5
    assert workers["cleo"]["same cluster"] == 0.0
    assert isinstance(unit_agreement([("i", "ada", ("ports",))], TESA).workers["ada"]["same cluster"], Undefined)


class PortVectors:
    """Words to vectors, with a note of what was asked for."""

    identity = "ports"
    known: ClassVar = {"port": [1.0, 0.0], "ports": [1.0, 0.0], "harbours": [1.0, 1.0], "capes": [1.0, 1.0]}

    def __init__(self) -> None:
        self.asked: list[str] = []

    def take(self, words: Collection[str]) -> dict[str, Vector]:
        self.asked.extend(words)
        return {word: np.array(self.known[word], dtype=np.float32) for word in words if word in self.known}


def test_meaning_is_measured_if_there_are_vectors_and_each_word_is_asked_for_once():
    vectors = PortVectors()

    agreement = unit_agreement(ROWS, TESA, vectors=vectors)

    assert sorted(vectors.asked) == ["bays", "capes", "harbours", "northern", "port", "ports"]
    expected = (1 + 2 * math.sqrt(0.5)) / 3  # "bays" has no vector
    assert agreement.items[0].means["meaning (cosine)"] == pytest.approx(expected)


def test_nothing_to_compare_is_said_not_computed():
    assert [type(measure.value) for measure in unit_agreement([], TESA).overall] == [Undefined] * 3


PHRASES = st.text("abs -", max_size=8)


@given(PHRASES, PHRASES)
def test_overlap_is_symmetric_between_0_and_1_and_f1_is_never_less(left: str, right: str):
    assert jaccard(left, right) == jaccard(right, left)
    assert 0 <= jaccard(left, right) <= token_f1(left, right) <= 1


@given(st.lists(st.tuples(st.sampled_from("ij"), st.sampled_from("uvw"), st.lists(PHRASES, max_size=2))))
def test_any_rows_give_shares_or_reasons(rows):
    for measure in unit_agreement(rows, TESA, replicates=5).overall:
        assert isinstance(measure.value, Undefined) or 0 <= measure.value <= 1
