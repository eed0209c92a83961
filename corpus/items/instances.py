"""Instances: two to six entities of one type, a passage that mentions them all, and their backgrounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, ClassVar

from corpus import instance_rows
from corpus.display import Shown, show
from corpus.frozen import FrozenInstance
from corpus.highlights import pieces_html
from corpus.items import written_instances
from corpus.items.base import WrittenField, day, hashed, single_spaced
from corpus.items.columns import Value
from kernel.errors import InvalidInput
from kernel.fields import DATE, NUMBER, Field, Fields
from kernel.values import Json

NEEDED = ("entities", "entity_type", "context")
MENTION = (
    Field("entity", "position in entities, from 0", NUMBER),
    Field("start", "first character in the context", NUMBER),
    Field("end", "behind the last character in the context", NUMBER),
)
BACKGROUND = (
    Field("title", "title of the page"),
    Field("text", "its first paragraph"),
    Field("url", "its address"),
    Field("licence", "licence of the text"),
    Field("status", "how the page was chosen"),
    Field("source", "where it was looked up"),
    Field("page_id", "the source's id of the page", NUMBER),
    Field("revision_id", "the source's id of the revision", NUMBER),
    Field("retrieved", "day it was looked up", DATE),
)
FIELDS = (
    Field("key", "identity of the instance: the hash of what it says"),
    Field("group", "overlap group: instances of one group must not be split apart"),
    Field("corpus", "name of the corpus"),
    Field("article_id", "the publisher's id of the article"),
    Field("date", "day the article was published", DATE),
    Field("entity_type", "person, location or organization"),
    Field("entities", "names of the entities, in the order of their first mention", many=True),
    Field("kind", "content or abstract: where the context stands"),
    Field("title", "title of the article"),
    Field("context", "the passage that mentions all entities"),
    Field("mentions", "where the context mentions the entities", fields=MENTION, many=True),
    Field("backgrounds", "the background of each entity; null: none", fields=BACKGROUND, many=True),
)


class InstanceKind:
    name: ClassVar[str] = "instance"
    singular: ClassVar[str] = "instance"
    plural: ClassVar[str] = "instances"
    suffixes: ClassVar[Sequence[str]] = (".jsonl", ".csv")
    has_sizes: ClassVar[bool] = True
    is_drawn: ClassVar[bool] = True
    passage_field: ClassVar[str] = "context"

    def header(self, names: Sequence[str]) -> list[str]:
        columns = [name.strip().lower() for name in names]
        if missing := [name for name in NEEDED if name not in columns]:
            raise InvalidInput(f"the first line must name the columns; missing: {', '.join(missing)}", field="file")
        return columns

    def from_cells(self, cells: Mapping[str, str]) -> Json:
        return instance_rows.row_of(cells)

    def from_row(self, value: Json) -> FrozenInstance:
        return instance_rows.instance_of(value)

    def thaw(self, value: Mapping[str, Any]) -> FrozenInstance:
        return FrozenInstance.thaw(value)

    def size(self, item: FrozenInstance) -> int:
        return item.size

    def facets(self, item: FrozenInstance) -> Mapping[str, str]:
        return {"type": item.entity_type}

    def facts(self, item: FrozenInstance) -> Mapping[str, str]:
        names_from = {"Names from": item.names_from} if item.names_from else {}
        return {"Article": item.article_id, "Date": day(item.date), "Taken from": item.kind, **names_from}

    def texts(self, item: FrozenInstance) -> Mapping[str, str]:
        return {"title": item.title, "context": item.context} if item.title else {"context": item.context}

    def passage(self, value: str) -> str:
        return value

    def wording(self, value: str, names: Sequence[str]) -> str:
        return single_spaced(value)

    def title(self, item: FrozenInstance) -> str:
        return ", ".join(item.entities)

    def show(self, item: FrozenInstance) -> Shown:
        return show(item)

    def html(self, item: FrozenInstance) -> str:
        shown = show(item)
        title = f'<h2 class="passage__title">{escape(shown.title)}</h2>' if shown.title else ""
        text = "".join(f"<p>{pieces_html(pieces)}</p>" for pieces in shown.paragraphs)
        cards = "".join(f"<dt>{escape(c.name)}</dt><dd>{escape(c.text)}</dd>" for c in shown.cards if c.text)
        backgrounds = f'<dl class="named-texts">{cards}</dl>' if cards else ""
        return f'<div class="passage">{title}{text}</div>{backgrounds}'

    def columns(self, row: Mapping[str, Any]) -> Mapping[str, Value]:
        return {}

    def fields(self, columns: Fields = ()) -> Fields:
        return FIELDS

    def without_text(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row without the article's words; backgrounds have licences of their own and stay."""
        return {**row, "title": hashed(row["title"]), "context": hashed(row["context"])}

    def written_fields(self, columns: Sequence[str]) -> Sequence[WrittenField]:
        return written_instances.FIELDS

    def as_written(self, item: FrozenInstance) -> Mapping[str, str]:
        return written_instances.form_of_instance(item)

    def from_written(self, form: Mapping[str, str], like: FrozenInstance | None = None) -> FrozenInstance:
        return written_instances.instance_of_form(form, like)


INSTANCE = InstanceKind()
