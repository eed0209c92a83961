"""Several people's marks in one text: what they agree on, and the differences between them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.parts.span_differences import compare_spans
from annotation.parts.span_marks import MarkedSpan, colliding

OVERLAPS = ["none", "nested", "any"]
PLACES = st.tuples(st.integers(0, 30), st.integers(1, 6), st.sampled_from(["person", "place"]))


def mark(start: int, end: int, label: str = "person") -> MarkedSpan:
    return MarkedSpan(start, end, label)


@st.composite
def answered(draw: st.DrawFn) -> tuple[list[list[MarkedSpan]], str]:
    """Answers of several people, each with marks that may stand together."""
    overlap, answers = draw(st.sampled_from(OVERLAPS)), list[list[MarkedSpan]]()
    for _ in range(draw(st.integers(1, 4))):
        spans: list[MarkedSpan] = []
        for start, length, label in draw(st.lists(PLACES, max_size=8)):
            if not colliding([*spans, mark(start, start + length, label)], overlap):
                spans.append(mark(start, start + length, label))
        answers.append(sorted({*spans}))
    return answers, overlap


@given(answered())
def test_every_mark_of_every_answer_is_there_once(case: tuple[list[list[MarkedSpan]], str]):
    answers, overlap = case
    compared = compare_spans(answers, overlap)

    listed = Counter((number, span) for number in range(len(answers)) for span in compared.agreed)
    for difference in compared.differences:
        listed.update((number, shared.span) for shared in difference.marks for number in shared.answers)
    assert listed == Counter((number, span) for number, spans in enumerate(answers) for span in spans)


@given(answered())
def test_agreed_is_exactly_what_all_answers_have(case: tuple[list[list[MarkedSpan]], str]):
    answers, overlap = case
    compared = compare_spans(answers, overlap)

    assert {*compared.agreed} == {*answers[0]}.intersection(*answers)
    assert all(0 < len(own.answers) < len(answers) for difference in compared.differences for own in difference.marks)


@given(answered(), st.randoms(use_true_random=False))
def test_the_order_of_people_does_not_matter(case: tuple[list[list[MarkedSpan]], str], random: Random):
    answers, overlap = case
    order = random.sample(range(len(answers)), len(answers))
    compared, shuffled = (compare_spans(own, overlap) for own in (answers, [answers[number] for number in order]))

    assert shuffled.agreed == compared.agreed
    assert [
        [(own.span, {order[number] for number in own.answers}) for own in difference.marks]
        for difference in shuffled.differences
    ] == [[(own.span, {*own.answers}) for own in difference.marks] for difference in compared.differences]


@given(answered())
def test_taking_each_difference_from_any_answer_gives_marks_that_may_stand_together(
    case: tuple[list[list[MarkedSpan]], str],
):
    answers, overlap = case
    compared = compare_spans(answers, overlap)

    for first, second in combinations(range(len(answers)), 2):
        taken = [
            span
            for number, difference in enumerate(compared.differences)
            for span in difference.of(second if number % 2 else first)
        ]
        assert colliding([*compared.agreed, *taken], overlap) is None


@given(answered())
def test_differences_are_in_the_order_of_the_text_and_have_an_order_inside(case: tuple[list[list[MarkedSpan]], str]):
    compared = compare_spans(*case)
    marks = [[shared.span for shared in difference.marks] for difference in compared.differences]

    assert [own[0] for own in marks] == sorted(own[0] for own in marks)
    assert all(own == sorted(own) for own in marks)


def test_a_name_in_one_piece_and_the_same_name_in_two_are_one_difference():
    whole, first, second = mark(0, 14, "org"), mark(0, 8, "place"), mark(9, 14, "org")
    compared = compare_spans([[whole], [first, second]], "none")

    assert len(compared.differences) == 1
    assert compared.differences[0].of(0) == (whole,)
    assert compared.differences[0].of(1) == (first, second)
    assert (compared.differences[0].start, compared.differences[0].end) == (0, 14)


@pytest.mark.parametrize(("overlap", "differences"), [("none", 1), ("nested", 2), ("any", 2)])
def test_marks_that_may_stand_inside_each_other_are_differences_of_their_own(overlap: str, differences: int):
    compared = compare_spans([[mark(0, 20, "quote")], [mark(5, 8, "person")]], overlap)

    assert len(compared.differences) == differences


def test_another_label_for_the_same_piece_is_one_difference_wherever_marks_may_overlap():
    compared = compare_spans([[mark(0, 5, "person")], [mark(0, 5, "place")]], "any")

    assert len(compared.differences) == 1


def test_a_mark_that_only_some_made_is_a_difference_with_nothing_on_the_other_side():
    compared = compare_spans([[mark(0, 5)], [mark(0, 5)], []], "none")

    assert compared.agreed == ()
    assert compared.differences[0].marks[0].answers == (0, 1)
    assert compared.differences[0].of(2) == ()


def test_nobody_differs_from_one_answer():
    assert compare_spans([[mark(0, 5)]], "none").agreed == (mark(0, 5),)
    assert compare_spans([], "none").differences == ()
