"""Figures and names as pages show them."""

from __future__ import annotations

import pytest

from annotation.selectors.overview import ticks_to
from annotation.templatetags.campaigns import activity
from corpus.templatetags.corpora import source_name
from kernel.templatetags.tesa import p_value, signed


@pytest.mark.parametrize(
    ("number", "text"), [(0.05, "+0.050"), (-0.05, "−0.050"), (0, "0.000"), (-0.0004, "0.000"), (0.0005, "+0.001")]
)
def test_a_difference_has_a_sign_unless_it_is_none(number: float, text: str):
    assert signed(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0.5029, "= 0.503"), (1, "= 1.000"), (0.001, "= 0.001"), (0.0002, "< 0.001")]
)
def test_a_p_value_is_never_said_to_be_zero(number: float, text: str):
    assert p_value(number) == text


@pytest.mark.parametrize(
    ("most", "ticks"),
    [(0, [0, 1]), (1, [0, 1]), (3, [0, 1, 2, 3]), (4, [0, 2, 4]), (53, [0, 20, 40, 60]), (1234, [0, 500, 1000, 1500])],
)
def test_answers_per_day_are_measured_by_round_numbers(most: int, ticks: list[int]):
    assert ticks_to(most) == ticks


def test_what_was_recorded_is_said_in_words():
    assert activity({"keys": 60, "pastes": 1, "pasted": 12}) == ["1 paste", "12 letters pasted", "60 keys"]
    assert activity(None) == []


def test_a_corpus_names_its_format_as_people_write_it():
    assert [source_name(name) for name in ("nitf", "jsonl", "reuters21578", "another")] == [
        "NITF", "JSON lines", "Reuters-21578", "another",
    ]  # fmt: skip
