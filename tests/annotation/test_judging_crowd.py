"""How invented people judge phrases."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from annotation.simulation.invented_people import crowd
from annotation.task_types.aggregation import judging_crowd
from annotation.task_types.aggregation.crowd import Phrasebook, PhraseCrowd
from annotation.task_types.aggregation.judging_crowd import (
    EMPTY,
    GOOD,
    WRONG,
    JudgedPhrase,
    invented_judgement,
    right_judgement,
)
from tests.corpus.frozen_instances import make_frozen


@pytest.fixture
def _book(monkeypatch: pytest.MonkeyPatch) -> None:
    """A book that knows two phrases for the entities of `make_frozen`."""
    people = PhraseCrowd()
    people.__dict__["book"] = Phrasebook({frozenset(("Ida Lind", "Karl Moe")): ["Swedish botanists", "botanists"]})
    monkeypatch.setattr(judging_crowd, "CROWD", people)
    judging_crowd.right_judgement.cache_clear()


@pytest.mark.usefixtures("_book")
@pytest.mark.parametrize(
    ("unit", "judgement"),
    [
        ("swedish botanists", GOOD),
        ("botanists", GOOD),
        ("botansits", replace(GOOD, is_natural=False)),
        ("public figures", EMPTY),
        ("public figuers", replace(EMPTY, is_natural=False)),
        ("opera singers", WRONG),
    ],
)
def test_a_phrase_is_judged_by_what_the_book_says_of_the_entities(unit: str, judgement: JudgedPhrase):
    assert right_judgement(make_frozen(), unit) == judgement


def test_a_person_is_right_about_as_often_as_their_skill_says_and_the_same_for_one_seed():
    person = replace(crowd(1, 1)[0], skill=0.9)

    def answers(seed: int) -> list[str]:
        rng = random.Random(seed)
        return [invented_judgement(WRONG, person, rng)["is_true"] for _ in range(1000)]

    assert answers(1) == answers(1)
    assert 850 < answers(1).count("no") < 950
