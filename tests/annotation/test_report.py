"""A campaign's agreement as one value: JSON, without NaN, with reasons where a number is undefined."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.quality.agreement import krippendorff_alpha
from annotation.quality.figures import Judged, in_words
from annotation.quality.pairs import cohen, cohen_kappa
from annotation.quality.ratings import Ratings
from annotation.quality.report import measure as measure_agreement
from annotation.task_types import TASK_TYPES
from annotation.task_types.aggregation.comparing import ANSWERED
from annotation.task_types.aggregation.comparing import NOT_AGGREGATABLE as NONE
from annotation.task_types.comparing import REPORT_KEYS, Similarity
from tests.annotation.graded import STARS_TYPE, Stars, stars

TESA = TASK_TYPES["aggregation"]

DAY = date(2026, 3, 1)


def judgement(item: str, worker: str, category: str, day: date, phrases: tuple[str, ...]) -> Judged:
    return Judged(item, worker, category, day, ANSWERED if phrases else NONE, phrases)


def measure(rows: list[Judged], gold: Sequence[tuple[str, bool]] = ()) -> dict[str, Any]:
    return measure_agreement(rows, TESA, gold)


judged = st.builds(
    judgement,
    st.sampled_from("abcd"),
    st.sampled_from("xyz"),
    st.sampled_from(["person", "location"]),
    st.sampled_from([DAY, date(2026, 3, 2)]),
    st.sampled_from([(), ("ports",), ("old ports", "cities")]),
)


def rows_of(*given_: tuple[str, str, tuple[str, ...]]) -> list[Judged]:
    return [judgement(item, worker, "person", DAY, phrases) for item, worker, phrases in given_]


PEOPLE = rows_of(
    ("a", "x", ("ports",)), ("a", "y", ("port",)),
    ("b", "x", ()), ("b", "y", ()),
    ("c", "x", ("cities",)), ("c", "y", ()),
)  # fmt: skip


def test_the_numbers_are_those_of_the_measures():
    report = measure(PEOPLE, [("x", True), ("x", False)])

    ratings = Ratings.of((row.item, row.worker, row.label) for row in PEOPLE)
    assert report["labels"][0]["value"] == krippendorff_alpha(ratings).value
    assert report["labels"][2]["value"] == pytest.approx(
        cohen_kappa((ANSWERED, NONE, ANSWERED), (ANSWERED, NONE, NONE))
    )
    assert report["phrases"][0]["value"] == 1  # "port" and "ports" are one phrase; only one pair gave two
    assert (report["gold"]["hits"], report["gold"]["answered"]) == (1, 2)
    assert report["days"] == [{"day": "2026-03-01", "instances": 3, "label_share": pytest.approx(2 / 3), "same": 1}]
    assert [person["worker"] for person in report["people"]] == ["x", "y"]
    assert report["people"][0]["none"] == 1


def test_instances_come_with_those_first_on_which_people_agree_least():
    rows = rows_of(("d", "x", ("old ports",)), ("d", "y", ("ports",)), ("e", "x", ("seas",)), ("e", "y", ("towns",)))
    instances = measure([*PEOPLE, *rows])["by_instance"]

    assert [instance["instance"] for instance in instances] == ["e", "d", "a", "b", "c"]  # nothing to compare: last
    by_key = {instance["instance"]: instance for instance in instances}
    assert (by_key["d"]["same cluster"], by_key["d"]["shared words (F1)"]) == (0, pytest.approx(2 / 3))
    assert (by_key["a"]["same cluster"], by_key["a"]["phrases"], by_key["a"]["usual"]) == (1, 1, "ports")
    assert (by_key["c"]["same cluster"], by_key["c"]["answers"], by_key["c"]["none"]) == (None, 2, 1)
    assert (by_key["b"]["phrases"], by_key["b"]["usual"]) == (0, "")


def test_only_the_largest_categories_are_measured_by_themselves():
    day, places = date(2026, 3, 4), ["hills", "hills", *(f"place {number:02}" for number in range(40))]
    rows = [
        judgement(f"i{number}", worker, place, day, ("rain",)) for number, place in enumerate(places) for worker in "ab"
    ]

    sizes = {value["type"]: value["instances"] for value in measure(rows)["types"]}

    assert (len(sizes), sizes["hills"], sizes["place 28"], sizes["others"]) == (31, 2, 1, 11)


def test_a_word_for_units_that_the_report_uses_itself_replaces_nothing():
    class People(Stars):
        scales = ()

    assert People.answer_words.units == "people"
    rows = [Judged("a", name, "person", DAY, "4", ("4",)) for name in "xy"]

    report = measure_agreement(rows, People())

    assert [person["worker"] for person in report["people"]] == ["x", "y"]
    assert report["people (units)"][0]["value"] == 1
    assert report["by_instance"][0]["people (units)"] == 1
    assert TESA.answer_words.units_key == "phrases"


def test_a_measure_that_is_called_like_a_part_of_the_report_replaces_nothing():
    class Named(Stars):
        scales = ()

        def similarities(self, units: Sequence[str], vectors: object) -> Mapping[str, Similarity]:
            def nothing(left: str, right: str) -> float:
                return 0.0

            return dict.fromkeys(("instance", "usual", "people (units)", "same stars", "own"), nothing)

    rows = [Judged("a", name, "person", DAY, "4", ("4",)) for name in "xy"]

    report = measure_agreement(rows, Named())
    (item,) = report["by_instance"]

    measures = ["instance (measure)", "usual (measure)", "people (units) (measure)", "same stars (measure)", "own"]
    assert [measure["measure"] for measure in report["people (units)"]] == ["same stars", *measures]
    assert (item["instance"], item["usual"], item["people (units)"], item["same stars"]) == ("a", "4", 1, 1.0)
    assert {item[name] for name in measures} == {0.0}


def test_answers_without_pieces_are_only_counted_if_their_type_names_no_scales():
    rows = [Judged("a", name, "person", DAY, "4", ()) for name in "xy"]

    report = measure(rows)

    assert (report["answered"], report["phrases"][0]["value"], report["by_instance"][0]["none"]) == (0, None, 2)


@pytest.mark.parametrize("type_", [TESA, STARS_TYPE], ids=["units", "series"])
def test_every_key_of_a_report_is_known_so_that_no_word_of_a_type_replaces_it(type_: Any):
    words = type_.answer_words
    report = measure_agreement([replace(row, cleaned=stars(4)) for row in PEOPLE], type_, [("x", True)])

    own = {words.units_key, words.same_key, *type_.similarities([], None)}
    assert {*report, *report["by_instance"][0]} - own <= REPORT_KEYS


def test_nobody_and_one_person_alone_are_explained():
    for rows in ([], rows_of(("a", "x", ("ports",)))):
        report = measure(rows)

        assert all(figure["value"] is None and figure["why"] for figure in report["labels"])
        assert (
            in_words(report["labels"][0], TESA.answer_words)
            == "No item has two judgements, so there is nothing to compare."
        )
        assert report["gold"] is None


@pytest.mark.parametrize(
    ("value", "low", "high", "words"),
    [
        (0.9, 0.8, 0.95, "draw conclusions"),
        (0.7, 0.5, 0.8, "tentative"),
        (0.4, 0.2, 0.6, "not reliably"),
        (0.2, -0.1, 0.4, "chance alone"),
        (-0.2, -0.35, -0.05, "worse than chance"),
        (0.5, None, None, "not reliably"),
    ],
)
def test_alpha_is_put_into_words(value: float, low: float | None, high: float | None, words: str):
    assert words in in_words({"value": value, "low": low, "high": high, "why": ""}, TESA.answer_words)


def test_cohen_is_undefined_with_a_reason_when_all_say_the_same():
    kappa = cohen(Ratings.of([("a", "x", ANSWERED), ("a", "y", ANSWERED)]))

    assert "two labels" in str(kappa.value)
    assert kappa.note == "1 of 1 pairs of participants left out: they gave one label only."


@settings(max_examples=25)
@given(st.lists(judged, max_size=12))
def test_any_answers_give_a_value_that_can_be_stored_and_is_the_same_again(rows: list[Judged]):
    report = measure(rows)

    assert json.loads(json.dumps(report, allow_nan=False)) == report
    assert measure(rows) == report
