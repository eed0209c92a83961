"""A column of a table has the narrowest type that keeps all its values; where none does, they become text."""

from __future__ import annotations

import pytest

from corpus.items.column_types import ColumnTypes, fields_of
from corpus.items.columns import Value
from kernel.fields import DECIMAL, NUMBER, TEXT, TRUTH, Field, as_described


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([True, False], TRUTH),
        ([1, 2**63 - 1], NUMBER),
        ([1, 2.5, 10**17], DECIMAL),
        ([10**300], TEXT),
        ([int(1e300), 0.5], DECIMAL),
        ([10**400], TEXT),
        ([2**53 + 1, 0.5], TEXT),
        ([True, 1], TEXT),
        ([1, "one"], TEXT),
    ],
)
def test_a_type_fits_every_value_of_its_column(values: list[Value], type_: str):
    types = ColumnTypes()
    for value in values:
        types.add({"own": value})

    assert types.to_json() == [{"name": "own", "type": type_}]
    assert [field.type for field in fields_of([{"name": "own", "type": type_}])] == [type_]


def test_columns_come_in_the_order_in_which_they_first_occur():
    types = ColumnTypes()
    types.add({"b": 1, "a": 2})
    types.add({"c": 1, "a": 2})

    assert [field.name for field in fields_of([{"name": name, "type": TEXT} for name in types.types])] == [
        "b",
        "a",
        "c",
    ]


@pytest.mark.parametrize(
    ("value", "field", "described"),
    [
        (4, Field("own", "", TEXT), "4"),
        (True, Field("own", "", TEXT), "true"),
        (10**17, Field("own", "", DECIMAL), 1e17),
        (None, Field("own", "", TEXT), None),
        ([1, "b"], Field("own", "", TEXT, many=True), ["1", "b"]),
        ({"a": 1, "b": 1}, Field("own", "", fields=(Field("a", ""),)), {"a": "1", "b": 1}),
    ],
)
def test_a_value_is_written_as_its_field_describes_it(value: object, field: Field, described: object):
    written = as_described(value, field)

    assert (written, type(written)) == (described, type(described))
