"""Ratings on scales."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from pydantic import ValidationError

from annotation.parts.base import AnswerPiece, Prompt
from annotation.parts.rating import RATING
from annotation.parts.rating_options import RatingOptions
from annotation.quality.series import Scale, SeriesOf, rows_of
from annotation.task_types.base import EMPTY, Level
from kernel.fields import DECIMAL, NUMBER, Field
from tests.annotation.parts.examples import TEXTS

ANSWERS = [{"id": "a", "text": "first", "label": "Answer A"}, {"id": "b", "text": "second", "label": "Answer B"}]
TWO_BY_TWO: dict[str, Any] = {"criteria": ["fluency", "tone"], "targets": ANSWERS}


def asked_of(options: dict[str, Any], *, order: tuple[str, ...] = (), **texts: str) -> Prompt:
    return Prompt("own", RatingOptions.model_validate(options), texts or TEXTS, order)


def remarks(form: dict[str, str], **options: Any) -> dict[str, str]:
    noticed = RATING.remarks(asked_of(options), form)
    assert all(own.remark.level is Level.BLOCK for own in noticed)
    return {own.field: own.remark.why for own in noticed}


# ---- Options


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"scale": {"first": 3, "last": 3}}, "a scale from 3 to 3 has fewer than two points"),
        ({"scale": {"first": 0, "last": 100}}, "a scale has at most 100 points; this one has 101"),
        ({"scale": ["only"]}, "a scale has at least two points"),
        ({"scale": [str(number) for number in range(101)]}, "a scale has at most 100 points; this one has 101"),
        ({"scale": {"words": {6: "superb"}}}, "“superb” stands at 6, but the scale goes from 1 to 5"),
        ({"scale": {"words": {5: " "}}}, "the words at 5 are empty"),
        ({"scale": {"steps": 5}}, "Extra inputs"),
        ({"criteria": []}, "at least 1"),
        ({"criteria": [f"c{number}" for number in range(31)]}, "at most 30"),
        ({"criteria": ["how good"]}, "pattern"),
        ({"criteria": ["tone", {"id": "tone"}]}, "“tone” is listed twice: give each criterion an id of its own"),
        ({"targets": ["first", "first"]}, "“first” is listed twice: give each target an id of its own"),
        (
            {"criteria": [f"c{number}" for number in range(30)], "targets": [f"t{number}" for number in range(11)]},
            "30 criteria for 11 targets are 330 ratings; a part may ask for 300",
        ),
        ({"slider": True}, "Extra inputs"),
    ],
)
def test_impossible_options_are_refused_in_words(options: dict[str, Any], why: str):
    with pytest.raises(ValidationError, match=re.escape(why)):
        RatingOptions.model_validate(options)


def test_a_list_of_words_is_a_scale_from_one():
    scale = RatingOptions.model_validate({"scale": ["bad", "good"]}).scale

    assert [*scale.points] == [1, 2]
    assert scale.in_words(2) == "2 (good)"


def test_every_option_is_described():
    assert all(field.description for field in RatingOptions.model_fields.values())


# ---- Forms


@st.composite
def answers(draw: st.DrawFn) -> tuple[Prompt, Any]:
    first, size = draw(st.integers(-20, 20)), draw(st.integers(2, 100))
    ids = st.text("abcXYZ019_-", min_size=1, max_size=6).filter(lambda text: text[0] != "-")
    targets = draw(st.lists(ids, max_size=4, unique=True))
    options: dict[str, Any] = {
        "scale": {"first": first, "last": first + size - 1},
        "criteria": draw(st.lists(ids, min_size=1, max_size=4, unique=True)),
        "targets": [{"id": own, "label": draw(st.text(min_size=1, max_size=5))} for own in targets],
        "no_opinion": "I cannot say",
        "pages": draw(st.booleans()),
    }
    point = st.none() | st.integers(first, first + size - 1)
    value = {own: {target: draw(point) for target in targets or ["item"]} for own in options["criteria"]}
    order = tuple(draw(st.permutations(targets)))
    return Prompt("own", RatingOptions.model_validate(options), {}, order), value


@given(answers())
def test_every_answer_survives_its_form_in_whatever_order_people_see_the_rows(example: tuple[Prompt, Any]):
    asked, value = example
    form = RATING.write(asked, value)

    assert RATING.remarks(asked, form) == []
    read: Any = RATING.read(asked, form)
    assert read == value
    assert [*read] == [*value]
    assert all([*read[own]] == [*value[own]] for own in value)


def test_open_rows_are_named_by_what_people_see():
    form = {"a.own.fluency.a": "4"}

    assert remarks(form, **TWO_BY_TWO) == {
        "a.own.tone.a": "Please rate Answer A for tone.",
        "a.own.fluency.b": "Please rate Answer B for fluency.",
        "a.own.tone.b": "Please rate Answer B for tone.",
    }
    assert remarks({"a.own.x.item": "1"}, criteria=["x", "tone"]) == {
        "a.own.tone.item": "Please choose a rating for tone."
    }
    assert remarks({"a.own.rating.first": "1"}, targets=["first", "second"]) == {
        "a.own.rating.second": "Please rate Text 2."
    }


def test_a_form_without_any_rating_is_empty():
    asked = asked_of(TWO_BY_TWO)

    assert RATING.is_empty(asked, {"a.own.fluency.a": " ", "a.own.fluency.unknown": "4"})
    assert RATING.missing(asked).remark.why == "Please rate everything."
    assert RATING.missing(asked).field == "a.own.fluency.a"
    assert RATING.missing(asked_of({})).remark.why == "Please choose a point on the scale."
    assert RATING.missing(asked_of({})).remark.code == EMPTY


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ("7", "7 is not on the scale from 1 to 5."),
        ("0", "0 is not on the scale from 1 to 5."),
        ("3.5", "3.5 is not on the scale from 1 to 5."),
        ("٣", "٣ is not on the scale from 1 to 5."),
        ("3\n4", "3 4 is not on the scale from 1 to 5."),
        ("none", "none is not on the scale from 1 to 5."),
        ("x" * 50, f"{'x' * 39}… is not on the scale from 1 to 5."),
    ],
)
def test_what_is_no_point_of_the_scale_is_refused(sent: str, why: str):
    assert remarks({"a.own.rating.item": sent}) == {"a.own.rating.item": why}


def test_a_box_says_that_somebody_cannot_say():
    asked = asked_of({"no_opinion": "I cannot say"})

    assert RATING.read(asked, {"a.own.rating.item": "none"}) == {"rating": {"item": None}}
    assert RATING.line(asked, {"rating": {"item": None}}) == "“I cannot say”"


def test_targets_that_an_item_lacks_are_not_asked_about():
    asked = asked_of(TWO_BY_TWO, first="It rained.", second=" ")
    form = {"a.own.fluency.a": "4", "a.own.tone.a": "2", "a.own.tone.b": "99"}

    assert RATING.remarks(asked, form) == []
    assert RATING.read(asked, form) == {"fluency": {"a": 4}, "tone": {"a": 2}}


def test_an_item_without_any_target_leaves_nothing_to_rate():
    asked = asked_of({"targets": ["fourth"]})

    assert not RATING.is_empty(asked, {})
    assert RATING.remarks(asked, {}) == []
    assert RATING.read(asked, {}) == {"rating": {}}
    assert RATING.line(asked, {"rating": {}}) == "Nothing to rate"
    assert RATING.closeness(asked.options, {"rating": {}}, {"rating": {}}) == 1


def test_people_see_targets_in_orders_of_their_own_only_if_that_is_wanted():
    options = RatingOptions.model_validate({"targets": ["first", "second", "third"], "shuffle": True})

    orders = {tuple(RATING.shown(options, Random(seed))) for seed in range(60)}
    assert len(orders) == 6
    assert RATING.shown(options.model_copy(update={"shuffle": False}), Random(1)) == ()


# ---- Comparing


def test_ordinal_alpha_of_ratings_is_the_one_worked_by_hand():
    # Three items, two people each: 1 1, 2 3, 3 3. Judgements of each point: 2, 1, 3; their mean ranks: 1.5, 3, 5.
    # Observed: the only pair that differs is 2 steps of rank apart, squared 4, counted both ways: 8.
    # Expected: both ways, 2·1·1.5² + 2·3·3.5² + 1·3·2² = 4.5 + 73.5 + 12 = 90, doubled 180, over 6 − 1: 36.
    name, options = "quality", RatingOptions()
    (series,) = RATING.series(name, options)
    rows = [
        row
        for item, points in enumerate([(1, 1), (2, 3), (3, 3)])
        for worker, point in zip(("ann", "bob"), points, strict=True)
        for row in rows_of(str(item), worker, RATING.labels(name, options, {"rating": {"item": point}})[name])
    ]
    alpha = series.measures(rows, replicates=2)[0]

    assert alpha.measure == "Krippendorff's alpha, ordinal"
    assert alpha.value == pytest.approx(1 - 8 / 36)


def test_each_criterion_has_a_series_with_the_points_in_their_order():
    options = RatingOptions.model_validate(
        {"scale": {"first": 8, "last": 11}, "criteria": ["fluency", {"id": "tone", "scale": ["bad", "good"]}]}
    )

    assert RATING.series("own", options) == [
        SeriesOf("own: fluency", "item", Scale.ORDINAL, ["8", "9", "10", "11"]),
        SeriesOf("own: tone", "item", Scale.ORDINAL, ["1", "2"]),
    ]


def test_labels_are_points_by_target_and_leave_out_what_nobody_could_say():
    options = RatingOptions.model_validate(TWO_BY_TWO)
    value = {"fluency": {"a": 4, "b": None}, "tone": {"a": None, "b": None}}

    assert RATING.labels("own", options, value) == {"own: fluency": {"a": "4"}}
    assert RATING.labels("own", RatingOptions(), {"rating": {"item": 2}}) == {"own": "2"}
    assert RATING.labels("own", RatingOptions(), {"rating": {"item": None}}) == {}


def test_closeness_is_the_mean_over_rows_of_the_distance_on_their_scale():
    options = RatingOptions.model_validate(TWO_BY_TWO)
    left = {"fluency": {"a": 1, "b": None}, "tone": {"a": 5, "b": None}}
    right = {"fluency": {"a": 3, "b": None}, "tone": {"a": 1, "b": 2}}

    assert RATING.closeness(options, left, right) == pytest.approx((0.5 + 1 + 0 + 0) / 4)


def test_reviewers_see_each_rating_and_how_many_others_gave_the_same():
    asked = asked_of(TWO_BY_TWO | {"scale": {"words": {4: "good"}}})
    value = {"fluency": {"a": 4, "b": 1}, "tone": {"a": 2, "b": 2}}
    other = {"fluency": {"a": 4, "b": 2}, "tone": {"a": 2, "b": 5}}

    assert RATING.pieces(asked, value, [other, value]) == [
        AnswerPiece("Answer A for fluency", "4 (good)", 1),
        AnswerPiece("Answer B for fluency", "1", 0.5),
        AnswerPiece("Answer A for tone", "2", 1),
        AnswerPiece("Answer B for tone", "2", 0.5),
    ]
    assert [piece.share for piece in RATING.pieces(asked, value, [])] == [None] * 4


def test_a_database_that_keeps_no_order_does_not_change_what_people_read():
    asked = asked_of(TWO_BY_TWO)
    value = {"tone": {"b": 4, "a": 3}, "fluency": {"b": 2, "a": 1}}

    assert [piece.words for piece in RATING.pieces(asked, value, [])] == ["1", "2", "3", "4"]
    assert [*RATING.write(asked, value).values()] == ["1", "2", "3", "4"]


def test_somebody_who_is_practising_hears_the_first_rating_that_differs():
    asked = asked_of(TWO_BY_TWO | {"scale": {"words": {4: "good"}}})
    known = {"fluency": {"a": 2, "b": 4}, "tone": {"a": 2, "b": 2}}
    value = {"fluency": {"a": 2, "b": 1}, "tone": {"a": 1, "b": 1}}

    assert RATING.feedback(asked, value, known) == "We would have given Answer B 4 (good) for fluency."
    assert RATING.feedback(asked_of({}), {"rating": {"item": 1}}, {"rating": {"item": 2}}) == "We would have chosen 2."


# ---- Files


def test_ratings_together_have_a_mean_a_median_a_spread_and_votes():
    options = RatingOptions.model_validate({"criteria": ["fluency"], "targets": ANSWERS})
    values: list[Any] = [{"fluency": {"a": point, "b": None}} for point in (1, 2, 5, None)]

    agreed = RATING.consensus(options, values)
    assert agreed == {
        "fluency": {
            "a": {"mean": pytest.approx(8 / 3), "median": 2.0, "spread": pytest.approx((26 / 9) ** 0.5), "votes": 3},
            "b": None,
        }
    }
    assert RATING.consensus_line(options, agreed) == "fluency: Answer A 2.7 · Answer B –"


def test_lines_name_what_has_a_name():
    value = {"fluency": {"a": 4, "b": 1}, "tone": {"a": 2, "b": 3}}

    assert RATING.line(asked_of(TWO_BY_TWO), value) == "fluency: Answer A 4 · Answer B 1; tone: Answer A 2 · Answer B 3"
    assert RATING.line(asked_of({"criteria": ["x", "y"]}), {"x": {"item": 4}, "y": {"item": 1}}) == "x 4 · y 1"
    assert RATING.line(asked_of({"scale": ["bad", "good"]}), {"rating": {"item": 2}}) == "2 (good)"
    assert RATING.consensus_line(RatingOptions(), RATING.consensus(RatingOptions(), [{"rating": {"item": 4}}])) == "4.0"


def test_files_describe_ratings_by_criterion_and_target():
    options = RatingOptions.model_validate({"criteria": ["tone"], "targets": ANSWERS, "scale": ["bad", "good"]})
    ends = "from 1 (bad) to 2 (good)"

    assert RATING.answer_type("own", "the tone", options) == Field(
        "own",
        "the tone",
        fields=(
            Field(
                "tone",
                "tone",
                fields=(Field("a", f"Answer A: {ends}", NUMBER), Field("b", f"Answer B: {ends}", NUMBER)),
            ),
        ),
    )
    (criterion,) = RATING.consensus_type("own", "the tone", options).fields
    types = [(own.name, own.type) for own in criterion.fields[0].fields]
    assert types == [("mean", DECIMAL), ("median", DECIMAL), ("spread", DECIMAL), ("votes", NUMBER)]


@pytest.mark.parametrize(
    ("options", "value", "cells"),
    [
        ({}, {"rating": {"item": 4}}, {"own": 4}),
        ({"criteria": ["x", "y"]}, {"x": {"item": 4}, "y": {"item": None}}, {"own.x": 4, "own.y": ""}),
        ({"targets": ANSWERS}, {"rating": {"a": 4}}, {"own.a": 4, "own.b": ""}),
        (
            TWO_BY_TWO,
            {"fluency": {"a": 1, "b": 2}, "tone": {"a": 3, "b": 4}},
            {"own.fluency.a": 1, "own.fluency.b": 2, "own.tone.a": 3, "own.tone.b": 4},
        ),
    ],
)
def test_tables_have_a_column_for_each_rating(options: dict[str, Any], value: Any, cells: dict[str, Any]):
    assert RATING.cells("own", RatingOptions.model_validate(options), value) == cells
    assert RATING.cells("own", RatingOptions.model_validate(options), None) == dict.fromkeys(cells, "")


# ---- The page


def page_of(asked: Prompt, form: dict[str, str], **findings: list[str]) -> html.HtmlElement:
    part = {
        "name": "own",
        "field": "a.own",
        "ask": "How good is it?",
        "is_first": True,
        "inputs": RATING.inputs(asked, form),
    }
    context = {"part": part, "form": form, "findings": findings, "suffix": "_1"}
    return html.fromstring(f"<form>{render_to_string('annotation/parts/rating.html', context)}</form>")


def test_each_row_is_a_fieldset_whose_legend_says_what_is_rated():
    page = page_of(asked_of(TWO_BY_TWO), {"a.own.tone.b": "2"})

    legends = [" ".join(legend.text_content().split()) for legend in page.iter("legend")]
    assert legends == ["Answer A: fluency", "Answer A: tone", "Answer B: fluency", "Answer B: tone"]
    assert [own.get("name") for own in page.xpath("//input[@checked]")] == ["a.own.tone.b"]
    assert len(page.xpath("//input[@data-first]")) == 1
    (single,) = page_of(asked_of({}), {}).iter("legend")
    assert single.text_content().strip() == "How good is it?"


@pytest.mark.parametrize("pages", [False, True])
def test_texts_of_items_stand_on_the_page_once_as_they_are(pages: bool):
    targets = ["first", "second", "third"]
    page = page_of(asked_of({"targets": targets, "criteria": ["x", "y"], "pages": pages}), {})

    texts = {own.get("data-text"): own.text_content() for own in page.xpath("//*[@data-text]")}
    assert texts == TEXTS
    assert len(page.xpath("//*[@data-text and @dir='auto']")) == 3
    assert len(page.xpath("//*[@data-rating-page]")) == (2 if pages else 0)


def test_texts_stand_in_the_order_of_the_person():
    asked = asked_of({"targets": ["first", "second", "third"]}, order=("third", "first", "second"))

    assert [own.get("data-text") for own in page_of(asked, {}).xpath("//*[@data-text]")] == ["third", "first", "second"]


def test_a_text_without_a_label_is_called_the_same_in_every_order():
    asked = asked_of({"targets": ["first", "second"]}, order=("second", "first"))

    headings = page_of(asked, {}).find_class("ratings__heading")
    assert [own.text_content() for own in headings] == ["Text 2", "Text 1"]


def test_long_scales_are_lists_that_open():
    options = {"scale": {"first": 1, "last": 12, "words": {12: "superb"}}, "no_opinion": "I cannot say"}
    page = page_of(asked_of(options), {"a.own.rating.item": "12"})

    (select,) = page.iter("select")
    assert select.value == "12"
    assert select.value_options == ["", *map(str, range(1, 13)), "none"]
    assert not page.xpath("//input")


def test_what_is_wrong_with_a_row_stands_at_the_row():
    page = page_of(asked_of(TWO_BY_TWO), {}, **{"a.own.tone.a": ["Please rate Answer A for tone."]})

    (place,) = page.xpath("//*[@data-told='a.own.tone.a']")
    assert place.text_content().strip() == "Please rate Answer A for tone."
    assert [own.get("name") for own in page.xpath("//*[@aria-invalid]")] == ["a.own.tone.a"]
    (row,) = page.xpath("//fieldset[.//*[@aria-invalid]]")
    assert place.get("id") in row.get("aria-describedby").split()


def test_ids_of_two_forms_on_a_page_differ_by_their_suffix():
    ids = page_of(asked_of(TWO_BY_TWO), {}).xpath("//@id")

    assert ids
    assert len({*ids}) == len(ids)
    assert all("_1" in own for own in ids)
