"""Rankings, the best and the worst of several, and the better of two."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.parts.base import Prompt
from annotation.parts.placing import ordinal, standard
from annotation.parts.ranking import RANKING
from annotation.parts.ranking_options import RankingOptions
from annotation.quality.paired import tau_b

LETTERS = "abcdefghijkl"
WORDS = [{"id": letter, "label": f"Answer {letter.upper()}"} for letter in LETTERS]


def asked(number: int = 3, order: str = "", **options: Any) -> Prompt:
    return Prompt("own", RankingOptions.model_validate({"targets": WORDS[:number], **options}), {}, [*order])


def whys(task: Prompt, form: Mapping[str, str]) -> dict[str, str]:
    return {own.field: own.remark.why for own in RANKING.remarks(task, form)}


@st.composite
def rankings(draw: st.DrawFn, how: str = "order", *, ties: bool = False) -> tuple[Prompt, dict[str, int]]:
    number = 2 if how == "pair" else draw(st.integers(3 if how == "best_worst" else 2, 12))
    task = asked(number, "".join(draw(st.permutations(LETTERS[:number]))), how=how, ties=ties)
    ranks = draw(st.permutations(range(number)))
    if ties:
        ranks = draw(st.lists(st.integers(1, number), min_size=number, max_size=number))
    if how == "best_worst":
        ranks = [(rank == number - 1) - (rank == 0) for rank in ranks]
    return task, standard(dict(zip(LETTERS, ranks, strict=False)))


WAYS = st.one_of(rankings(), rankings(ties=True), rankings("best_worst"), rankings("pair"), rankings("pair", ties=True))


@given(WAYS)
def test_an_answer_survives_its_form(ranking: tuple[Prompt, dict[str, int]]):
    task, places = ranking
    form = RANKING.write(task, places)

    assert RANKING.remarks(task, form) == []
    assert not RANKING.is_empty(task, form)
    assert RANKING.read(task, form) == places


@given(st.integers(2, 12).flatmap(lambda size: st.tuples(*[st.permutations(range(1, size + 1))] * 2)))
def test_the_closeness_of_two_orders_is_that_of_tau_b(both: tuple[list[int], list[int]]):
    left, right = (dict(zip(LETTERS, numbers, strict=False)) for numbers in both)

    closeness = RANKING.closeness(asked(len(left), how="order").options, left, right)
    assert closeness == pytest.approx((tau_b(left, right) + 1) / 2)


def test_two_targets_are_a_pair_and_more_are_ordered_unless_the_description_says_otherwise():
    assert asked(2).options.way == "pair"
    assert asked(3).options.way == "order"
    assert asked(2, how="order").options.way == "order"


def test_missing_places_are_named():
    assert whys(asked(), {"a.own.a": "1", "a.own.c": " "}) == {
        "a.own.b": "Please give Answer B a place.",
        "a.own.c": "Please give Answer C a place.",
    }


def test_a_target_without_a_label_is_named_by_how_its_text_begins():
    task = Prompt("own", RankingOptions(targets=["x", "y"], how="order"), {"x": "Rain.", "y": "It  snowed " * 9})

    assert whys(task, {}) == {
        "a.own.x": "Please give “Rain.” a place.",
        "a.own.y": "Please give “It snowed It snowed It snowed It snowed…” a place.",
    }


def test_the_same_place_twice_is_refused_unless_ties_are_allowed():
    form = {"a.own.a": "2", "a.own.b": "2", "a.own.c": "3"}

    assert whys(asked(), form) == {"a.own.b": "Answer A and Answer B have the same place."}
    assert whys(asked(ties=True), form) == {}


@pytest.mark.parametrize("place", ["0", "4", "-1", "1.5", "first", "1\n2", "9" * 30])
def test_a_place_that_there_is_not_is_refused(place: str):
    form = {"a.own.a": place, "a.own.b": "2", "a.own.c": "3"}

    assert whys(asked(), form) == {"a.own.a": "The place of Answer A must be a number from 1 to 3."}


@pytest.mark.parametrize(
    ("places", "read"),
    [("1223", (1, 2, 2, 4)), ("2233", (1, 1, 3, 3)), ("4444", (1, 1, 1, 1)), ("1134", (1, 1, 3, 4))],
)
def test_places_of_ties_are_counted_as_in_a_competition(places: str, read: tuple[int, ...]):
    form = {f"a.own.{name}": place for name, place in zip(LETTERS, places, strict=False)}

    assert RANKING.read(asked(4, ties=True), form) == dict(zip(LETTERS, read, strict=False))


def test_the_best_cannot_be_the_worst():
    task = asked(how="best_worst")

    assert whys(task, {"a.own.best": "b", "a.own.worst": "b"}) == {
        "a.own.worst": "Answer B cannot be both “Best” and “Worst”."
    }
    assert whys(task, {"a.own.best": "b"}) == {"a.own.worst": "Please choose one for “Worst”."}
    assert whys(task, {"a.own.best": "z", "a.own.worst": "b"}) == {
        "a.own.best": "Please choose one of those that are shown."
    }


def test_a_pair_takes_one_of_the_two_and_a_tie_only_where_ties_are_allowed():
    assert whys(asked(2), {"a.own": "a"}) == whys(asked(2, ties=True), {"a.own": "tie"}) == {}
    assert [*whys(asked(2), {"a.own": "tie"})] == [*whys(asked(2), {"a.own": "c"})] == ["a.own"]


def test_only_targets_that_the_item_has_are_ranked():
    task = Prompt("own", RankingOptions(targets=["x", "y", "z"]), {"x": "Rain", "y": " ", "z": "Snow"})

    assert RANKING.read(task, {"a.own.x": "2", "a.own.z": "1"}) == {"x": 2, "z": 1}
    assert whys(task, {"a.own.x": "3", "a.own.z": "1"}) != {}


def test_an_item_with_a_single_target_leaves_nothing_to_answer():
    task = Prompt("own", RankingOptions(targets=["x", "y"]), {"x": "Rain"})

    assert not RANKING.is_empty(task, {})
    assert RANKING.remarks(task, {}) == []
    assert RANKING.read(task, {}) == {"x": 1}
    assert RANKING.closeness(task.options, {"x": 1}, {"x": 1}) == 1


def test_each_person_sees_an_order_of_their_own_unless_the_description_says_otherwise():
    shown = {tuple(RANKING.shown(asked().options, Random(seed))) for seed in range(60)}

    assert len(shown) == 6
    assert RANKING.shown(asked(shuffle=False).options, Random(1)) == ()
    assert [row.id for row in RANKING.inputs(asked(order="cab"), {})["rows"]] == ["c", "a", "b"]


def test_each_two_targets_have_a_label_but_not_two_in_between_the_best_and_the_worst():
    assert RANKING.labels("own", asked(ties=True).options, {"a": 2, "b": 1, "c": 2}) == {
        "own": {"a/b": "second", "a/c": "tie", "b/c": "first"}
    }
    places = {"a": 1, "b": 2, "c": 2, "d": 4}
    assert RANKING.labels("own", asked(4, how="best_worst").options, places) == {
        "own": {"a/b": "first", "a/c": "first", "a/d": "first", "b/d": "first", "c/d": "first"}
    }


def test_rankings_together_give_points_places_and_strengths():
    task = asked(ties=True)
    agreed = RANKING.consensus(
        task.options, [{"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2, "c": 2}, {"b": 1, "a": 2, "c": 3}]
    )

    assert agreed["places"] == {"a": 1, "b": 2, "c": 3}
    assert agreed["points"] == pytest.approx({"a": 5 / 3, "b": 3.5 / 3, "c": 0.5 / 3}, abs=1e-6)
    assert sum(agreed["strength"].values()) == pytest.approx(1, abs=1e-5)
    assert agreed["strength"]["a"] > agreed["strength"]["b"] > agreed["strength"]["c"] > 0
    assert agreed["votes"] == 3
    assert RANKING.consensus_line(task.options, agreed) == "Answer A (1.7) > Answer B (1.2) > Answer C (0.2)"


def test_targets_of_the_same_points_share_a_place():
    agreed = RANKING.consensus(asked(2).options, [{"a": 1, "b": 2}, {"a": 2, "b": 1}])

    assert agreed["places"] == {"a": 1, "b": 1}
    assert agreed["strength"] == {"a": 0.5, "b": 0.5}
    assert RANKING.consensus_line(asked(2).options, agreed) == "Answer A (0.5) = Answer B (0.5)"


def test_reviewers_see_each_place_and_how_many_others_gave_it():
    pieces = RANKING.pieces(asked(), {"a": 2, "b": 1, "c": 3}, [{"a": 1, "b": 2, "c": 3}, {"a": 2, "b": 1, "c": 3}])

    assert [(piece.about, piece.words, piece.share) for piece in pieces] == [
        ("Answer B", "1st", 0.5),
        ("Answer A", "2nd", 0.5),
        ("Answer C", "3rd", 1.0),
    ]


def test_reviewers_see_a_pair_as_a_single_piece():
    task = asked(2, ties=True)

    piece = RANKING.pieces(task, {"a": 1, "b": 2}, [{"a": 1, "b": 1}, {"a": 1, "b": 2}])[0]
    assert (piece.about, piece.words, piece.share) == ("", "Answer A", 0.5)
    assert RANKING.pieces(task, {"a": 1, "b": 1}, [])[0].words == "No difference"


def test_reviewers_see_what_is_in_between_the_best_and_the_worst():
    pieces = RANKING.pieces(asked(4, how="best_worst"), {"a": 4, "b": 1, "c": 2, "d": 2}, [])

    assert [piece.words for piece in pieces] == ["Best", "in between", "in between", "Worst"]


def test_feedback_says_the_known_answer():
    given_answer = {"a": 3, "b": 1, "c": 2}

    def feedback(task: Prompt, **known: int) -> str:
        return RANKING.feedback(task, given_answer, known)

    assert feedback(asked(), a=2, b=1, c=3) == "We would have put Answer B, then Answer A, then Answer C."
    assert feedback(asked(), a=2, b=1, c=2) == "We would have put Answer B, then Answer A and Answer C."
    assert feedback(asked(2), a=2, b=1) == "We would have chosen Answer B."
    assert feedback(asked(2), a=1, b=1) == "We see no difference between them."
    best_worst = feedback(asked(how="best_worst"), a=2, b=1, c=3)
    assert best_worst == "We would have chosen Answer B as “Best” and Answer C as “Worst”."


def test_a_line_shows_the_order_with_its_ties():
    assert RANKING.line(asked(), {"a": 2, "b": 1, "c": 2}) == "Answer B, then Answer A and Answer C"
    assert RANKING.line(asked(how="best_worst"), {"a": 2, "b": 1, "c": 3}) == "Best: Answer B · Worst: Answer C"


def test_places_are_said_as_people_say_them():
    assert [ordinal(place) for place in (1, 2, 3, 4, 11, 12)] == ["1st", "2nd", "3rd", "4th", "11th", "12th"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "Field required"),
        ({"targets": ["x"]}, "a ranking has 2 to 12 targets; this one has 1"),
        ({"targets": [f"x{n}" for n in range(13)]}, "2 to 12 targets; this one has 13"),
        ({"targets": ["x", "x"]}, "“x” is listed twice"),
        ({"targets": ["x", "tie"]}, "give the target another id"),
        ({"targets": ["x", "y", "z"], "how": "pair"}, "exactly 2 targets; this one has 3"),
        ({"targets": ["x", "y"], "how": "best_worst"}, "at least 3 targets"),
        ({"targets": ["x", "y", "z"], "how": "best_worst", "ties": True}, "leave “ties” out"),
        ({"targets": ["x", "y", "z"], "how": "elo"}, "'order', 'best_worst' or 'pair'"),
        ({"targets": ["x", "y"], "best": "Good", "worst": "Good "}, "give them different words"),
        ({"targets": ["x", "y"], "tie": ""}, "at least 1 character"),
        ({"targets": ["x", "y"], "most": 3}, "Extra inputs are not permitted"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], why: str):
    with pytest.raises(ValidationError, match=why):
        RankingOptions(**options)
