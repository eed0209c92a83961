from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.errors import InvalidInput
from modeling.items import item_from_row, rankable
from tests.modeling.values import make_item, refusal
from tests.synthetic.release import release_items, synthetic_release


def release_row(**fields: object) -> dict[str, object]:
    row = json.loads(next(iter(synthetic_release(4, seed=0))))
    return row | fields


def read_one(**fields: object):
    return release_items([json.dumps(release_row(**fields))])[0]


def test_an_item_comes_back_from_its_json_unchanged():
    item = make_item(golds=("painters", "swedish painters"))

    assert item_from_row(json.loads(json.dumps(item.to_json()))) == item


def test_the_answers_of_an_item_hold_what_annotators_gave_beside_the_golds():
    annotations = [{"annotator": "a1", "answers": ["The Sailors"], "cleaned": ["sailors"], "not_aggregatable": False}]
    gold = [{"phrase": "painters", "display": "Painters", "support": 2}]

    item = read_one(annotations=annotations, aggregations=gold)

    assert item.answers == ("painters", "sailors")
    assert [(item_gold.phrase, item_gold.display, item_gold.support) for item_gold in item.golds] == [
        ("painters", "Painters", 2)
    ]


def test_a_background_is_read_as_people_saw_it_and_a_missing_one_is_empty():
    long = "Ida Lind was a painter. " * 60

    names, mentions = ["Ida Lind", "Olaf Brandt"], [{"entity": n, "start": n, "end": n + 1} for n in range(2)]
    item = read_one(entities=names, mentions=mentions, backgrounds=[{"text": long, "status": "exact"}, None])

    assert item.backgrounds[0].startswith("Ida Lind was a painter.")
    assert len(item.backgrounds[0]) <= 600
    assert item.backgrounds[1] == ""


def test_an_instance_without_aggregation_is_read_but_cannot_be_ranked():
    item = read_one(aggregations=[])

    assert rankable([item]) == ()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"schema": 3}, "schema: must be one of 1, 2"),
        ({"entity_type": "planet"}, "entity_type: must be one of person, location, organization"),
        ({"entities": []}, "entities: must be 2 to 6 names"),
        ({"backgrounds": []}, "one for each entity"),
        ({"aggregations": [{"phrase": " "}]}, "phrase: must not be empty"),
        ({"context": 3}, "context: must be text"),
        ({"aggregations": [{"phrase": "half \ud800"}]}, "half of a character"),
        ({"aggregations": ["painters"]}, "aggregations[0]: must be an object, not text"),
    ],
)
def test_a_bad_row_is_told_with_its_line(fields: dict[str, object], message: str):
    lines = ["", json.dumps(release_row(**fields))]

    with pytest.raises(InvalidInput, match="line 2") as caught:
        release_items(lines, name="release.jsonl")

    assert message in str(caught.value)


@given(st.text(max_size=60) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_whatever_stands_in_a_line_the_error_is_a_kind_one(line: str):
    message = refusal(lambda: release_items([line]))

    assert "line 1" in message or not line.strip()
