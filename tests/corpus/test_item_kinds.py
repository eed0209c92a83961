"""What every kind of item promises, and what asks the kind instead of knowing its name."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models.fields.json import KT

from corpus.items import ITEM_KINDS
from corpus.models import Sample, SampledInstance
from kernel.errors import InvalidInput, UnknownPlugin
from kernel.values import Json, canonical_json
from tests.make import make_sample

ROWS_OF: dict[str, dict[str, Any]] = {
    "instance": {
        "entities": ["Ida Lind", "Karl Moe"],
        "entity_type": "person",
        "context": "Ida Lind met Karl Moe <b>.",
    },
    "text": {"text": "Rain  fell <b> on 3 days.", "source": "Our own", "by": "Ida Lind"},
    "rows": {"question": "Did it  rain <b>?", "facet": "weather", "score": 3},
}
FACETS = {"instance": {"type": "person"}, "text": {"source": "Our own"}, "rows": {"facet": "weather"}}


@pytest.fixture(params=[*ITEM_KINDS])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_an_item_comes_back_from_its_json_and_from_its_export(name: str):
    kind = ITEM_KINDS[name]
    item = kind.from_row(ROWS_OF[name])
    stored = json.loads(canonical_json(item.to_json()))

    assert kind.name == name
    assert kind.thaw(stored) == kind.from_row(stored) == item
    assert stored["key"] == item.key


def test_a_kind_says_what_an_item_is_and_shows_it_escaped(name: str):
    kind = ITEM_KINDS[name]
    item = kind.from_row(ROWS_OF[name])

    assert kind.facets(item) == FACETS[name]
    assert kind.title(item).strip()
    assert (kind.size(item) > 0) == kind.has_sizes
    assert [*kind.facts(item)]
    assert all(text in canonical_json(item.to_json()) for text in kind.texts(item).values())
    assert "&lt;b&gt;" in kind.html(item)
    assert "<b>" not in kind.html(item)


def test_a_row_without_its_text_holds_no_word_of_it(name: str):
    kind = ITEM_KINDS[name]
    item = kind.from_row(ROWS_OF[name])

    bare = kind.without_text({**item.to_json(), "annotations": ["anything"]})

    assert not [text for text in kind.texts(item).values() if text in canonical_json(bare)]
    assert (bare["key"], bare["annotations"]) == (item.key, ["anything"])


def test_nothing_but_an_object_is_a_row(name: str):
    values: list[Json] = [None, [], 3, "text"]
    for value in values:
        with pytest.raises(InvalidInput, match="row: must be an object"):
            ITEM_KINDS[name].from_row(value)


def test_an_unknown_kind_is_named_with_those_that_are_known():
    with pytest.raises(UnknownPlugin, match="unknown kind of item 'films'; known: instance, rows, text"):
        ITEM_KINDS["films"]


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["It rained.", "123", "1e5", '{"a":  1}', "null", "true"])
def test_the_passage_is_read_from_the_database_by_itself(text: str):
    sample = Sample.objects.create(name="Texts", item_kind="text")
    rows: dict[str, Json] = {"text": {"text": text}, "rows": {"a": text, "n": 3}}
    for position, (name, row) in enumerate(rows.items()):
        kind = ITEM_KINDS[name]
        item = kind.from_row(row)
        fields = {"sample": sample, "position": position, "key": f"{position}", "group": item.group, "size": 0}
        member_row = SampledInstance.objects.create(**fields, type=name, value=item.to_json())

        (stored,) = SampledInstance.objects.filter(pk=member_row.pk).values_list(
            KT(f"value__{kind.passage_field}"), flat=True
        )

        assert kind.passage(stored) == text


@pytest.mark.django_db(transaction=True)
def test_going_back_before_longer_types_cuts_them():
    member = make_sample("Longer", size=1).members.get()
    SampledInstance.objects.filter(pk=member.pk).update(type="The weather paper of the hills")

    call_command("migrate", "corpus", "0005", stdout=io.StringIO())
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT type FROM corpus_sampledinstance WHERE id = %s", [member.pk])
            assert cursor.fetchone() == ("The weather ",)
    finally:
        call_command("migrate", stdout=io.StringIO())
    member.refresh_from_db()
    assert (member.type, member.value["key"]) == ("The weather ", member.key)
