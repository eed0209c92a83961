"""Lessons as values: read from JSON, refused with a sentence that says which question is wrong."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types import TASK_TYPES, fixed_types
from annotation.task_types.aggregation.answers import known_phrases
from annotation.task_types.base import EMPTY, PracticeQuestion, QuizQuestion
from annotation.task_types.lessons import (
    LONGEST_LINE,
    MOST_QUESTIONS,
    Lessons,
    fingerprint,
    is_right,
    judged,
    lessons_of,
    read_lessons,
)
from annotation.task_types.own import library
from annotation.task_types.own.checking import checked_description, type_of_description
from annotation.task_types.own.type import OwnType
from kernel.errors import InvalidInput
from tests.annotation.describing import SMALLEST

TESA = TASK_TYPES["aggregation"]
QUIZ = {"text": "Which fits?", "choices": ["this", "that"], "right": 0, "explanation": "It does."}


def of_library(name: str) -> OwnType:
    return type_of_description(checked_description(library.text_of(name)))


def rain() -> OwnType:
    return type_of_description(checked_description(SMALLEST))


def rain_lesson(**changes: Any) -> dict[str, Any]:
    item, gold = {"text": "It poured."}, {"accepted": [{"rain": "yes"}], "reason": "Pouring is raining."}
    return {"item": item, "gold": gold} | changes


@pytest.mark.parametrize("name", [*fixed_types(), *library.NAMES])
def test_the_lessons_of_every_type_can_be_written_down_and_read_back(name):
    type_ = TASK_TYPES[name] if name in fixed_types() else of_library(name)
    lessons = lessons_of(type_, None)

    assert lessons.practice
    assert read_lessons(lessons.to_json(), type_) == lessons
    assert lessons_of(type_, lessons.to_json()) == lessons


lines = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60).filter(str.strip)


@st.composite
def quiz_questions(draw: st.DrawFn) -> dict[str, Any]:
    choices = draw(st.lists(lines, min_size=2, max_size=10, unique_by=lambda text: " ".join(text.split())))
    right = draw(st.integers(0, len(choices) - 1))
    return {"text": draw(lines), "choices": choices, "right": right, "explanation": draw(st.just("") | lines)}


@st.composite
def practice_questions(draw: st.DrawFn) -> dict[str, Any]:
    gold = {"accepted": [{"rain": draw(st.sampled_from(["yes", "no"]))}], "reason": draw(st.just("") | lines)}
    return {"item": {"title": draw(st.just("") | lines), "text": draw(lines)}, "gold": gold}


@given(
    st.lists(practice_questions(), max_size=3, unique_by=repr), st.lists(quiz_questions(), max_size=3, unique_by=repr)
)
def test_lessons_survive_being_written_down(practice: list[dict[str, Any]], quiz: list[dict[str, Any]]):
    type_ = rain()
    lessons = read_lessons({"practice": practice, "quiz": quiz}, type_)

    assert lessons_of(type_, lessons.to_json()) == lessons
    assert read_lessons(lessons.to_json(), type_) == lessons
    assert [len(lessons.practice), len(lessons.quiz)] == [len(practice), len(quiz)]


NAMES = ["practice", "quiz", "item", "gold", "accepted", "text", "choices", "right"]


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), nested))
def test_any_json_is_read_or_refused(value: Any):
    with suppress(InvalidInput):
        assert isinstance(read_lessons(value, TESA), Lessons)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"text": " "}, "quiz question 2, text: must not be empty"),
        ({"text": "x" * (LONGEST_LINE + 1)}, "quiz question 2, text: must have at most 300 characters"),
        ({"choices": "this"}, "quiz question 2, choices: must be a list, not text"),
        ({"choices": ["this"]}, "quiz question 2, choices: there must be 2 to 10 choices, not 1"),
        ({"choices": ["this", "this"]}, "quiz question 2, choices: “this” occurs twice"),
        ({"choices": ["this", ""]}, "quiz question 2, choices[1]: must not be empty"),
        ({"right": 2}, "quiz question 2, right: must be the number of a choice, from 0 to 1"),
        ({"right": True}, "quiz question 2, right: must be a whole number that is not negative"),
        ({"right": None}, "quiz question 2, right: must be the number of a choice, from 0 to 1"),
        ({"explanation": 3}, "quiz question 2, explanation: must be text, not a number"),
        ({"wrong": 1}, "quiz question 2: there is no field “wrong”"),
        ({"text": "a\0b"}, "contains NUL characters"),
    ],
)
def test_a_bad_quiz_question_is_named(changes: dict[str, Any], sentence: str):
    with pytest.raises(InvalidInput) as refused:
        read_lessons({"quiz": [QUIZ, QUIZ | changes]}, TESA)

    assert (refused.value.field, refused.value.problem[: len(sentence)]) == ("lessons", sentence)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"item": {"title": "Only a title"}}, "practice question 1, item, text: must not be empty"),
        ({"item": "It poured."}, "practice question 1, item: must be an object, not text"),
        ({"gold": None}, "practice question 1, gold: must be an object, not null"),
        ({"gold": {"accepted": []}}, "practice question 1, gold, accepted: must be 1 to 100 known answers, not 0"),
        ({"gold": {"accepted": [{"rain": "maybe"}]}}, "practice question 1, gold, accepted[0]: “maybe” is not one of"),
        (
            {"gold": {"accepted": [{"rain": "yes", "snow": 1}]}},
            "practice question 1, gold, accepted[0]: this is not an",
        ),
        ({"gold": {"accepted": [{"rain": ["yes"]}]}}, "practice question 1, gold, accepted[0]: "),
        ({"gold": {"accepted": ["yes"]}}, "practice question 1, gold, accepted[0]: must be an object, not text"),
        ({"golden": {}}, "practice question 1: there is no field “golden”; the fields are item, gold"),
    ],
)
def test_a_bad_practice_question_is_named(changes: dict[str, Any], sentence: str):
    with pytest.raises(InvalidInput) as refused:
        read_lessons({"practice": [rain_lesson(**changes)]}, rain())

    assert (refused.value.field, refused.value.problem[: len(sentence)]) == ("lessons", sentence)


def test_an_item_without_a_text_that_the_task_shows_is_refused():
    type_ = of_library("pairwise_preference")
    column = type_.item_texts[0]

    with pytest.raises(InvalidInput, match=f"practice question 1, item: there is no text “{column}”"):
        read_lessons({"practice": [{"item": {"something": "else"}, "gold": {"accepted": [{}]}}]}, type_)


def test_more_questions_than_the_limit_are_refused():
    with pytest.raises(InvalidInput, match=f"quiz: has {MOST_QUESTIONS + 1} questions; at most {MOST_QUESTIONS}"):
        read_lessons({"quiz": [QUIZ] * (MOST_QUESTIONS + 1)}, TESA)


def test_a_known_answer_of_an_own_task_may_leave_parts_out():
    type_ = of_library("claim_check")
    lesson = lessons_of(type_, None).practice[0]
    question = type_.question(lesson.item)
    known: dict[str, Any] = dict.fromkeys(lesson.gold.accepted[0])
    first = next(name for name, own in lesson.gold.accepted[0].items() if own is not None)
    known[first] = lesson.gold.accepted[0][first]

    gold = type_.gold(question, type_.form(question, known))

    assert gold.accepted == (known,)
    assert type_.judge(dict(lesson.gold.accepted[0]), gold, question).is_hit


def test_questions_are_told_apart_by_what_they_say():
    lessons = lessons_of(TESA, None)
    questions: list[PracticeQuestion | QuizQuestion] = [*lessons.practice, *lessons.quiz]

    assert len({fingerprint(question) for question in questions}) == len(questions)
    assert fingerprint(questions[0]) == fingerprint(lessons_of(TESA, lessons.to_json()).practice[0])


def test_a_practice_answer_is_right_if_it_is_a_known_one():
    lesson = lessons_of(TESA, None).practice[0]

    assert is_right(TESA, lesson, {"phrase_1": "the two physicists"})
    assert not is_right(TESA, lesson, {"phrase_1": "radiation researchers"})
    assert judged(TESA, lesson, {"phrase_1": "they"}) is None
    assert not is_right(TESA, lesson, {"phrase_1": "they"})


def tesa_lesson(phrase: str) -> dict[str, Any]:
    names: list[Any] = ["Ida Lind", "Olaf Brandt"]
    item = {"entity_type": "person", "entities": names, "context": "Ida Lind and Olaf Brandt read their poems."}
    return {"item": item, "gold": known_phrases([phrase]).to_json()}


@pytest.mark.parametrize("phrase", ["Ida Lind and Olaf Brandt", "they"])
def test_a_known_phrase_that_participants_cannot_send_is_refused(phrase: str):
    with pytest.raises(InvalidInput) as refused:
        read_lessons({"practice": [tesa_lesson("poets"), tesa_lesson(phrase)]}, TESA)

    sentence = f"practice question 2, gold, accepted[0]: “{phrase}” would not be accepted from a participant: "
    assert refused.value.problem.startswith(sentence)


@pytest.mark.parametrize("name", [*fixed_types(), *library.NAMES])
def test_each_known_answer_of_every_type_is_right_when_a_participant_sends_it(name: str):
    type_ = TASK_TYPES[name] if name in fixed_types() else of_library(name)

    for lesson in read_lessons(lessons_of(type_, None).to_json(), type_).practice:
        question = type_.question(lesson.item)
        for accepted in lesson.gold.accepted:
            form = type_.form(question, accepted)
            is_whole = all(own.remark.code != EMPTY for own in type_.checks(question, form))
            assert is_right(type_, lesson, form) or not is_whole
            assert type_.judge(accepted, lesson.gold, question).is_hit


def test_a_known_answer_may_leave_out_a_question_that_participants_must_answer():
    type_ = of_library("claim_check")
    row: Any = lessons_of(type_, None).to_json()["practice"]
    answer = row[0]["gold"]["accepted"][0]
    first = next(name for name, own in answer.items() if own is not None)
    row[0]["gold"]["accepted"] = [dict.fromkeys(answer) | {first: answer[first]}]

    assert read_lessons({"practice": row}, type_).practice[0].gold.accepted[0][first] == answer[first]
