"""Columns of tables: what dataset cards, parquet files and Croissant files say about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from kernel.values import canonical_json

TEXT, NUMBER, DECIMAL, TRUTH, DATE = "string", "int64", "float64", "bool", "date"


@dataclass(frozen=True)
class Field:
    """A column: its type, or the fields of the objects that it holds; `many`: a list of them.

    `classes` are the names behind the numbers of a column.
    """

    name: str
    about: str
    type: str = TEXT
    fields: tuple[Field, ...] = ()
    many: bool = False
    classes: tuple[str, ...] = ()


Fields: TypeAlias = tuple[Field, ...]


def as_described(value: Any, field: Field) -> Any:
    """Return a value as its field describes it: a number in a column of texts becomes text, a whole number in a column
    of decimals a decimal. Everything else stays."""
    if value is None:
        return None
    if field.many and isinstance(value, list):
        single = Field(field.name, field.about, field.type, field.fields)
        return [as_described(own, single) for own in value]
    if field.fields:
        return row_as_described(value, field.fields) if isinstance(value, dict) else value
    if field.type == DECIMAL and isinstance(value, int):
        return float(value)
    return canonical_json(value) if field.type == TEXT and not isinstance(value, str) else value


def row_as_described(row: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """Return a row with its values as their fields describe them; values without a field stay."""
    return {**row, **{field.name: as_described(row[field.name], field) for field in fields if field.name in row}}
