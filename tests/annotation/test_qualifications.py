"""Who may join, judged by what they did elsewhere."""

from __future__ import annotations

import pytest

from annotation.qualifications import Record, qualifications
from kernel.errors import InvalidInput


def test_a_campaign_without_qualifications_takes_everybody():
    assert qualifications({}).asks_nothing
    assert qualifications({}).refusal(Record()) == ""


def test_too_few_answers_elsewhere_are_named():
    asked = qualifications({"min_answers": 20})

    assert "at least 20 answers" in asked.refusal(Record(answers=19))
    assert "19 so far" in asked.refusal(Record(answers=19))
    assert asked.refusal(Record(answers=20)) == ""


def test_one_of_the_campaigns_is_enough_and_none_of_the_others_may_be():
    asked = qualifications({"took_part_in": [1, 2], "not_in": [3]})

    assert "took part" in asked.refusal(Record(seen=frozenset({1})))
    assert asked.refusal(Record(answered_in=frozenset({2}), seen=frozenset({2}))) == ""
    assert "same texts" in asked.refusal(Record(answered_in=frozenset({2}), seen=frozenset({2, 3})))


def test_numbers_may_come_as_a_form_gives_them_and_other_names_are_nobodys_to_check():
    requirements = {"min_answers": "20", "took_part_in": "1, 2", "first language": "English"}

    assert qualifications(requirements) == qualifications({"min_answers": 20, "took_part_in": [1, 2]})


@pytest.mark.parametrize(
    ("requirements", "field"),
    [
        ({"min_answers": -1}, "min_answers"),
        ({"min_answers": True}, "min_answers"),
        ({"min_answers": "many"}, "min_answers"),
        ({"min_answers": [1, 2]}, "min_answers"),
        ({"not_in": {"3": 4}}, "not_in"),
        ({"took_part_in": "3, four"}, "took_part_in"),
        ({"took_part_in": "9" * 5000}, "took_part_in"),
    ],
)
def test_wrong_qualifications_are_refused_and_named(requirements, field):
    with pytest.raises(InvalidInput) as refused:
        qualifications(requirements)

    assert refused.value.field == f"qualifications.{field}"
