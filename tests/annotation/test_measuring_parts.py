"""What agreement and consensus say of own tasks is worth something: chance is chance, and dependence is not hidden."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from annotation.parts import PARTS
from annotation.parts.base import Part
from annotation.parts.placing import strengths
from annotation.parts.text import word_f1
from annotation.quality.ratings import Undefined
from annotation.quality.series import rows_of

ABCDE = [{"id": letter, "label": letter.upper()} for letter in "abcde"]


def alpha(part: Part, options: Any, answers: list[list[Any]]) -> Any:
    """Return the first measure of agreement over the answers to each item, one from each person."""
    (series,) = part.series("own", options)
    rows = [
        row
        for item, values in enumerate(answers)
        for person, value in enumerate(values)
        for row in rows_of(str(item), str(person), part.labels("own", options, value)["own"])
    ]
    return series.measures(rows, replicates=20)[0]


@pytest.mark.parametrize("how", ["order", "best_worst"])
def test_random_rankings_agree_by_chance_alone(how: str):
    part, rng = PARTS["ranking"], Random(3)
    options = part.options_model.model_validate({"targets": ABCDE, "how": how})

    def invented() -> dict[str, int]:
        order = rng.sample("abcde", 5)
        places = [1, 2, 3, 4, 5] if how == "order" else [1, 2, 2, 2, 5]
        return dict(zip(order, places, strict=True))

    measured = alpha(part, options, [[invented() for _ in range(3)] for _ in range(300)])

    assert measured.value == pytest.approx(0, abs=0.05)


def test_no_interval_pretends_that_rows_of_one_item_are_independent():
    rating = PARTS["rating"]
    several = rating.options_model.model_validate({"targets": ABCDE[:2]})
    single = rating.options_model.model_validate({"targets": ABCDE[:1]})
    rng = Random(1)

    def answers(names: str) -> list[list[Any]]:
        return [[{"rating": {name: rng.randint(1, 5) for name in names}} for _ in range(2)] for _ in range(9)]

    assert isinstance(alpha(rating, several, answers("ab")).interval, Undefined)
    assert not isinstance(alpha(rating, single, answers("a")).interval, Undefined)


def test_choosing_none_is_not_the_same_as_no_majority():
    choice = PARTS["choice"]
    options = choice.options_model.model_validate({"options": ["a", "b", "c"], "many": True, "none": "None of these"})

    split: Any = choice.consensus(options, [["a"], ["b"], ["c"]])
    agreed: Any = choice.consensus(options, [[], [], ["c"]])

    assert (split["value"], split["support"]) == (None, 0)
    assert (agreed["value"], agreed["support"]) == ([], 2)
    assert choice.consensus_line(options, split) == "no majority (0 of 3)"
    assert choice.consensus_line(options, agreed) == "None of these (2 of 3)"


def test_words_keep_their_vowel_signs_and_apostrophes_are_equal():
    assert word_f1("यह कि है", "यह की हो") < 1
    assert word_f1("Don’t go", "don't go!") == 1


def test_a_pair_that_nobody_compared_is_no_tie():
    first = {"a": 1, "b": 10} | dict.fromkeys("cdefghij", 2)
    others = [{"c": 1, "d": 10} | dict.fromkeys("abefghij", 2) for _ in range(8)]

    compared = strengths("abcdefghij", [first, first, *others], with_ties=False)
    with_ties = strengths("abcdefghij", [first, first, *others])

    assert compared["a"] / (compared["a"] + compared["b"]) > with_ties["a"] / (with_ties["a"] + with_ties["b"])
