"""The columns of a row that no kind of item knows by name, and what names a row: its key and its group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from corpus.frozen import group_field
from kernel.errors import InvalidInput
from kernel.json_fields import Row, kind_of, text_field
from kernel.values import canonical_json, storable

MOST_COLUMNS = 100
LONGEST_TEXT = 50_000  # characters: a passage, not a book
EXACT = 1e16  # floats from here on are whole numbers
Value: TypeAlias = str | int | float | bool


def named_once(names: Sequence[str]) -> list[str]:
    """Return the names in the first line of a CSV file; raise InvalidInput if one is empty or occurs twice."""
    columns = [name.strip() for name in names]
    if "" in columns:
        raise InvalidInput(f"line 1 has no name for column {columns.index('') + 1}", field="file")
    if twice := next((name for name in columns if columns.count(name) > 1), ""):
        raise InvalidInput(f"line 1 names the column “{twice}” twice", field="file")
    return columns


def values_of(row: Row) -> dict[str, Value]:
    """Return the columns that are not null, or raise InvalidInput for the first bad one."""
    values = {name: _value(row, name) for name in row if row[name] is not None}
    if len(values) > MOST_COLUMNS:
        raise InvalidInput(f"has {len(values)} columns; at most {MOST_COLUMNS} are kept")
    return values


def _value(row: Row, name: str) -> Value:
    if not name.strip():
        raise InvalidInput("has a column without a name")
    if storable(name) != name:
        raise InvalidInput("has a column whose name contains NUL characters or half of a character")
    value = row[name]
    if isinstance(value, float):
        return _number(value, name)
    if isinstance(value, int):  # also true and false
        return value
    if not isinstance(value, str):
        raise InvalidInput(f"must be text, a number, true or false, not {kind_of(value)}", field=name)
    if len(value) > LONGEST_TEXT:
        raise InvalidInput(f"must have at most {LONGEST_TEXT:,} characters", field=name)
    return text_field(row, name)


def _number(value: float, name: str) -> float | int:
    """Return the number as every database gives it back: PostgreSQL keeps no exponent and no negative zero."""
    if not math.isfinite(value):
        raise InvalidInput("must be a finite number", field=name)
    return int(value) if abs(value) >= EXACT else value or 0.0


def in_words(value: Value) -> str:
    return value if isinstance(value, str) else canonical_json(value)


def group_of(row: Row, key: str) -> str:
    """Return the row's group, by default its key; raise InvalidInput if the row has the key of other content."""
    if row.get("key") not in (None, key):
        raise InvalidInput("is not the hash of the row's content: remove the key, or restore the row", field="key")
    return key if row.get("group") is None else group_field(row)
