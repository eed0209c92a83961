"""AnswerKeys: scores and values worked out by hand, and the errors of keys that do not fit their test."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marketplace.qualification_tests.answers import FormAnswer
from marketplace.qualification_tests.form_reading import read_form
from marketplace.qualification_tests.keys import Mapped, read_key
from marketplace.qualification_tests.reading import BadTest
from tests.marketplace.exams import MOVES, MOVES_KEY, PERCENT, choice, form, key, question, scored, typed

SEVERAL = form(question(choice("a", "b", "c", before="<MaxSelectionCount>3</MaxSelectionCount>"), "q"))
MAPPING = "<QualificationValueMapping>{}</QualificationValueMapping>"
SCALE = MAPPING.format("<ScaleMapping><SummedScoreMultiplier>{}</SummedScoreMultiplier></ScaleMapping>")


def between(low: int, high: int, value: int) -> str:
    return (
        f"<SummedScoreRange><InclusiveLowerBound>{low}</InclusiveLowerBound><InclusiveUpperBound>{high}"
        f"</InclusiveUpperBound><QualificationValue>{value}</QualificationValue></SummedScoreRange>"
    )


def ranges(*parts: str, otherwise: str = "<OutOfRangeQualificationValue>0</OutOfRangeQualificationValue>") -> str:
    return MAPPING.format(f"<RangeMapping>{''.join(parts)}{otherwise}</RangeMapping>")


def value(xml: str, answer_key: str, **selected: str) -> int:
    answers = {name: FormAnswer(selected=tuple(options.split())) for name, options in selected.items()}
    return read_key(answer_key, read_form(xml)).value(answers)


@pytest.mark.parametrize(
    ("move", "fruit", "percent"), [("D", "apples", 100), ("D", "pears", 33), ("C", "apples", 67), ("C", "", 0)]
)
def test_the_example_of_the_documentation_is_scored_in_per_cent(move, fruit, percent):
    assert value(MOVES, MOVES_KEY, nextmove=move, favoritefruit=fruit) == percent  # 5 and 10 of 15 points


@pytest.mark.parametrize(("selected", "total"), [("a b", 7), ("a", 2), ("a b c", -1), ("b", -1), ("", -1)])
def test_all_selections_of_an_option_and_no_others_earn_its_score(selected, total):
    assert value(SEVERAL, key(scored("q", ("b a", 7), ("a", 2), default=-1)), q=selected) == total


def test_a_question_without_a_key_and_a_key_without_a_default_add_nothing():
    assert value(MOVES, key(scored("nextmove", ("D", 5))), nextmove="C", favoritefruit="apples") == 0


@pytest.mark.parametrize(
    ("mapping", "score", "expected"),
    [
        (SCALE.format("3"), 7, 21),
        (SCALE.format("0.5"), 7, 4),  # 3.5, half away from zero
        (SCALE.format("0.5"), -7, -4),
        (SCALE.format("-1.5"), 3, -5),  # -4.5
        (PERCENT.format(48), 6, 13),  # 12.5 %
        (PERCENT.format(3), 1, 33),
        (PERCENT.format(3), 6, 200),
        (PERCENT.format(3), -1, -33),
        (ranges(between(5, 7, 5), between(8, 10, 10)), 5, 5),
        (ranges(between(5, 7, 5), between(8, 10, 10)), 7, 5),
        (ranges(between(5, 7, 5), between(8, 10, 10)), 8, 10),
        (ranges(between(5, 7, 5), between(8, 10, 10)), 11, 0),
        (ranges(between(-5, -1, 1)), -5, 1),
    ],
)
def test_a_sum_becomes_the_value_that_its_mapping_says(mapping, score, expected):
    assert value(SEVERAL, key(scored("q", ("a", score)), mapping), q="a") == expected


@given(st.integers(-10_000, 10_000), st.integers(1, 10_000))
def test_a_percentage_is_the_nearest_whole_number(total, highest):
    percent = read_key(key(scored("q", ("a", 1)), PERCENT.format(highest)), read_form(SEVERAL)).mapped.value(total)

    assert abs(percent * highest - 100 * total) * 2 <= highest


def test_without_a_mapping_the_sum_is_the_value():
    assert Mapped().value(-12) == -12


ONE = scored("q", ("a", 1))


@pytest.mark.parametrize(
    ("answer_key", "error"),
    [
        ("<AnswerKey/>", "AnswerKey, line 1: <AnswerKey> is in no namespace"),
        ("<!DOCTYPE a []><AnswerKey/>", "AnswerKey, line 1: it may not contain a document type"),
        (key(), "<AnswerKey> needs at least one <Question>."),
        (key(ONE, ONE), "the question “q” has two keys."),
        (key("\n", scored("r", ("a", 1))), "AnswerKey, line 2: the test has no question “r”."),
        (key(scored("q", ("d", 1))), "the question of the test has no selection “d”."),
        (
            key(scored("q", ("a b", 1), ("b a", 2))),
            "an earlier <AnswerOption> of this question has the same selections.",
        ),
        (key(scored("q")), "<Question> needs at least one <AnswerOption>."),
        (key(scored("q", ("", 1))), "<AnswerOption> needs at least one <SelectionIdentifier>."),
        (key(scored("q", ("a", 10**7))), "<AnswerScore> is “10000000”; it must be a whole number"),
        (key(ONE.replace(">1<", ">1.5<")), "<AnswerScore> is “1.5”; it must be a whole number"),
        (key(ONE, MAPPING.format("")), "<QualificationValueMapping> has one PercentageMapping, ScaleMapping or"),
        (key(MAPPING.format(""), ONE), "<QualificationValueMapping> comes once, after the questions."),
        (key(ONE, PERCENT.format(0)), "<MaximumSummedScore> is “0”"),
        (key(ONE, SCALE.format("a")), "<SummedScoreMultiplier> is “a”; it must be a decimal number such as 3 or 0.5."),
        (key(ONE, SCALE.format("999999999999")), "a sum of 1 would become a value beyond"),
        (key(ONE, ranges(between(1, 3, 1), between(3, 4, 1))), "the range from 3 to 4 overlaps an earlier one."),
        (key(ONE, ranges(between(3, 1, 1))), "the range from 3 to 1 is empty."),
        (key(ONE, ranges(between(3, 4, 1), otherwise="")), "<RangeMapping> has SummedScoreRanges and one OutOfRange"),
        (key(ONE.replace("AnswerScore", "Answerscore")), "Did you mean <AnswerScore>?"),
    ],
)
def test_each_error_of_a_key_says_where_and_what(answer_key, error):
    with pytest.raises(BadTest, match=re.escape(error)):
        read_key(answer_key, read_form(SEVERAL))


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (question(typed(), "q"), "the question “q” of the test is answered with text, which a key cannot score."),
        (question(choice("a", other="<OtherSelection/>"), "q"), "the question “q” of the test has an OtherSelection"),
    ],
)
def test_a_key_scores_options_alone(asked, error):
    with pytest.raises(BadTest, match=re.escape(error)):
        read_key(key(ONE), read_form(form(asked)))


def test_a_combination_that_nobody_can_select_is_refused():
    with pytest.raises(BadTest, match=r"nobody can select 2 of them: the question asks for 1 answer\."):
        read_key(key(scored("q", ("a b", 1))), read_form(form(question(choice("a", "b")))))
