"""Reading JSON lines: errors name the file, the line and the field. `kernel/json_fields.py` reads the fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kernel.errors import InvalidInput
from kernel.json_fields import Row, object_value


@contextmanager
def located(where: str) -> Iterator[None]:
    """Add the place to the errors of a block."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(error.message, where=where) from error


def check_schema(row: Row, known: int) -> None:
    value = row.get("schema")
    if value != known:
        raise InvalidInput(f"schema {value!r} is unknown: this version reads schema {known}")


def read_rows(lines: Iterable[str], *, name: str) -> Iterator[tuple[str, Row]]:
    """Yield the place and the object of each line that is not blank; `name` is the file's name in error messages."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            value = json.loads(line)
        except ValueError as error:
            raise InvalidInput(f"this is not JSON ({error})", where=where) from error
        except RecursionError as error:
            raise InvalidInput("this JSON is nested too deeply", where=where) from error
        with located(where):
            row = object_value(value, "line")
        yield where, row
