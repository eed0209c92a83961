from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.free_text import free_text_agreement, jaccard, shares_agreeing, token_f1
from annotation.quality.gold import Gold, HitRate, hit_rates
from annotation.quality.ratings import Undefined

ROWS = [
    ("i", "ada", ("northern ports",)),
    ("i", "ben", ("northern port", "bays")),
    ("i", "cleo", ("harbours",)),
    ("j", "ada", ("capes",)),
    ("j", "ben", ()),
]


def test_variants_are_one_cluster_and_the_largest_stands_first():
    (instance, alone) = free_text_agreement(ROWS).instances

    assert [(cluster.phrase, cluster.workers) for cluster in instance.clusters] == [
        ("northern ports", ("ada", "ben")),
        ("bays", ("ben",)),
        ("harbours", ("cleo",)),
    ]
    assert instance.means["same cluster"] == pytest.approx(1 / 3)
    assert isinstance(alone.means["same cluster"], Undefined)


def test_two_people_agree_as_far_as_their_closest_phrases_do():
    found = free_text_agreement([("i", "ada", ("bays", "old ports")), ("i", "ben", ("new ports", "capes"))])

    assert found.instances[0].means["shared words (Jaccard)"] == pytest.approx(1 / 3)
    assert found.instances[0].means["shared words (F1)"] == pytest.approx(1 / 2)


def test_overall_counts_each_instance_once_and_says_what_was_left_out():
    overall = {measure.measure: measure for measure in free_text_agreement(ROWS).overall}

    assert set(overall) == {"same cluster", "shared words (Jaccard)", "shared words (F1)"}
    assert overall["same cluster"].value == pytest.approx(1 / 3)
    assert overall["same cluster"].note == "1 of 2 instances left out: fewer than two people gave a phrase."


def test_each_worker_is_compared_with_the_others():
    workers = free_text_agreement(ROWS).workers

    assert workers["ada"]["same cluster"] == 0.5
    assert workers["cleo"]["same cluster"] == 0.0
    assert isinstance(free_text_agreement([("i", "ada", ("ports",))]).workers["ada"]["same cluster"], Undefined)


def test_meaning_is_measured_when_vectors_are_given_and_each_phrase_is_asked_for_once():
    asked = []

    def vectors(phrases):
        asked.extend(phrases)
        return [
            [1.0, 0.0] if "port" in phrase else [0.0, 0.0] if phrase == "bays" else [1.0, 1.0] for phrase in phrases
        ]

    found = free_text_agreement(ROWS, vectors=vectors)

    assert len(asked) == len(set(asked)) == 5
    expected = (1 + 2 * math.sqrt(0.5)) / 3
    assert found.instances[0].means["meaning (cosine)"] == pytest.approx(expected)


def test_each_annotation_has_its_share_of_others_who_agree():
    rows = [*ROWS, ("j", "cleo", ()), ("k", "ada", ("ports",))]

    assert shares_agreeing(rows) == {
        ("i", "ada"): 0.5,
        ("i", "ben"): 0.5,
        ("i", "cleo"): 0.0,
        ("j", "ada"): 0.0,
        ("j", "ben"): 0.5,
        ("j", "cleo"): 0.5,
    }


def test_vectors_of_the_wrong_number_are_refused():
    with pytest.raises(ValueError, match="one vector for each"):
        free_text_agreement(ROWS, vectors=lambda phrases: [[1.0]])


def test_nothing_to_compare_is_said_not_computed():
    assert [type(measure.value) for measure in free_text_agreement([]).overall] == [Undefined] * 3


PHRASES = st.text("abs -", max_size=8)


@given(PHRASES, PHRASES)
def test_overlap_is_symmetric_between_0_and_1_and_f1_is_never_less(left: str, right: str):
    assert jaccard(left, right) == jaccard(right, left)
    assert 0 <= jaccard(left, right) <= token_f1(left, right) <= 1


@given(st.lists(st.tuples(st.sampled_from("ij"), st.sampled_from("uvw"), st.lists(PHRASES, max_size=2))))
def test_any_rows_give_shares_or_reasons(rows):
    for measure in free_text_agreement(rows, replicates=5).overall:
        assert isinstance(measure.value, Undefined) or 0 <= measure.value <= 1


@pytest.mark.parametrize(
    ("gold", "phrases", "hit"),
    [
        (Gold(frozenset({"northern ports"})), ["northern port"], True),
        (Gold(frozenset({"northern ports"})), ["bays", "northern ports"], True),
        (Gold(frozenset({"northern ports"})), ["ports"], False),
        (Gold(frozenset({"northern ports"})), [], False),
        (Gold(impossible=True), [], True),
        (Gold(impossible=True), ["ports"], False),
    ],
)
def test_a_hit_is_an_accepted_phrase_or_a_right_impossible(gold: Gold, phrases: list[str], hit: bool):
    assert gold.hit(phrases) is hit


def test_hit_rates_by_worker_with_an_honest_interval():
    gold = Gold(frozenset({"ports"}))
    rates = hit_rates([("ada", gold, ["ports"]), ("ada", gold, ["port"]), ("ben", gold, ["bays"])])

    assert rates == {"ada": HitRate(2, 2), "ben": HitRate(0, 1)}
    assert rates["ada"].interval.low == pytest.approx(0.342, abs=0.001)  # Wilson, 2 of 2
    assert (rates["ada"].interval.high, rates["ben"].interval.low) == (1.0, 0.0)
