"""Agreement on marks: by kind and by person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from annotation.quality.marks import PlacedMark, facets_report, marks_report

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


# ---- By facet


def test_each_facet_has_kappa_and_f1_of_its_own_items():
    """Two people, letters: in one item Ada is a person for both, Arden a place or a person; in sports, all differ."""
    news = {"text": {"ada": [ADA, ARDEN], "ben": [ADA, AS_PERSON]}, "other": {"ada": [ADA], "ben": [ADA]}}
    sports = {"match": {"ada": [ADA], "ben": [LIND]}}
    first, second = facets_report({"sports": sports, "news": news})

    # News: three pieces, the same on two; of six judgements, five are person and one is place.
    chance = (5 / 6) ** 2 + (1 / 6) ** 2
    assert (first["facet"], first["items"], first["marks"]) == ("news", 2, 6)
    assert first["kappa"] == pytest.approx((2 / 3 - chance) / (1 - chance))
    assert (first["exact"], first["near"]) == (4 / 6, 4 / 6)
    # Sports: two pieces, each marked by one person and not by the other.
    assert (second["facet"], second["exact"], second["near"]) == ("sports", 0.0, 1.0)
    assert second["kappa"] == pytest.approx((0 - 0.5) / 0.5)


def test_all_pieces_of_several_labels_are_compared_by_all_their_labels():
    both = [ARDEN, AS_PERSON]
    [row] = facets_report({"news": {"text": {"ada": both, "ben": [ARDEN]}, "other": {"ada": both, "ben": both}}})

    # One piece in each text; three judgements are “both”, one is “place”.
    chance = (3 / 4) ** 2 + (1 / 4) ** 2
    assert row["kappa"] == pytest.approx((1 / 2 - chance) / (1 - chance))


@given(ANSWERS)
def test_facets_agree_with_scikit_learn_and_statsmodels(answers: Answers):
    pairs = {item: {name: of_item.get(name, []) for name in ("ada", "ben")} for item, of_item in answers.items()}
    [row] = facets_report({"all": pairs})
    marks = [{(item, own) for item, of_item in pairs.items() for own in of_item[name]} for name in ("ada", "ben")]
    union = sorted(marks[0] | marks[1])
    ones = [[int(mark in own) for mark in union] for own in marks]

    assert row["exact"] == (pytest.approx(f1_score(*ones)) if union else None)
    pieces = sorted({(item, mark.start, mark.end) for item, mark in union})
    kinds = [
        ["/".join(sorted(mark.kind for item, mark in own if (item, mark.start, mark.end) == piece)) for own in marks]
        for piece in pieces
    ]
    if row["kappa"] is not None:
        table = aggregate_raters(np.array(kinds))[0]
        assert row["kappa"] == pytest.approx(fleiss_kappa(table, method="fleiss"))


@given(ANSWERS)
def test_a_single_facet_with_a_single_label_is_the_row_of_that_label(answers: Answers):
    persons = {
        item: {name: [own for own in marks if own.kind == "person"] for name, marks in of_item.items()}
        for item, of_item in answers.items()
    }
    [facet], kinds = facets_report({"all": persons}), marks_report(persons)["kinds"]

    same = ("marks", "kappa", "exact", "near")
    assert all(facet[name] == kind[name] for kind in kinds for name in same)
