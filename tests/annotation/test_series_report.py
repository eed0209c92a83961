"""The report of task types that name scales: numbers worked by hand, all pairs of people, and no need for pieces."""

from __future__ import annotations

import json
from datetime import date
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.quality.figures import Judged, part_in_words
from annotation.quality.report import measure
from annotation.quality.series import Scale, SeriesOf
from annotation.quality.texts import CLOSENESS
from annotation.task_types.cleaned import CleanedAnswer
from tests.annotation.graded import MARKED_TYPE, STARS, STARS_TYPE, Stars, marking, skipped, stars
from tests.properties import at_most

MONDAY, TUESDAY = date(2026, 3, 2), date(2026, 3, 3)


def judged(item: str, worker: str, cleaned: CleanedAnswer, day: date = MONDAY, category: str = "news") -> Judged:
    return Judged(item, worker, category, day, "label", (), cleaned)


ROWS = [
    judged("a", "ann", stars(4)), judged("a", "bob", stars(5)),  # 1 - 1/4 = 0.75
    judged("b", "ann", stars(2)), judged("b", "bob", stars(2)),  # 1
    judged("b", "cleo", stars(4), TUESDAY),  # 0.5 to both: (1 + 0.5 + 0.5) / 3
    judged("c", "ann", stars(1)),
]  # fmt: skip


def test_how_close_answers_are_is_the_mean_over_all_pairs_of_people():
    report = measure(ROWS, STARS_TYPE)

    assert report["closeness"]["value"] == pytest.approx((0.75 + 2 / 3) / 2)
    assert (report["closeness"]["items"], report["closeness"]["judgements"]) == (2, 5)
    assert report["closeness"]["note"] == "1 of 3 instances left out: fewer than two people answered."
    assert [(row["instance"], row["same"]) for row in report["by_instance"]] == [
        ("b", pytest.approx(2 / 3)), ("a", 0.75), ("c", None),
    ]  # fmt: skip
    assert [(row["worker"], row["answers"], row["same"]) for row in report["people"]] == [
        ("cleo", 1, 0.5), ("ann", 3, 0.75), ("bob", 2, 0.75),
    ]  # fmt: skip
    assert report["days"] == [
        {"day": "2026-03-02", "instances": 2, "same": 0.75},
        {"day": "2026-03-03", "instances": 1, "same": pytest.approx(2 / 3)},
    ]
    assert report["types"][0]["same"]["value"] == report["closeness"]["value"]


def test_two_people_who_share_one_marked_word_of_three_do_not_agree_fully():
    rows = [judged("a", "ann", marking("x", "y", "z")), judged("a", "bob", marking("z", "v", "w"))]

    report = measure(rows, MARKED_TYPE)

    assert report["by_instance"][0]["same"] == pytest.approx(1 / 3)
    assert [person["same"] for person in report["people"]] == [pytest.approx(1 / 3)] * 2


def test_each_part_has_the_measures_of_its_scale_over_the_answers_that_have_it():
    rows = [
        judged("a", "ann", stars(4, kind="calm")), judged("a", "bob", stars(5, kind="calm")),
        judged("b", "ann", stars(1, kind="loud")), judged("b", "bob", stars(1)), judged("b", "cleo", skipped()),
    ]  # fmt: skip

    first, second = measure(rows, STARS_TYPE)["series"]

    assert (first["part"], first["unit"], first["scale"]) == ("stars", "text", "ordinal")
    names = ["Krippendorff's alpha, ordinal", "quadratic-weighted kappa, mean over pairs", "pairwise agreement"]
    assert [figure["measure"] for figure in first["measures"]] == names
    assert [figure["judgements"] for figure in first["measures"]] == [4, 4, 4]
    assert first["measures"][-1]["value"] == 0.5  # the pairs say 4 and 5, 1 and 1
    assert (second["scale"], second["measures"][-1]["items"], second["measures"][-1]["value"]) == ("nominal", 1, 1)


def test_alpha_of_ratings_counts_a_near_miss_as_less_than_a_far_one():
    def alpha(other: int) -> float:
        rows = [judged(item, "ann", stars(number)) for item, number in zip("abcde", range(1, 6), strict=True)]
        rows += [judged("a", "bob", stars(other))]
        rows += [judged(item, "bob", stars(number)) for item, number in zip("bcde", range(2, 6), strict=True)]
        value: float = measure(rows, STARS_TYPE)["labels"][0]["value"]
        return value

    assert alpha(1) == 1 > alpha(2) > alpha(5)


