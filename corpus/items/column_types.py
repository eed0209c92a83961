"""The types of the columns that rows bring along: known only when all rows have been read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from corpus.items.columns import Value
from kernel.fields import DECIMAL, NUMBER, TEXT, TRUTH, Field, Fields
from kernel.values import Json

TYPES = (TRUTH, NUMBER, DECIMAL, TEXT)  # a column has the first that all its values fit
ABOUT = "column of the imported file"
LARGEST = 2**63  # whole numbers of tables stay below it


class ColumnTypes:
    """Collects the columns of rows in the order in which they first occur, and the types that all their values fit."""

    def __init__(self) -> None:
        self.types: dict[str, frozenset[str]] = {}

    def add(self, columns: Mapping[str, Value]) -> None:
        for name, value in columns.items():
            self.types[name] = self.types.get(name, frozenset(TYPES)) & _fitting(value)

    def to_json(self) -> list[Json]:
        return [
            {"name": name, "type": next(type_ for type_ in TYPES if type_ in types)}
            for name, types in self.types.items()
        ]


def fields_of(columns: Iterable[Mapping[str, Any]]) -> Fields:
    """Return the fields of columns from what `ColumnTypes.to_json` returned."""
    return tuple(Field(column["name"], ABOUT, column["type"]) for column in columns)


def _fitting(value: Value) -> frozenset[str]:
    """Return the types that keep a value as it is, and text, which every value has."""
    if isinstance(value, bool):
        return frozenset((TRUTH, TEXT))
    if isinstance(value, float):
        return frozenset((DECIMAL, TEXT))
    if isinstance(value, str):
        return frozenset((TEXT,))
    number = [NUMBER] if -LARGEST <= value < LARGEST else []
    is_exact = abs(value) <= sys.float_info.max and float(value) == value
    return frozenset((*number, *([DECIMAL] if is_exact else []), TEXT))
