"""Reading JSON lines that this product wrote: errors name the file, the line and the field.

Unlike in `corpus/json_fields.py`, which reads files from people, no field may be missing unless there is a default.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json, storable


@dataclass(frozen=True, slots=True)
class Row:
    """One JSON object, and its place for error messages."""

    value: Mapping[str, Json]
    where: str

    def fail(self, problem: str) -> InvalidInput:
        return InvalidInput(problem, where=self.where)

    def text(self, name: str, default: str | None = None) -> str:
        value = self.value.get(name, default)
        if not isinstance(value, str):
            raise self.fail(f"{name!r} must be a text")
        return self._storable(value, name)

    def _storable(self, text: str, name: str) -> str:
        if storable(text) != text:
            raise self.fail(f"{name!r} contains a NUL or half of a character")
        return text

    def optional_text(self, name: str) -> str | None:
        return None if self.value.get(name) is None else self.text(name)

    def integer(self, name: str, default: int | None = None) -> int:
        value = self.value.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fail(f"{name!r} must be a whole number")
        return value

    def items(self, name: str, default: list[Json] | None = None) -> list[Json]:
        value = self.value.get(name, default)
        if not isinstance(value, list):
            raise self.fail(f"{name!r} must be a list")
        return value

    def texts(self, name: str, default: list[Json] | None = None) -> tuple[str, ...]:
        value = self.items(name, default)
        if not all(isinstance(item, str) for item in value):
            raise self.fail(f"{name!r} must be a list of texts")
        return tuple(self._storable(text, name) for text in cast("list[str]", value))

    def rows(self, name: str, default: list[Json] | None = None) -> list[Row]:
        return [self._inner(item, name) for item in self.items(name, default)]

    def row(self, name: str) -> Row:
        return self._inner(self.value.get(name), name)

    def _inner(self, value: Json, name: str) -> Row:
        if not isinstance(value, dict):
            raise self.fail(f"{name!r} must hold objects")
        return Row(value, f"{self.where}, {name}")

    def check_schema(self, known: int) -> None:
        value = self.value.get("schema")
        if value != known:
            raise self.fail(f"schema {value!r} is unknown: this version reads schema {known}")


def read_rows(lines: Iterable[str], *, name: str) -> Iterator[Row]:
    """Yield one Row per line that is not blank; `name` is the file's name in error messages."""
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
        if not isinstance(value, dict):
            raise InvalidInput("each line must hold one JSON object", where=where)
        yield Row(value, where)