def test_the_leading_part_is_the_first_whose_measure_is_corrected_for_chance():
    class Explained(Stars):
        scales = (SeriesOf("why", "text", Scale.TEXT, closeness=lambda a, b: 0.25), *Stars.scales)

    class OnlyExplained(Stars):
        scales = Explained.scales[:1]

    rows = [judged("a", name, stars(4, why=f"because of {name}")) for name in ("ann", "bob")]

    explained, only = measure(rows, Explained()), measure(rows, OnlyExplained())

    assert explained["labels"] == explained["series"][1]["measures"]
    assert explained["series"][0]["measures"][0]["value"] == 0.25
    assert only["labels"] == []
    assert only["types"][0]["alpha"]["why"] == "Agreement on texts cannot be corrected for chance."
    assert only["series"][0]["measures"][0]["measure"] == CLOSENESS


@pytest.mark.parametrize("rows", [[], [judged("a", "ann", stars(4))], [judged("a", "ann", skipped())]])
def test_nobody_and_one_person_alone_are_explained(rows: list[Judged]):
    report = measure(rows, STARS_TYPE)

    assert report["closeness"]["why"] == "No instance was answered by two people."
    assert all(figure["value"] is None and figure["why"] for part in report["series"] for figure in part["measures"])
    assert [person["why_same"] for person in report["people"]] == ["Nobody else answered the same instances."] * len(
        rows
    )


def test_check_tasks_are_counted_for_each_person():
    report = measure(ROWS, STARS_TYPE, [("ann", True), ("ann", False), ("bob", True)])

    assert (report["gold"]["hits"], report["gold"]["answered"]) == (2, 3)
    by_worker = {person["worker"]: person["gold"] for person in report["people"]}
    assert (by_worker["ann"]["hits"], by_worker["ann"]["answered"], by_worker["cleo"]) == (1, 2, None)


def test_a_type_cannot_name_a_scale_that_has_no_measure():
    with pytest.raises(ValueError, match="partitions cannot be measured"):
        SeriesOf("groups", "text", Scale.PARTITION)
    with pytest.raises(ValueError, match="lists each of its labels once"):
        SeriesOf("stars", "text", Scale.ORDINAL)


def part(scale: str = "ordinal", value: float | None = 0.9, low: float | None = 0.85) -> dict[str, Any]:
    first = {"value": value, "low": low, "high": value, "why": "" if value is not None else "Too few."}
    return {"part": "stars", "unit": "text", "scale": scale, "measures": [first]}


@pytest.mark.parametrize(
    ("series", "words"),
    [
        (part(), "People agree on “stars”: you can draw conclusions from it."),
        (part(value=0.5, low=0.3), "several answers for each text, and a review, are needed"),
        (part(value=-0.2, low=-0.3), "two people who judge the same text agree less often than if they guessed"),
        (part(value=None), "Too few."),
        (part("text", 0.4), "How close two people’s texts about the same text are, from 0 to 1."),
    ],
)
def test_the_first_measure_of_a_part_is_put_into_words(series: dict[str, Any], words: str):
    assert words in part_in_words(series)


answers = st.one_of(st.sampled_from([int(number) for number in STARS]).map(stars), st.just(skipped()))
some_rows = st.lists(
    st.builds(
        lambda item, worker, answer, day: judged(item, worker, answer, day, "letters" if item == "c" else "news"),
        st.sampled_from("abc"),
        st.sampled_from(["ann", "bob", "cleo"]),
        answers,
        st.sampled_from([MONDAY, TUESDAY]),
    ),
    max_size=9,
    unique_by=lambda row: (row.item, row.worker),
)


@at_most(25)
@given(some_rows, st.randoms(use_true_random=False))
def test_any_answers_give_a_value_that_can_be_stored_and_does_not_depend_on_their_order(rows: list[Judged], rng: Any):
    report = measure(rows, STARS_TYPE)

    assert json.loads(json.dumps(report, allow_nan=False)) == report
    mixed = measure(rng.sample(rows, len(rows)), STARS_TYPE)
    assert mixed["closeness"] == report["closeness"]
    assert mixed["series"] == report["series"]
    assert mixed["by_instance"] == report["by_instance"]


def test_who_answered_first_makes_no_difference():
    values = {json.dumps(measure(list(rows), STARS_TYPE)["people"]) for rows in permutations(ROWS[2:5])}

    assert len(values) == 1
