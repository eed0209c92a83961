"""Items that somebody writes in a form: each kind makes them, and says which field is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from corpus.frozen import FrozenBackground, FrozenInstance, FrozenMention
from corpus.items import ITEM_KINDS
from corpus.items.instances import INSTANCE
from corpus.items.rows import ROWS
from corpus.items.texts import TEXT
from corpus.items.writing import written_item
from kernel.errors import InvalidInput
from tests.corpus.frozen_instances import frozen_instances

FORM = {
    "entity_type": "person",
    "title": "A walk",
    "context": "Ida Lind met  Olaf Brandt.\r\n\r\nThen Ida Lind left.",
    "name_1": "Olaf Brandt",
    "name_2": "Ida Lind",
    "background_2": "Ida Lind paints.",
}


def test_a_written_instance_mentions_every_occurrence_of_its_names():
    item = written_item(INSTANCE, FORM, ())

    assert item.entities == ("Ida Lind", "Olaf Brandt")  # in the order of the passage
    assert item.context == "Ida Lind met Olaf Brandt.\n\nThen Ida Lind left."
    spans = [(own.entity, item.context[own.start : own.end]) for own in item.mentions]
    assert spans == [(0, "Ida Lind"), (1, "Olaf Brandt"), (0, "Ida Lind")]
    assert [own and own.text for own in item.backgrounds] == ["Ida Lind paints.", None]
    assert item.key == item.content_key
    assert INSTANCE.from_row(item.to_json()) == item


@pytest.mark.parametrize(
    ("changes", "field", "problem"),
    [
        ({"entity_type": "river"}, "entity_type", "choose what the names are"),
        ({"context": " \r\n"}, "context", "write the passage"),
        ({"context": "x" * 50_001}, "context", "must have at most 50,000 characters"),
        ({"name_2": ""}, "name_2", "write at least 2 names"),
        ({"name_1": "", "name_2": ""}, "name_1", "write at least 2 names"),
        ({"name_2": "Ida  Lind", "name_4": "Ida Lind"}, "name_4", "“Ida Lind” is there already"),
        ({"name_3": "Lin"}, "name_3", "“Lin” does not occur in the passage"),
        ({"background_5": "Who?"}, "name_5", "write the name that this background is about"),
    ],
)
def test_a_bad_field_of_a_written_instance_is_named(changes: dict[str, str], field: str, problem: str):
    with pytest.raises(InvalidInput) as refused:
        written_item(INSTANCE, FORM | changes, ())

    assert (refused.value.field, refused.value.problem[: len(problem)]) == (field, problem)


@given(frozen_instances())
def test_an_instance_that_is_filled_in_and_not_changed_comes_back(item: FrozenInstance):
    form = INSTANCE.as_written(item)

    assert written_item(INSTANCE, {name: text.replace("\n", "\r\n") for name, text in form.items()}, (), item) == item


def test_a_changed_background_leaves_the_mentions_of_the_item_it_was_filled_in_from():
    row = {"entity_type": "person", "entities": ["President Ida Lind", "Olaf Brandt"], "article_id": "7"}
    more = {
        "context": "Lind met Brandt.",
        "mentions": [FrozenMention(0, 0, 4).to_json(), FrozenMention(1, 9, 15).to_json()],
    }
    background = FrozenBackground("Olaf Brandt", "He sails.", url="https://example.org/").to_json()
    item = INSTANCE.from_row({**row, **more, "backgrounds": [None, background]})

    changed = written_item(INSTANCE, {**INSTANCE.as_written(item), "background_1": "She governs."}, (), item)

    assert (changed.key, changed.mentions, changed.article_id) == (item.key, item.mentions, "7")
    assert changed.backgrounds == (FrozenBackground("President Ida Lind", "She governs."), item.backgrounds[1])


def test_a_written_row_has_the_filled_columns_and_unchanged_values_keep_their_type():
    like = ROWS.from_row({"first": "one", "second": "two", "score": 10, "more": 1.5})
    form = {**ROWS.as_written(like), "column.second": "three", "column.more": "2"}

    item = written_item(ROWS, form, ["first", "second", "third", "score", "more"], like)

    assert dict(item.columns) == {"first": "one", "second": "three", "score": 10, "more": "2"}
    with pytest.raises(InvalidInput, match=r"column\.first: write at least one text"):
        written_item(ROWS, {"column.first": " "}, ["first"])


def test_a_written_text_keeps_where_it_came_from():
    like = TEXT.from_row({"title": "Rain", "text": "It rains.", "source": "The Dun Post", "page": 3})

    item = written_item(TEXT, {"title": "", "text": "It rained."}, (), like)

    assert (item.title, item.text, item.source, dict(item.extra)) == ("", "It rained.", "The Dun Post", {"page": 3})
    with pytest.raises(InvalidInput, match="text: must not be empty"):
        written_item(TEXT, {"title": "Rain"}, ())


@pytest.mark.parametrize("name", ITEM_KINDS)
def test_every_kind_of_item_has_a_field_for_all_that_its_form_gives(name: str):
    kind = ITEM_KINDS[name]
    rows: dict[str, dict[str, Any]] = {
        "instance": {"entity_type": "person", "entities": ["Ida", "Olaf"], "context": "Ida met Olaf."},
        "text": {"title": "Rain", "text": "It rains."},
        "rows": {"first": "one", "second": "two"},
    }
    item = kind.from_row(rows[name])
    fields = {field.name for field in kind.written_fields(["first", "second"])}

    assert {field for field, text in kind.as_written(item).items() if text} <= fields
