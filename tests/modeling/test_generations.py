"""Generated phrases as a file of the run: golds and listed entities are marked, and it goes with the other files."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from corpus.articles import EntityType
from kernel.errors import InvalidInput
from modeling.generations import Generation, Phrase, generation_lines, mark, read_generations
from modeling.items import GoldPhrase
from tests.modeling.values import synthetic_dataset

ITEM = replace(
    synthetic_dataset()["test"][0].item,
    entity_type=EntityType.PERSON,
    entities=("Ida Lind", "Olaf Brandt"),
    golds=(GoldPhrase("famous painters", "Famous painters", 2), GoldPhrase("artists", "artists", 1)),
)


def marked(text: str) -> Phrase:
    return mark(ITEM, "test", [(text, -0.5)]).phrases[0]


@pytest.mark.parametrize(
    ("text", "is_gold"), [("artists", True), ("Famous Painters", True), ("painters", False), ("artists!", False)]
)
def test_a_gold_is_marked_whatever_its_case(text, is_gold):
    assert marked(text).is_gold is is_gold


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ("Ida Lind and Olaf Brandt", True),
        ("lind, brandt", True),
        ("painters such as Lind and Brandt", True),
        ("Ida Lind", True),
        ("painters", False),
        ("friends of Ida Lind", False),
    ],
)
def test_a_phrase_that_lists_entities_is_marked(text, is_list):
    assert marked(text).lists_entities is is_list


def test_rows_come_back_from_their_lines_with_probabilities():
    generation = mark(ITEM, "test", [("artists", -0.5), ("Ida Lind, Olaf Brandt", -2.0)])

    lines = [*generation_lines([generation])]

    assert read_generations(lines) == (generation,)
    row = json.loads(lines[0])
    assert [phrase["probability"] for phrase in row["phrases"]] == [math.exp(-0.5), math.exp(-2.0)]
    assert row["golds"] == ["famous painters", "artists"]


def test_a_damaged_line_is_named():
    line = next(iter(generation_lines([Generation("test", "k", (), (Phrase("a", -1.0),))])))

    with pytest.raises(InvalidInput, match=r"generations.jsonl, line 1"):
        read_generations([line.replace("-1.0", '"much"')])
