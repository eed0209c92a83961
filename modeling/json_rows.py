"""Reading JSON lines that others wrote: each field is checked, and a bad one says which line and what to do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json, storable


@dataclass(frozen=True, slots=True)
class Row:
    """One JSON object and the place it came from."""

    value: Mapping[str, Json]
    where: str

    def fail(self, problem: str) -> InvalidInput:
        return InvalidInput(problem, where=self.where)

    def text(self, name: str, default: str | None = None) -> str:
        found = self.value.get(name, default)
        if not isinstance(found, str):
            raise self.fail(f"{name!r} must be a text")
        return self._storable(found, name)

    def _storable(self, text: str, name: str) -> str:
        if storable(text) != text:
            raise self.fail(f"{name!r} holds a NUL or half of a character")
        return text

    def optional_text(self, name: str) -> str | None:
        return None if self.value.get(name) is None else self.text(name)

    def integer(self, name: str, default: int | None = None) -> int:
        found = self.value.get(name, default)
        if not isinstance(found, int) or isinstance(found, bool):
            raise self.fail(f"{name!r} must be a whole number")
        return found

    def items(self, name: str, default: list[Json] | None = None) -> list[Json]:
        found = self.value.get(name, default)
        if not isinstance(found, list):
            raise self.fail(f"{name!r} must be a list")
        return found

    def texts(self, name: str, default: list[Json] | None = None) -> tuple[str, ...]:
        found = self.items(name, default)
        if not all(isinstance(one, str) for one in found):
            raise self.fail(f"{name!r} must be a list of texts")
        return tuple(self._storable(text, name) for text in cast("list[str]", found))

    def rows(self, name: str, default: list[Json] | None = None) -> list[Row]:
        return [self._inner(one, name) for one in self.items(name, default)]

    def row(self, name: str) -> Row:
        return self._inner(self.value.get(name), name)

    def _inner(self, value: Json, name: str) -> Row:
        if not isinstance(value, dict):
            raise self.fail(f"{name!r} must hold objects")
        return Row(value, f"{self.where}, {name}")

    def check_schema(self, known: int) -> None:
        found = self.value.get("schema")
        if found != known:
            raise self.fail(f"schema {found!r} is not known here (this version reads schema {known})")


def read_rows(lines: Iterable[str], *, name: str) -> Iterator[Row]:
    """Yield one Row per line that is not blank; `name` is the file as people know it."""
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
