"""Rows of a table: named texts and values, stored as they came. The corpus README documents the columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

from corpus.display import Shown
from corpus.items.base import WrittenField, hashed, shortened, single_spaced
from corpus.items.columns import LONGEST_TEXT, Value, group_of, in_words, named_once, values_of
from corpus.items.label_studio import is_task, row_of_task
from corpus.items.marks import is_marks, with_kept_marks
from kernel.errors import InvalidInput
from kernel.fields import Field, Fields
from kernel.json_fields import Row, object_value
from kernel.values import Json, content_hash

SCHEMA = 1
IDENTITY = ("key", "group")  # columns that are no content
EXPORTED = {"schema", "key", "group", "columns", "order"}  # the fields of an export
DESCRIBED: Fields = (
    Field("key", "identity of the row: the hash of its columns"),
    Field("group", "overlap group: rows of one group must not be split apart"),
)
ORDER = Field("order", "the names of its columns, in the order of the file", many=True)
TITLES = ("title", "name")
ABOUT = (*TITLES, "source")  # columns that do not tell whether two rows say the same
FACET = "facet"
COLUMN = "column."  # begins the name of a column's field in a form


@dataclass(frozen=True)
class FrozenRow:
    """A row of a table."""

    key: str
    group: str
    columns: Mapping[str, Value]  # in the order of the file

    def to_json(self) -> dict[str, Json]:
        columns: dict[str, Json] = {**self.columns}
        order: list[Json] = [*self.columns]  # PostgreSQL keeps no order of the columns
        return {"schema": SCHEMA, "key": self.key, "group": self.group, "columns": columns, "order": order}


class RowKind:
    name: ClassVar[str] = "rows"
    singular: ClassVar[str] = "row"
    plural: ClassVar[str] = "rows"
    suffixes: ClassVar[Sequence[str]] = (".jsonl", ".csv", ".json")
    has_sizes: ClassVar[bool] = False
    is_drawn: ClassVar[bool] = False
    passage_field: ClassVar[str] = "columns"

    def header(self, names: Sequence[str]) -> list[str]:
        return named_once(names)

    def from_cells(self, cells: Mapping[str, str]) -> Json:
        return {name: cell for name, cell in cells.items() if cell or name not in IDENTITY}

    def from_row(self, value: Json) -> FrozenRow:
        """Return the row with its columns as they came, or raise InvalidInput for the first bad one."""
        row = object_value(value, "row")
        columns = values_of(with_kept_marks(_content(row_of_task(row) if is_task(row) else row)))
        if not any(not isinstance(own, str) or own.strip() for own in columns.values()):
            raise InvalidInput("is empty")
        key = content_hash({**columns})
        return FrozenRow(key, group_of(row, key), columns)

    def thaw(self, value: Mapping[str, Any]) -> FrozenRow:
        return FrozenRow(value["key"], value["group"], {name: value["columns"][name] for name in value["order"]})

    def size(self, item: FrozenRow) -> int:
        return 0

    def facets(self, item: FrozenRow) -> Mapping[str, str]:
        facet = in_words(item.columns.get(FACET, ""))
        return {FACET: facet} if facet else {}

    def facts(self, item: FrozenRow) -> Mapping[str, str]:
        return {"Facet": self.facets(item).get(FACET, "")}

    def texts(self, item: FrozenRow) -> Mapping[str, str]:
        return {name: own for name, own in item.columns.items() if isinstance(own, str)}

    def passage(self, value: str) -> str:
        return "\n\n".join(own for own in json.loads(value).values() if isinstance(own, str))

    def wording(self, value: str, names: Sequence[str]) -> str:
        columns = {name: in_words(own) for name, own in json.loads(value).items() if own is not None}
        read = {name: columns[name] for name in names or sorted(columns) if name in columns}
        words = {name: own for name, own in read.items() if name.lower() not in ABOUT and not is_marks(own)} or read
        return single_spaced(" ".join(words.values()))

    def title(self, item: FrozenRow) -> str:
        named = [in_words(item.columns[name]) for name in TITLES if name in item.columns]
        titles = (*named, *self.texts(item).values(), *map(in_words, item.columns.values()))
        return shortened(next(filter(str.strip, titles)))

    def show(self, item: FrozenRow) -> Shown:
        return Shown(html=self.html(item))

    def html(self, item: FrozenRow) -> str:
        pairs = ((escape(name), escape(in_words(own))) for name, own in item.columns.items())
        columns = "".join(f'<dt>{name}</dt><dd class="wraps">{own}</dd>' for name, own in pairs)
        return f'<dl class="named-texts">{columns}</dl>'

    def columns(self, row: Mapping[str, Any]) -> Mapping[str, Value]:
        return {name: row["columns"][name] for name in row["order"]}

    def fields(self, columns: Fields = ()) -> Fields:
        own = [Field("columns", "the columns of the row; null: it does not have this one", fields=columns)]
        return (*DESCRIBED, *(own if columns else []), ORDER)

    def without_text(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row without the words of any column: the key alone finds them in somebody's own copy."""
        columns = {name: hashed(own) if isinstance(own, str) else own for name, own in row["columns"].items()}
        return {**row, "columns": columns}

    def written_fields(self, columns: Sequence[str]) -> Sequence[WrittenField]:
        labels = {name: f"{name[:1].upper()}{name[1:]}" for name in columns}
        return [WrittenField(f"{COLUMN}{name}", label, lines=3, longest=LONGEST_TEXT) for name, label in labels.items()]

    def as_written(self, item: FrozenRow) -> Mapping[str, str]:
        return {f"{COLUMN}{name}": in_words(own) for name, own in item.columns.items()}

    def from_written(self, form: Mapping[str, str], like: FrozenRow | None = None) -> FrozenRow:
        """Return the row; a value that was not changed keeps its type."""
        before = like.columns if like else {}
        filled = {name.removeprefix(COLUMN): text for name, text in form.items() if text}
        if not filled:
            raise InvalidInput("write at least one text", field=next(iter(form), ""))
        is_same = {name: in_words(own).strip() == filled.get(name) for name, own in before.items()}
        return self.from_row({name: before[name] if is_same.get(name) else text for name, text in filled.items()})


def _content(row: Row) -> Row:
    """Return the columns of a row from a file or of an export, in their order, without its key and group."""
    columns, order = row.get("columns"), row.get("order")
    if isinstance(columns, dict) and isinstance(order, list) and row.keys() <= EXPORTED:
        if row.get("schema") != SCHEMA:
            raise InvalidInput(f"must be {SCHEMA}, the only one this version reads", field="schema")
        ordered = [name for name in order if isinstance(name, str) and name in columns]
        return {name: columns[name] for name in dict.fromkeys([*ordered, *columns])}
    return {name: own for name, own in row.items() if name not in IDENTITY}


ROWS = RowKind()
