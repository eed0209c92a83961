"""Plain texts, and where they come from. The corpus README documents the fields; only `text` is required.

A text is stored as it came, so that offsets into it hold (schema 2). Texts of schema 1 were cleaned before they were
stored, and their exports still are: they keep their keys. A few of its other columns have a meaning (`SPECIAL`).
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
from corpus.items.elevant import is_labelled, row_of_labelled
from corpus.items.mentions import KnownMention, known_mentions, mentions_in, mentions_text
from corpus.sources.lines import parse_json
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
TOPIC, TWIN, DOCUMENT, START, MENTIONS = SPECIAL = ("topic", "twin", "document", "start", "mentions")
LONGEST_TOPIC = 300  # characters
START_OF_MENTIONS = '[{"end":'  # as they are kept
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
    extra: Mapping[str, Value] = field(default_factory=dict, hash=False)  # other columns of its row
    schema: int = VERBATIM

    @property
    def topic(self) -> str:
        """What the text is about, such as a motion that is debated; "" if it has no topic."""
        topic = self.extra.get(TOPIC, "")
        return topic if isinstance(topic, str) else ""

    @property
    def twin(self) -> str:
        """The same words in another form, such as recognized speech; "" if there is none."""
        twin = self.extra.get(TWIN, "")
        return twin if isinstance(twin, str) else ""

    @property
    def mentions(self) -> tuple[KnownMention, ...]:
        """The mentions that its file named."""
        kept = self.extra.get(MENTIONS)
        return mentions_in(kept) if isinstance(kept, str) and kept.startswith(START_OF_MENTIONS) else ()

    def to_json(self) -> dict[str, Json]:
        value: dict[str, Json] = {**vars(self), "date": self.date.isoformat() if self.date else None}
        extra: dict[str, Json] = {**self.extra}
        return value | {"extra": extra} if extra else {name: own for name, own in value.items() if name != "extra"}


class TextKind:
    name: ClassVar[str] = "text"
    singular: ClassVar[str] = "text"
    plural: ClassVar[str] = "texts"
    suffixes: ClassVar[Sequence[str]] = (".jsonl", ".csv", ".txt", ".ttl")
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
        row = row_of_labelled(row) if is_labelled(row) else row
        schema = _schema(row)
        text, title, source = (_cleaned if schema == CLEANED else _verbatim)(row)
        if len(text) > LONGEST_TEXT:
            raise InvalidInput(f"must have at most {LONGEST_TEXT:,} characters", field="text")
        extra = _extra(row, text) if schema == VERBATIM else {}
        key = _key({"source": source, "title": title, "text": text}, extra, row)
        return FrozenText(key, group_of(row, key), title, text, source, date_field(row, "date"), extra, schema)

    def thaw(self, value: Mapping[str, Any]) -> FrozenText:
        fields = {name: value[name] for name in FrozenText.__dataclass_fields__ if name in value}
        return FrozenText(**{**fields, "date": date.fromisoformat(value["date"]) if value["date"] else None})

    def size(self, item: FrozenText) -> int:
        return 0

    def facets(self, item: FrozenText) -> Mapping[str, str]:
        named = {"source": item.source, "topic": item.topic}
        return {name: value for name, value in named.items() if value}

    def facts(self, item: FrozenText) -> Mapping[str, str]:
        return {"Source": item.source, "Topic": item.topic, "Date": day(item.date)}

    def texts(self, item: FrozenText) -> Mapping[str, str]:
        named = {"title": item.title, "text": item.text, "topic": item.topic}
        return {name: value for name, value in named.items() if value or name == "text"}

    def passage(self, value: str) -> str:
        return value

    def wording(self, value: str, names: Sequence[str]) -> str:
        return single_spaced(value)

    def title(self, item: FrozenText) -> str:
        return item.title or shortened(item.text)

    def show(self, item: FrozenText) -> Shown:
        unseen: dict[str, object] = {name: own for name, own in item.extra.items() if name != TOPIC}
        if item.mentions:
            unseen[MENTIONS] = "; ".join(
                f"{item.text[own.start : own.end]} → {', '.join(own.pages) or 'no page'}" for own in item.mentions
            )
        return Shown(html=self.html(item), unseen=unseen)

    def html(self, item: FrozenText) -> str:
        topic = f'<p class="passage__topic">Topic: <b>{escape(item.topic)}</b></p>' if item.topic else ""
        title = f'<h2 class="passage__title">{escape(item.title)}</h2>' if item.title else ""
        return f'<div class="passage">{topic}{title}<p class="wraps">{escape(item.text)}</p></div>'

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


def _extra(row: Row, text: str) -> dict[str, Value]:
    """Return the columns that a text has no field for; in an export they are the object `extra`."""
    exported = row.get("extra")
    columns = {name: own for name, own in row.items() if name not in FIELDS}
    columns = {**exported, **columns} if isinstance(exported, dict) else {**columns, "extra": exported}
    topic = columns.get(TOPIC)
    if isinstance(topic, str) and len(topic) > LONGEST_TOPIC:
        raise InvalidInput(f"must have at most {LONGEST_TOPIC} characters", field=TOPIC)
    if topic == "":
        del columns[TOPIC]
    return values_of(_with_kept_mentions(columns, text))


def _with_kept_mentions(columns: Row, text: str) -> Row:
    """Return columns with their mentions as JSON text, also if a cell holds them as such."""
    mentions = columns.get(MENTIONS)
    if isinstance(mentions, str) and mentions.lstrip().startswith("[{"):
        mentions = parse_json(mentions.encode())
    if not isinstance(mentions, list):
        return columns
    kept = {MENTIONS: mentions_text(known_mentions(mentions, text, MENTIONS))} if mentions else {}
    return {**{name: own for name, own in columns.items() if name != MENTIONS}, **kept}


def _key(content: dict[str, Json], extra: Mapping[str, Value], row: Row) -> str:
    """Return the identity of a text: what it says, about which topic, and where in which document it stands.

    Files that were exported before topics and places counted keep their keys.
    """
    plain = content_hash(content)
    more: dict[str, Json] = {TOPIC: extra[TOPIC]} if isinstance(extra.get(TOPIC), str) else {}
    if isinstance(extra.get(DOCUMENT), str) and type(extra.get(START)) is int:
        more |= {DOCUMENT: extra[DOCUMENT], START: extra[START]}
    return plain if not more or row.get("key") == plain else content_hash({**content, **more})


TEXT = TextKind()
