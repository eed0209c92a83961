"""A field of a released table: one description for the dataset card, the parquet schema and the Croissant file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

TEXT, NUMBER, TRUTH, DATE = "string", "int64", "bool", "date"


@dataclass(frozen=True)
class Field:
    """A column: its type, or the fields of the objects it holds; `many`: a list of them."""

    name: str
    about: str
    type: str = TEXT
    fields: tuple[Field, ...] = ()
    many: bool = False


Fields: TypeAlias = tuple[Field, ...]
