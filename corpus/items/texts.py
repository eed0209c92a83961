"""Plain texts, and where they come from. The corpus README documents the fields; only `text` is required."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import Any, ClassVar

from corpus.contexts import PARAGRAPH_BREAK
from corpus.display import Shown
from corpus.frozen import SCHEMA, group_field
from corpus.items.base import day, hashed, shortened
from corpus.sources.texts import clean, paragraphs_of
from kernel.errors import InvalidInput
from kernel.json_fields import date_field, object_value, text_field
from kernel.values import Json, content_hash

MAX_TEXT = 50_000  # characters: a passage, not a book


@dataclass(frozen=True)
class FrozenText:
    """A plain text, and where it comes from."""

    key: str
    group: str
    title: str
    text: str
    source: str
    date: date | None

    def to_json(self) -> dict[str, Json]:
        return {"schema": SCHEMA, **vars(self), "date": self.date.isoformat() if self.date else None}


class TextKind:
    name: ClassVar[str] = "text"
    singular: ClassVar[str] = "text"
    plural: ClassVar[str] = "texts"
    suffixes: ClassVar[Sequence[str]] = (".jsonl",)
    has_sizes: ClassVar[bool] = False
    is_drawn: ClassVar[bool] = False
    passage_field: ClassVar[str] = "text"

    def header(self, names: Sequence[str]) -> list[str]:
        return [*names]

    def from_cells(self, cells: Mapping[str, str]) -> Json:
        return dict(cells)

    def from_row(self, value: Json) -> FrozenText:
        """Return the text of a row, or raise InvalidInput for the first bad field. Unknown fields are ignored."""
        row = object_value(value, "row")
        if row.get("schema", SCHEMA) != SCHEMA:
            raise InvalidInput(f"must be {SCHEMA}, the only one this version reads", field="schema")
        text = PARAGRAPH_BREAK.join(paragraphs_of(text_field(row, "text", is_required=True).splitlines()))
        if len(text) > MAX_TEXT:
            raise InvalidInput(f"must have at most {MAX_TEXT:,} characters", field="text")
        title, source = (clean(text_field(row, field)) for field in ("title", "source"))
        key = content_hash({"source": source, "title": title, "text": text})
        if row.get("key") not in (None, key):
            raise InvalidInput("is not the hash of the row's content: remove the key, or restore the row", field="key")
        group = key if row.get("group") is None else group_field(row)
        return FrozenText(key, group, title, text, source, date_field(row, "date"))

    def thaw(self, value: Mapping[str, Any]) -> FrozenText:
        fields = {name: value[name] for name in FrozenText.__dataclass_fields__}
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

    def title(self, item: FrozenText) -> str:
        return item.title or shortened(item.text)

    def show(self, item: FrozenText) -> Shown:
        return Shown(html=self.html(item))

    def html(self, item: FrozenText) -> str:
        title = f'<h2 class="passage__title">{escape(item.title)}</h2>' if item.title else ""
        return f'<div class="passage">{title}<p class="wraps">{escape(item.text)}</p></div>'

    def without_text(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {**row, "title": hashed(row["title"]), "text": hashed(row["text"])}


TEXT = TextKind()
