"""Known answers as descriptions write them, and as they are stored."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.parts.base import Prompt
from annotation.parts.choice import CHOICE
from annotation.parts.choice_options import ChoiceOptions
from annotation.parts.ranking import RANKING
from annotation.parts.ranking_options import RankingOptions
from annotation.parts.rating import RATING
from annotation.parts.rating_options import RatingOptions

ROWS = {"options": ["yes_", "no_"], "rows": ["first", "second", {"id": "both", "label": "Both"}]}
ANSWERS = [{"id": "a", "text": "first", "label": "Answer A"}, {"id": "b", "text": "second", "label": "Answer B"}]


def chosen_from(**options: Any) -> ChoiceOptions:
    return ChoiceOptions(**{"options": ["rain", "wind", "fog", "snow"], **options})


def ranked(number: int, **options: Any) -> Prompt:
    words = [{"id": letter, "label": f"Answer {letter.upper()}"} for letter in "abcd"[:number]]
    return Prompt("own", RankingOptions.model_validate({"targets": words, **options}))


# ---- Choices


@pytest.mark.parametrize(
    ("options", "short", "full"),
    [
        ({}, "fog", "fog"),
        ({"many": True}, "fog", ["fog"]),
        ({"many": True}, ["snow", "rain"], ["rain", "snow"]),
        ({"many": True, "none": "Nothing"}, "none", []),
        ({"many": True, "none": "Nothing"}, [], []),
        ({"other": "Something else"}, "fog", {"chosen": "fog", "words": ""}),
        ({"other": "Something else", "many": True}, "fog", {"chosen": ["fog"], "words": ""}),
        ({"options": [1, 2], "many": True}, 2, ["2"]),
        (
            ROWS,
            {"second": "no_", "first": "yes_"},
            [{"row": "first", "chosen": "yes_"}, {"row": "second", "chosen": "no_"}],
        ),
        ({**ROWS, "many": True}, {"both": "no_"}, [{"row": "both", "chosen": ["no_"]}]),
    ],
)
def test_a_known_answer_may_be_written_as_an_id_or_as_ids(options: dict[str, Any], short: Any, full: Any):
    assert CHOICE.known(chosen_from(**options), short) == full


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({}, "hail"),
        ({}, ["rain", "fog"]),
        ({"many": True}, ["rain", "rain"]),
        ({"many": True}, []),
        ({"many": True, "none": "Nothing"}, ["none", "fog"]),
        ({"other": "Something else"}, "other"),
        (ROWS, {"third": "yes_"}),
        (ROWS, {"first": "maybe", "second": "yes_"}),
        (ROWS, "yes_"),
    ],
)
def test_what_cannot_be_chosen_is_left_for_the_form_to_refuse(options: dict[str, Any], value: Any):
    assert CHOICE.known(chosen_from(**options), value) == value


# ---- Ratings


@pytest.mark.parametrize(
    ("options", "short", "full"),
    [
        ({}, 4, {"rating": {"item": 4}}),
        ({}, {"rating": 4}, {"rating": {"item": 4}}),
        ({"criteria": ["fluency", "tone"]}, {"tone": 2, "fluency": 5}, {"fluency": {"item": 5}, "tone": {"item": 2}}),
        (
            {"criteria": ["fluency", "tone"]},
            {"fluency": None, "tone": 1},
            {"fluency": {"item": None}, "tone": {"item": 1}},
        ),
        ({"targets": ANSWERS}, {"b": 1, "a": 3}, {"rating": {"a": 3, "b": 1}}),
        ({"targets": ANSWERS[:1]}, {"a": 3}, {"rating": {"a": 3}}),
        ({"targets": ANSWERS[:1]}, 3, {"rating": {"a": 3}}),
    ],
)
def test_a_known_answer_may_leave_out_the_only_criterion_and_the_only_target(
    options: dict[str, Any], short: Any, full: Any
):
    assert RATING.known(RatingOptions.model_validate(options), short) == full


@pytest.mark.parametrize("value", [4, {"a": 3}, {"fluency": 3}, {"fluency": True}, {"fluency": {"a": 4}}])
def test_several_criteria_of_several_targets_are_written_in_full(value: Any):
    assert (
        RATING.known(RatingOptions.model_validate({"criteria": ["fluency", "tone"], "targets": ANSWERS}), value)
        == value
    )


# ---- Rankings


@pytest.mark.parametrize(
    ("task", "short", "full"),
    [
        (ranked(2), "b", {"a": 2, "b": 1}),
        (ranked(2, ties=True), "a", {"a": 1, "b": 2}),
        (ranked(2, ties=True), "tie", {"a": 1, "b": 1}),
        (ranked(3), ["c", "a", "b"], {"a": 2, "b": 3, "c": 1}),
        (ranked(4, ties=True), ["d", ["b", "a"], "c"], {"a": 2, "b": 2, "c": 4, "d": 1}),
        (ranked(2, how="order"), ["b", "a"], {"a": 2, "b": 1}),
        (ranked(4, how="best_worst"), {"best": "d", "worst": "b"}, {"a": 2, "b": 4, "c": 2, "d": 1}),
    ],
)
def test_a_known_answer_may_be_written_in_ids(task: Prompt, short: Any, full: dict[str, int]):
    assert RANKING.known(task.options, short) == full
    assert RANKING.read(task, RANKING.write(task, full)) == full


@pytest.mark.parametrize(
    ("task", "value"),
    [
        (ranked(2), "tie"),
        (ranked(2), "c"),
        (ranked(2), ["a", "b"]),
        (ranked(3), "a"),
        (ranked(3), ["a", "a", "b"]),
        (ranked(3), ["a", "b", "x"]),
        (ranked(3), ["a", [["b"], "c"]]),
        (ranked(3, how="best_worst"), {"best": "a", "worst": "a"}),
        (ranked(3, how="best_worst"), {"best": "a"}),
        (ranked(3, how="best_worst"), {"best": ["a"], "worst": "b"}),
    ],
)
def test_what_is_no_ranking_is_left_for_the_form_to_refuse(task: Prompt, value: Any):
    assert RANKING.known(task.options, value) == value
