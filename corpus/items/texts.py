"""Plain texts, and where they come from. The corpus README documents the fields; only `text` is required.

A text is stored as it came, so that offsets into it hold (schema 2). Texts of schema 1 were cleaned before they were
stored, and their exports still are: they keep their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from typing import Any, ClassVar

from corpus.contexts import PARAGRAPH_BREAK
from corpus.display import Shown
from corpus.items.base import WrittenField, day, hashed, shortened, single_spaced
from corpus.items.columns import LONGEST_TEXT, Value, group_of, named_once, values_of
from corpus.sources.texts import clean, paragraphs_of
from kernel.errors import InvalidInput
from kernel.fields import Field, Fields
from kernel.json_fields import Row, date_field, object_value, text_field
from kernel.values import Json, content_hash

CLEANED, VERBATIM = 1, 2  # schemas
SCHEMAS: Mapping[Json, int] = {"1": CLEANED, "2": VERBATIM}
DESCRIBED: Fields = (
    Field("key", "identity of the item: the hash of what it says"),
    Field("group", "overlap group: items of one group must not be split apart"),
    Field("title", "title of the text"),
    Field("text", "the text, character for character"),
    Field("source", "where it comes from"),
    Field("date", "its day, if it is known"),
)
FIELDS = ("schema", "key", "group", "title", "text", "source", "date", "extra")


@dataclass(frozen=True)
class FrozenText:
    """A plain text, and where it comes from."""

    key: str
    group: str
    title: str
    text: str
    source: str
    date: date | None
    extra: Mapping[str, Value] = field(default_factory=dict, hash=False)  # other columns of its row; no part of the key
    schema: int = VERBATIM

    def to_json(self) -> dict[str, Json]:
        value: dict[str, Json] = {**vars(self), "date": self.date.isoformat() if self.date else None}
        extra: dict[str, Json] = {**self.extra}
        return value | {"extra": extra} if extra else {name: own for name, own in value.items() if name != "extra"}


class TextKind:
    name: ClassVar[str] = "text"
    singular: ClassVar[str] = "text"
    plural: ClassVar[str] = "texts"
    suffixes: ClassVar[Sequence[str]] = (".jsonl", ".csv")
    has_sizes: ClassVar[bool] = False
    is_drawn: ClassVar[bool] = False
    passage_field: ClassVar[str] = "text"

    def header(self, names: Sequence[str]) -> list[str]:
        columns = named_once([low if (low := name.strip().lower()) in FIELDS else name for name in names])
        if "text" not in columns:
            raise InvalidInput("the first line must name the columns; missing: text", field="file")
        return columns

    def from_cells(self, cells: Mapping[str, str]) -> Json:
        row: dict[str, Json] = {name: cell for name, cell in cells.items() if cell.strip()}
        return row | ({"schema": SCHEMAS.get(row["schema"], row["schema"])} if "schema" in row else {})

    def from_row(self, value: Json) -> FrozenText:
        """Return the text of a row, or raise InvalidInput for the first bad field."""
        row = object_value(value, "row")
        schema = _schema(row)
        text, title, source = (_cleaned if schema == CLEANED else _verbatim)(row)
        if len(text) > LONGEST_TEXT:
            raise InvalidInput(f"must have at most {LONGEST_TEXT:,} characters", field="text")
        key = content_hash({"source": source, "title": title, "text": text})
        extra = _extra(row) if schema == VERBATIM else {}
        return FrozenText(key, group_of(row, key), title, text, source, date_field(row, "date"), extra, schema)

    def thaw(self, value: Mapping[str, Any]) -> FrozenText:
        fields = {name: value[name] for name in FrozenText.__dataclass_fields__ if name in value}
        return FrozenText(**{**fields, "date": date.fromisoformat(value["date"]) if value["date"] else None})

    def size(self, item: FrozenText) -> int:
        return 0

    def facets(self, item: FrozenText) -> Mapping[str, str]:
        return {"source": item.source} if item.source else {}

    def facts(self, item: FrozenText) -> Mapping[str, str]:
        return {"Source": item.source, "Date": day(item.date)}

    def texts(self, item: FrozenText) -> Mapping[str, str]:
        return {"title": item.title, "text": item.text} if item.title else {"text": item.text}

    def passage(self, value: str) -> str:
        return value

    def wording(self, value: str, names: Sequence[str]) -> str:
        return single_spaced(value)

    def title(self, item: FrozenText) -> str:
        return item.title or shortened(item.text)

    def show(self, item: FrozenText) -> Shown:
        return Shown(html=self.html(item))

    def html(self, item: FrozenText) -> str:
        title = f'<h2 class="passage__title">{escape(item.title)}</h2>' if item.title else ""
        return f'<div class="passage">{title}<p class="wraps">{escape(item.text)}</p></div>'

    def columns(self, row: Mapping[str, Any]) -> Mapping[str, Value]:
        extra: Mapping[str, Value] = row.get("extra", {})
        return extra

    def fields(self, columns: Fields = ()) -> Fields:
        extra = [Field("extra", "other columns of its row", fields=columns)] if columns else []
        return (*DESCRIBED, *extra)

    def without_text(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row without its words, also those of other columns, which may repeat the text."""
        bare = {**row, "title": hashed(row["title"]), "text": hashed(row["text"])}
        extra = {name: hashed(own) if isinstance(own, str) else own for name, own in row.get("extra", {}).items()}
        return bare | {"extra": extra} if extra else bare

    def written_fields(self, columns: Sequence[str]) -> Sequence[WrittenField]:
        return [WrittenField("title", "Title (optional)"), WrittenField("text", "Text", lines=8, longest=LONGEST_TEXT)]

    def as_written(self, item: FrozenText) -> Mapping[str, str]:
        return {"title": item.title, "text": item.text}

    def from_written(self, form: Mapping[str, str], like: FrozenText | None = None) -> FrozenText:
        kept: dict[str, Json] = {"source": like.source, **like.extra} if like else {}
        return self.from_row({**kept, **form})


def _schema(row: Row) -> int:
    schema = row.get("schema")
    if schema is None:
        return VERBATIM
    if not isinstance(schema, int) or isinstance(schema, bool) or schema not in (CLEANED, VERBATIM):
        raise InvalidInput(f"must be {CLEANED} or {VERBATIM}, which this version reads", field="schema")
    return schema


def _cleaned(row: Row) -> tuple[str, str, str]:
    """Return text, title and source as they were stored in schema 1: single-spaced, in one Unicode form."""
    text = PARAGRAPH_BREAK.join(paragraphs_of(text_field(row, "text", is_required=True).splitlines()))
    return text, clean(text_field(row, "title")), clean(text_field(row, "source"))


def _verbatim(row: Row) -> tuple[str, str, str]:
    return text_field(row, "text", is_required=True), text_field(row, "title"), text_field(row, "source")


def _extra(row: Row) -> dict[str, Value]:
    """Return the columns that a text has no field for; in an export they are the object `extra`."""
    exported = row.get("extra")
    columns = {name: own for name, own in row.items() if name not in FIELDS}
    return values_of({**exported, **columns} if isinstance(exported, dict) else {**columns, "extra": exported})


TEXT = TextKind()
