"""Reading the fields of a JSON object that somebody else wrote: the value, or InvalidInput that names the field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TypeAlias

from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json

Row: TypeAlias = Mapping[str, Json]
MOST_NUMBER = 2**63
_KINDS = {bool: "true or false", str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}


def kind_of(value: Json) -> str:
    """Return what a value is, in words."""
    return _KINDS.get(type(value), "null")


def an_object(value: Json, field: str = "") -> Row:
    if not isinstance(value, dict):
        raise InvalidInput(f"must be an object, not {kind_of(value)}", field=field)
    return value


def a_list(row: Row, field: str) -> list[Json]:
    value = row.get(field)
    if not isinstance(value, list):
        raise InvalidInput(f"must be a list, not {kind_of(value)}", field=field)
    return value


def a_text(row: Row, field: str, *, within: str = "", is_needed: bool = False) -> str:
    """Return the text, "" where there is none and none is needed."""
    value, path = row.get(field), _path(within, field)
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise InvalidInput(f"must be text, not {kind_of(value)}", field=path)
    if is_needed and not value.strip():
        raise InvalidInput("must be a text that is not empty", field=path)
    _refuse_odd_characters(value, path)
    return value


def one_of(row: Row, field: str, known: list[str], *, within: str = "") -> str:
    value = a_text(row, field, within=within)
    if value not in known:
        told = repr(value[:40]) if value else "empty"
        raise InvalidInput(f"must be one of {', '.join(known)}, not {told}", field=_path(within, field))
    return value


def a_number(row: Row, field: str, *, within: str = "") -> int | None:
    """Return the whole number that is not negative, None where there is none."""
    value = row.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST_NUMBER:
        raise InvalidInput("must be a whole number that is not negative", field=_path(within, field))
    return value


def a_date(row: Row, field: str, *, within: str = "") -> date | None:
    value = a_text(row, field, within=within)
    try:
        return date.fromisoformat(value) if value else None
    except ValueError as error:
        problem = f"must be a date like 1999-12-31, not {value[:40]!r}"
        raise InvalidInput(problem, field=_path(within, field)) from error


def an_address(row: Row, field: str, *, within: str = "") -> str:
    value = a_text(row, field, within=within)
    if value and not value.lower().startswith(("https://", "http://")):
        raise InvalidInput("must begin with http:// or https://", field=_path(within, field))
    return value


def _path(within: str, field: str) -> str:
    return f"{within}.{field}" if within else field


def _refuse_odd_characters(text: str, field: str) -> None:
    if "\x00" in text:
        raise InvalidInput("holds NUL characters", field=field)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("holds half of a character (a lone surrogate)", field=field) from error
