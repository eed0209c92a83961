"""Texts that people write."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.parts.base import Prompt
from annotation.parts.text import TEXT, TextOptions, tidied, word_f1
from annotation.task_types.base import Level


def remarks(text: str, **options: Any) -> list[tuple[str, Level]]:
    asked = Prompt("own", TextOptions(**options), {"first": "It rained."})
    return [(own.remark.why, own.remark.level) for own in TEXT.remarks(asked, {"a.own": text})]


def test_a_text_keeps_its_lines_and_loses_blanks_around_it():
    assert tidied("  It rained. \r\n\r\nIn Dun.\t\n ") == "It rained.\n\nIn Dun."


@given(st.text())
def test_tidying_twice_changes_nothing(text: str):
    assert tidied(tidied(text)) == tidied(text)


def test_a_text_that_is_too_long_or_too_short_is_refused_with_both_numbers():
    assert remarks("x" * 1200, longest=1000) == [("This is 1,200 characters long; 1,000 are allowed.", Level.BLOCK)]
    assert remarks("No", shortest=10) == [("Please write at least 10 characters.", Level.BLOCK)]


def test_words_that_a_text_must_or_must_not_contain_are_named():
    assert remarks("Nothing", must_contain=["rain", "Dun"])[0][0] == "The answer must contain “rain” and “Dun”."
    assert remarks("It RAINED", must_not_contain=["rain", "snow"])[0][0] == "The answer must not contain “rain”."


def test_a_text_that_was_not_changed_is_asked_about():
    assert remarks("It rained. ", starts_as="first") == [
        ("You have not changed the text. Submit it as it is?", Level.ASK)
    ]
    assert remarks("It poured.", starts_as="first") == []


def test_the_f1_of_words_counts_each_word_as_often_as_it_occurs():
    assert word_f1("the rain and the snow", "The rain!") == pytest.approx(2 * 2 / (5 + 2))
    assert word_f1("rain", "snow") == 0
    assert word_f1("🌧", "🌧") == 1


def test_texts_of_the_same_words_support_each_other():
    agreed = TEXT.consensus(TextOptions(), ["Snow", "It rained.", "it rained", "Fog"])

    assert agreed == [
        {"text": "It rained.", "support": 2},
        {"text": "Snow", "support": 1},
        {"text": "Fog", "support": 1},
    ]


@pytest.mark.parametrize(
    "options", [{"lines": 0}, {"longest": 20_001}, {"shortest": 5, "longest": 4}, {"must_contain": [" "]}, {"html": 1}]
)
def test_impossible_options_are_refused(options: dict[str, Any]):
    with pytest.raises(ValidationError):
        TextOptions(**options)


def test_a_known_text_is_tidied_as_an_answer_is():
    assert TEXT.known(TextOptions(), "It rained.  \nIn Dun.\n") == "It rained.\nIn Dun."
    assert TEXT.known(TextOptions(), 7) == 7
