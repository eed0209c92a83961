"""Reading the fields of a JSON object from outside: a function returns the value or raises InvalidInput."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeAlias

from kernel.errors import InvalidInput
from kernel.values import Json, storable

Row: TypeAlias = Mapping[str, Json]
MOST_NUMBER = 2**63
_KINDS = {bool: "true or false", str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}


def kind_of(value: Json) -> str:
    """Return the kind of a value in words."""
    return _KINDS.get(type(value), "null")


def object_value(value: Json, field: str) -> Row:
    if not isinstance(value, dict):
        raise InvalidInput(f"must be an object, not {kind_of(value)}", field=field)
    return value


def list_field(row: Row, field: str) -> list[Json]:
    value = row.get(field)
    if not isinstance(value, list):
        raise InvalidInput(f"must be a list, not {kind_of(value)}", field=field)
    return value


def object_list(row: Row, field: str) -> list[Row]:
    return [object_value(value, f"{field}[{number}]") for number, value in enumerate(list_field(row, field))]


def texts_field(row: Row, field: str) -> tuple[str, ...]:
    """Return a list of texts, which every database can store."""
    return tuple(text_field({field: value}, field) for value in list_field(row, field))


def raw_text_field(row: Row, field: str, *, within: str = "") -> str:
    """Return the text with whatever characters it contains; "" for null or a missing field."""
    value = row.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(f"must be text, not {kind_of(value)}", field=_path(within, field))
    return value


def text_field(row: Row, field: str, *, within: str = "", is_required: bool = False) -> str:
    """Return the text, which every database can store; "" for null or a missing field that is not required."""
    value, path = raw_text_field(row, field, within=within), _path(within, field)
    if is_required and not value.strip():
        raise InvalidInput("must not be empty", field=path)
    if "\x00" in value:
        raise InvalidInput("contains NUL characters", field=path)
    if storable(value) != value:
        raise InvalidInput("contains half of a character (a lone surrogate)", field=path)
    return value


def choice_field(row: Row, field: str, choices: Sequence[str], *, within: str = "") -> str:
    value = text_field(row, field, within=within)
    if value not in choices:
        actual = repr(value[:40]) if value else "empty"
        raise InvalidInput(f"must be one of {', '.join(choices)}, not {actual}", field=_path(within, field))
    return value


def number_field(row: Row, field: str, *, within: str = "") -> int | None:
    """Return a whole number from 0 on; None for null or a missing field."""
    value = row.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST_NUMBER:
        raise InvalidInput("must be a whole number that is not negative", field=_path(within, field))
    return value


def date_field(row: Row, field: str, *, within: str = "") -> date | None:
    value = text_field(row, field, within=within)
    try:
        return date.fromisoformat(value) if value else None
    except ValueError as error:
        raise not_a_date(value, _path(within, field)) from error


def not_a_date(value: str, field: str) -> InvalidInput:
    return InvalidInput(f"must be a date like 1999-12-31, not {value[:40]!r}", field=field)


def url_field(row: Row, field: str, *, within: str = "") -> str:
    value = text_field(row, field, within=within)
    if value and not value.lower().startswith(("https://", "http://")):
        raise InvalidInput("must begin with http:// or https://", field=_path(within, field))
    return value


def _path(within: str, field: str) -> str:
    return f"{within}.{field}" if within else field
