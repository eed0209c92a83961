"""Agreement on marks: by kind and by person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.marks import PlacedMark, marks_report

MARKS = st.builds(
    lambda start, length, kind: PlacedMark(start, start + length, kind),
    st.integers(0, 20),
    st.integers(1, 5),
    st.sampled_from(["person", "place"]),
)
ANSWERS = st.dictionaries(
    st.sampled_from(["first", "second"]),
    st.dictionaries(st.sampled_from(["ada", "ben", "cleo"]), st.lists(MARKS, max_size=6), min_size=1),
    min_size=1,
)
Answers = Mapping[str, Mapping[str, Sequence[PlacedMark]]]
ADA, LIND = PlacedMark(0, 8, "person"), PlacedMark(4, 8, "person")
ARDEN, AS_PERSON = PlacedMark(25, 30, "place"), PlacedMark(25, 30, "person")


def test_a_mark_with_another_edge_counts_by_overlap_alone():
    report = marks_report({"text": {"ada": [ADA, ARDEN], "ben": [LIND, ARDEN]}})

    person, place = (next(own for own in report["kinds"] if own["kind"] == kind) for kind in ("person", "place"))
    assert (person["exact"], person["near"], person["marks"]) == (0.0, 1.0, 2)
    assert (place["exact"], place["near"]) == (1.0, 1.0)
    assert [(own["worker"], own["exact"], own["near"]) for own in report["people"]] == [
        ("ada", 2 / 4, 1.0),
        ("ben", 2 / 4, 1.0),
    ]


def test_a_mark_of_another_kind_counts_for_neither():
    report = marks_report({"text": {"ada": [ARDEN], "ben": [AS_PERSON]}})

    assert [(own["exact"], own["near"]) for own in report["kinds"]] == [(0.0, 0.0)] * 2


def test_kappa_asks_of_every_marked_piece_whether_people_gave_it_this_kind():
    answers = {"text": {"ada": [ADA, ARDEN], "ben": [ADA, ARDEN]}, "other": {"ada": [ADA], "ben": [ARDEN]}}
    person = next(own for own in marks_report(answers)["kinds"] if own["kind"] == "person")

    # Four pieces, on three of which both say the same; yes in 3 of 8 judgements.
    chance = (3 / 8) ** 2 + (5 / 8) ** 2
    assert person["kappa"] == pytest.approx((3 / 4 - chance) / (1 - chance))


def test_where_there_is_nothing_to_compare_a_sentence_says_why():
    alone = marks_report({"text": {"ada": [ADA]}})
    nothing = marks_report({"text": {"ada": [], "ben": []}})

    assert alone["kinds"][0]["kappa"] is None
    assert alone["kinds"][0]["why"]
    assert alone["kinds"][0]["exact"] is None
    assert nothing["kinds"] == []
    assert [own["exact"] for own in nothing["people"]] == [None, None]


@given(ANSWERS)
def test_shares_are_shares_and_overlap_is_never_less_than_exact(answers: Answers):
    report = marks_report(answers)

    for own in [*report["kinds"], *report["people"]]:
        assert own["exact"] is None or 0 <= own["exact"] <= own["near"] <= 1


@given(ANSWERS)
def test_people_who_all_marked_the_same_agree_completely(answers: Answers):
    marks = [mark for of_item in answers.values() for own in of_item.values() for mark in own]
    report = marks_report({item: {"ada": marks, "ben": marks} for item in answers})

    assert all((own["exact"], own["near"]) == (1.0, 1.0) for own in report["kinds"])
    assert all(own["kappa"] in (None, 1.0) for own in report["kinds"])


@given(ANSWERS)
def test_the_order_of_people_and_items_does_not_matter(answers: Answers):
    turned = {item: dict([*answers[item].items()][::-1]) for item in [*answers][::-1]}

    assert marks_report(turned) == marks_report(answers)
