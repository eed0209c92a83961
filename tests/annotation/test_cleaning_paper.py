"""The published dataset's rules, case by case: its files cannot be had, so each rule is held to its own table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types.aggregation.cleaning.paper import PANDAS_MISSING, PAPER


def test_the_rules_stand_in_the_original_order():
    assert [rule.name for rule in PAPER.rules] == [
        "pandas_missing",
        "copied_prompt",
        "all_upper_case",
        "stray_dots_and_spaces",
        "first_word_capitalised",
        "lower_case",
        "leading_the",
        "leading_number",
        "not_conforming",
        "repeated",
        "standard_phrase",
    ]


@pytest.mark.parametrize(
    ("rule", "raw", "display", "phrase"),
    [
        ("pandas_missing", "NA", "NA", None),
        ("pandas_missing", "n/a", "n/a", None),
        ("pandas_missing", "", "", None),
        ("pandas_missing", "null", "null", None),
        (
            "copied_prompt",
            "In this article, A and B are discussed. The two ports grew",
            "The two ports grew",
            "ports grew",
        ),
        ("copied_prompt", "A AND B ARE DISCUSSED. ports", "Ports", "ports"),
        ("all_upper_case", "NORTHERN PORTS", "Northern ports", "northern ports"),
        ("all_upper_case", "US", "Us", "us"),
        ("stray_dots_and_spaces", "  northern ports . . ", "Northern ports", "northern ports"),
        ("stray_dots_and_spaces", "...", "", None),
        ("stray_dots_and_spaces", " ", "", None),
        ("stray_dots_and_spaces", "A and B are discussed.", "", None),
        ("first_word_capitalised", "northern Ports", "Northern Ports", "northern ports"),
        ("first_word_capitalised", "McKay voters", "Mckay voters", "mckay voters"),
        ("first_word_capitalised", "northern   ports", "Northern ports", "northern ports"),
        ("lower_case", "Northern Ports", "Northern Ports", "northern ports"),
        ("leading_the", "The northern ports", "The northern ports", "northern ports"),
        ("leading_the", "The the ports", "The the ports", "the ports"),
        ("leading_number", "six ports", "Six ports", "ports"),
        ("leading_number", "The two ports", "The two ports", "ports"),
        ("leading_number", "two three ports", "Two three ports", "three ports"),
        ("not_conforming", "ports and harbours", "Ports and harbours", None),
        ("not_conforming", "ports that are busy", "Ports that are busy", None),
        ("not_conforming", "ports that have cranes", "Ports that have cranes", None),
        ("not_conforming", "ports/harbours", "Ports/harbours", None),
        ("not_conforming", "The", "The", None),
        ("not_conforming", "Na", "Na", None),
        ("not_conforming", "na.", "Na", None),
        ("standard_phrase", "The two areas", "The two areas", None),
        ("standard_phrase", "People", "People", None),
        ("standard_phrase", "the six organizations.", "The six organizations", None),
    ],
)
def test_each_rule_on_its_cases(rule: str, raw: str, display: str, phrase: str | None):
    cleaned = PAPER.clean_phrase(raw)

    assert (cleaned.display, cleaned.unit) == (display, phrase)
    assert rule in cleaned.applied


@pytest.mark.parametrize(
    ("raw", "phrase"),
    [
        ("a port", "a port"),
        ("both ports", "both ports"),
        ("seven ports", "seven ports"),
        ("2 ports", "2 ports"),
        ("two the ports", "the ports"),
        ("two", "two"),
        ("They", "they"),
        ("None", "none"),
        (" NA", None),
        ("N / A", None),
        ("A and B are discussed", None),
        ("countires", "countires"),
        ("places", "places"),
        ("Ports, harbours", "ports, harbours"),
        ("haves", "haves"),
    ],
)
def test_what_the_original_did_not_do_is_not_done(raw: str, phrase: str | None):
    assert PAPER.clean_phrase(raw).unit == phrase


def test_the_prompt_is_taken_off_only_where_a_full_stop_ends_it():
    assert PAPER.clean_phrase("Ports that are discussed").display == "Ports that are discussed"


def test_a_second_answer_that_is_the_same_after_cleaning_is_skipped():
    cleaned = PAPER.clean({}, {"phrases": ["The two ports", "ports."]})

    assert cleaned.units == ("ports",)
    assert [mark.rule for mark in cleaned.parts[1].marks] == ["repeated"]


@pytest.mark.parametrize(
    ("answers", "impossible", "phrases", "not_aggregatable"),
    [
        (("ports",), False, ("ports",), False),
        (("NA", ""), False, (), True),
        (("ports", "harbours"), True, (), True),
        ((), True, (), True),
        (("people",), False, (), True),
    ],
)
def test_no_answer_left_or_a_ticked_box_is_not_aggregatable(answers, impossible, phrases, not_aggregatable):
    cleaned = PAPER.clean({}, {"phrases": list(answers), "impossible": impossible})

    assert (cleaned.units, not cleaned.is_answered) == (phrases, not_aggregatable)


@given(st.text(max_size=80))
def test_any_text_is_cleaned_without_an_error_and_the_raw_answer_stays(raw: str):
    cleaned = PAPER.clean_phrase(raw)

    assert cleaned.raw == raw
    assert (cleaned.unit is None) == any(mark.discards for mark in cleaned.marks)
    assert raw not in PANDAS_MISSING or cleaned.unit is None
    assert cleaned.unit is None or not {"and", "are", "have"} & set(cleaned.unit.split())
