"""Frozen instances: what goes out comes back, and what is wrong is named."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.frozen import FrozenInstance
from kernel.errors import InvalidInput
from tests.corpus.frozen_instances import frozen_instances, make_frozen


@given(frozen_instances())
def test_an_instance_comes_back_from_json_as_it_was(instance):
    text = json.dumps(instance.to_json())

    assert FrozenInstance.from_json(json.loads(text)) == instance
    assert FrozenInstance.thaw(json.loads(text)) == instance


def test_the_fields_are_those_of_schema_1():
    row = make_frozen().to_json()

    assert list(row) == [
        "schema", "key", "group", "corpus", "article_id", "date", "entity_type", "entities", "kind", "title", "context",
        "mentions", "backgrounds",
    ]  # fmt: skip
    assert list(row["backgrounds"][0]) == [
        "title", "text", "url", "licence", "status", "source", "page_id", "revision_id", "retrieved",
    ]  # fmt: skip
    assert row["backgrounds"][1] is None
    assert row["mentions"][0] == {"entity": 0, "start": 0, "end": 8}


def test_offsets_count_unicode_characters():
    instance = make_frozen()

    assert [instance.context[m.start : m.end] for m in instance.mentions] == ["Ida Lind", "Karl Moe", "Lind"]


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"schema": 2}, "schema", "must be 1"),
        ({"key": "abc"}, "key", "64 hexadecimal digits"),
        ({"group": ""}, "group", "not be empty"),
        ({"group": "g" * 65}, "group", "at most 64"),
        ({"date": "yesterday"}, "date", "a date like"),
        ({"entity_type": "animal"}, "entity_type", "person, location, organization"),
        ({"entity_type": None}, "entity_type", "not empty"),
        ({"entities": "Ida Lind, Karl Moe"}, "entities", "must be a list, not text"),
        ({"entities": ["Ida Lind"]}, "entities", "2 to 6 names, not 1"),
        ({"entities": ["Ida Lind", "Ida Lind"]}, "entities", "twice"),
        ({"entities": ["Ida Lind", 4]}, "entities[1]", "must be text, not a number"),
        ({"kind": "headline"}, "kind", "content, abstract"),
        ({"title": ["T"]}, "title", "must be text, not a list"),
        ({"title": "\ud800"}, "title", "lone surrogate"),
        ({"context": " "}, "context", "not be empty"),
        ({"context": "a\x00b"}, "context", "NUL"),
        ({"mentions": []}, "mentions", "does not mention 'Ida Lind'"),
        ({"mentions": [{"entity": 0, "start": 1}]}, "mentions[0]", "needs entity, start and end"),
        ({"mentions": [{"entity": 2, "start": 1, "end": 2}]}, "mentions[0].entity", "the number of entities"),
        ({"mentions": [{"entity": 0, "start": 1, "end": 999}]}, "mentions[0]", "within the context"),
        ({"mentions": [{"entity": 0, "start": 2, "end": 2}]}, "mentions[0]", "with start before end"),
        ({"mentions": [{"entity": 0, "start": True, "end": 2}]}, "mentions[0].start", "whole number"),
        ({"backgrounds": [None]}, "backgrounds", "must be 2"),
        ({"backgrounds": [None, 3]}, "backgrounds[1]", "an object or null"),
        ({"backgrounds": [None, {"title": "T", "text": ""}]}, "backgrounds[1].text", "not be empty"),
        ({"backgrounds": [None, {"text": "T.", "status": "missing"}]}, "backgrounds[1].status", "one of exact"),
        ({"backgrounds": [None, {"text": "T.", "url": "javascript:x"}]}, "backgrounds[1].url", "http"),
    ],
)
def test_what_is_wrong_is_named(change, field, problem):
    with pytest.raises(InvalidInput) as caught:
        FrozenInstance.from_json(make_frozen().to_json() | change)

    assert caught.value.field == field
    assert problem in caught.value.problem


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(field=st.sampled_from(sorted(make_frozen().to_json())), value=ANYTHING)
def test_a_field_of_any_value_is_read_or_refused_with_a_sentence(field, value):
    try:
        read = FrozenInstance.from_json(make_frozen().to_json() | {field: value})
    except InvalidInput:
        return  # anything else would be a stack trace for a typing error

    assert FrozenInstance.from_json(read.to_json()) == read


@given(ANYTHING)
def test_what_is_no_object_is_refused_with_a_sentence(value):
    with pytest.raises(InvalidInput):
        FrozenInstance.from_json(value)
