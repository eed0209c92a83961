"""Frozen instances: everything an annotator sees and a model learns from, without a corpus.

Samples store an instance's JSON object (schema 1), exports write it and later stages read it; its fields are stable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from corpus.articles import EntityType
from corpus.backgrounds.base import BackgroundStatus
from corpus.contexts import ContextKind
from corpus.names_from import NamesFrom
from kernel.errors import InvalidInput
from kernel.json_fields import (
    Row,
    choice_field,
    date_field,
    kind_of,
    list_field,
    number_field,
    object_value,
    text_field,
    url_field,
)
from kernel.values import Json, content_hash

SCHEMA = 1
SIZES = (2, 3, 4, 5, 6)
LONGEST_GROUP = 64
ACCEPTED = (
    BackgroundStatus.EXACT,
    BackgroundStatus.LIKELY,
    BackgroundStatus.BY_HAND,
)  # backgrounds with these are shown
_HASH = re.compile(r"[0-9a-f]{64}")


class FrozenMention(NamedTuple):
    """A span of the context in Unicode characters; `entity` is an index into the instance's entities, from 0."""

    entity: int
    start: int
    end: int

    def to_json(self) -> dict[str, Json]:
        return {"entity": self.entity, "start": self.start, "end": self.end}


@dataclass(frozen=True)
class FrozenBackground:
    """The background of an entity when the instance was frozen: the whole first paragraph, and where it comes from."""

    title: str
    text: str
    url: str = ""
    licence: str = ""
    status: str = BackgroundStatus.BY_HAND.value
    source: str = ""
    page_id: int | None = None
    revision_id: int | None = None
    retrieved: date | None = None

    def to_json(self) -> dict[str, Json]:
        return {**vars(self), "retrieved": self.retrieved.isoformat() if self.retrieved else None}

    @classmethod
    def thaw(cls, value: Mapping[str, Any]) -> FrozenBackground:
        """Return the background that `to_json` wrote, without checking it."""
        return cls(**{**value, "retrieved": _day(value["retrieved"])})

    @classmethod
    def from_json(cls, value: Json, within: str = "background") -> FrozenBackground:
        """Return the background, or raise InvalidInput for the first bad field. Unknown fields are ignored."""
        row = object_value(value, within)
        return cls(
            title=text_field(row, "title", within=within),
            text=text_field(row, "text", within=within, is_required=True),
            url=url_field(row, "url", within=within),
            licence=text_field(row, "licence", within=within),
            status=choice_field(row, "status", [status.value for status in ACCEPTED], within=within),
            source=text_field(row, "source", within=within),
            page_id=number_field(row, "page_id", within=within),
            revision_id=number_field(row, "revision_id", within=within),
            retrieved=date_field(row, "retrieved", within=within),
        )


@dataclass(frozen=True)
class FrozenInstance:
    """Entities of one type, a passage that mentions them all, and a background (or None) for each."""

    key: str
    group: str
    corpus: str
    article_id: str
    date: date | None
    entity_type: str
    entities: tuple[str, ...]  # in the order of their first mention
    kind: str
    title: str
    context: str
    mentions: tuple[FrozenMention, ...]
    backgrounds: tuple[FrozenBackground | None, ...]  # one for each entity
    names_from: str = ""  # a NamesFrom; not known of what was frozen before this was stored. No part of the key

    @property
    def size(self) -> int:
        return len(self.entities)

    def to_json(self) -> dict[str, Json]:
        value: dict[str, Json] = {
            "schema": SCHEMA,
            **vars(self),
            "date": self.date.isoformat() if self.date else None,
            "entities": list(self.entities),
            "mentions": [mention.to_json() for mention in self.mentions],
            "backgrounds": [background.to_json() if background else None for background in self.backgrounds],
        }
        return value if self.names_from else without_names_from(value)

    @property
    def content_key(self) -> str:
        """The hash of its content, which `key` must be."""
        return instance_key(
            article_id=self.article_id,
            entity_type=self.entity_type,
            entities=self.entities,
            kind=self.kind,
            title=self.title,
            context=self.context,
            mentions=self.mentions,
        )

    @classmethod
    def thaw(cls, value: Mapping[str, Any]) -> FrozenInstance:
        """Return the instance that `to_json` wrote, without checking it: for rows that we stored ourselves."""
        fields = {name: value[name] for name in cls.__dataclass_fields__ if name in value}
        fields["date"] = _day(value["date"])
        fields["entities"] = tuple(value["entities"])
        fields["mentions"] = tuple(FrozenMention(**mention) for mention in value["mentions"])
        fields["backgrounds"] = tuple(item and FrozenBackground.thaw(item) for item in value["backgrounds"])
        return cls(**fields)

    @classmethod
    def from_json(cls, value: Json) -> FrozenInstance:
        """Return the instance, or raise InvalidInput for the first bad field. Unknown fields are ignored."""
        row = object_value(value, "row")
        if row.get("schema") != SCHEMA:
            raise InvalidInput(f"must be {SCHEMA}, the only one this version reads", field="schema")
        entities, context = _entities(row), text_field(row, "context", is_required=True)
        return cls(
            key=_hash(row, "key"),
            group=group_field(row),
            corpus=text_field(row, "corpus"),
            article_id=text_field(row, "article_id"),
            date=date_field(row, "date"),
            entity_type=choice_field(row, "entity_type", [type_.value for type_ in EntityType]),
            entities=entities,
            kind=choice_field(row, "kind", [kind.value for kind in ContextKind]),
            title=text_field(row, "title"),
            context=context,
            mentions=_mentions(row, entities, context),
            backgrounds=_backgrounds(row, len(entities)),
            names_from=_names_from(row),
        )


def without_names_from(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a frozen item's JSON as items were before they said where their names came from."""
    return {name: own for name, own in value.items() if name != "names_from"}


def instance_key(
    *,
    article_id: str,
    entity_type: str,
    entities: Sequence[str],
    kind: str,
    title: str,
    context: str,
    mentions: Iterable[tuple[int, int, int]],
) -> str:
    """Return the identity of an instance: the hash of its content. A mention is (entity, start, end)."""
    return content_hash(
        {
            "article": article_id,
            "type": entity_type,
            "entities": list(entities),
            "kind": kind,
            "title": title,
            "context": context,
            "mentions": [list(mention) for mention in mentions],
        }
    )


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _hash(row: Row, field: str) -> str:
    value = text_field(row, field)
    if not _HASH.fullmatch(value):
        raise InvalidInput("must be 64 hexadecimal digits", field=field)
    return value


def _names_from(row: Row) -> str:
    """Return the NamesFrom of a row; "" if it has none."""
    known = [value.value for value in NamesFrom]
    return choice_field(row, "names_from", known) if row.get("names_from") else ""


def group_field(row: Row) -> str:
    value = text_field(row, "group", is_required=True)
    if len(value) > LONGEST_GROUP:
        raise InvalidInput(f"must have at most {LONGEST_GROUP} characters", field="group")
    return value


def _entities(row: Row) -> tuple[str, ...]:
    names = list_field(row, "entities")
    if len(names) not in SIZES:
        raise InvalidInput(f"must be {SIZES[0]} to {SIZES[-1]} names, not {len(names)}", field="entities")
    named = {f"entities[{number}]": name for number, name in enumerate(names)}
    texts = tuple(text_field(named, field, is_required=True) for field in named)
    if len(set(texts)) < len(texts):
        raise InvalidInput("contains a name twice", field="entities")
    return texts


def _mentions(row: Row, entities: Sequence[str], context: str) -> tuple[FrozenMention, ...]:
    mentions = tuple(
        _mention(value, n, len(entities), len(context)) for n, value in enumerate(list_field(row, "mentions"))
    )
    unnamed = set(range(len(entities))) - {mention.entity for mention in mentions}
    if unnamed:
        raise InvalidInput(f"the context does not mention {entities[min(unnamed)]!r}", field="mentions")
    return mentions


def _mention(value: Json, number: int, entities: int, length: int) -> FrozenMention:
    field = f"mentions[{number}]"
    row = object_value(value, field)
    entity, start, end = (number_field(row, name, within=field) for name in ("entity", "start", "end"))
    if entity is None or start is None or end is None:
        raise InvalidInput("needs entity, start and end", field=field)
    if entity >= entities:
        raise InvalidInput(f"must be less than {entities}, the number of entities", field=f"{field}.entity")
    if not start < end <= length:
        raise InvalidInput(f"must lie within the context's {length:,} characters, with start before end", field=field)
    return FrozenMention(entity, start, end)


def _backgrounds(row: Row, size: int) -> tuple[FrozenBackground | None, ...]:
    values = list_field(row, "backgrounds")
    if len(values) != size:
        raise InvalidInput(f"must be {size}, one for each entity (null: none), not {len(values)}", field="backgrounds")
    for number, value in enumerate(values):
        if value is not None and not isinstance(value, dict):
            raise InvalidInput(f"must be an object or null, not {kind_of(value)}", field=f"backgrounds[{number}]")
    return tuple(
        None if value is None else FrozenBackground.from_json(value, f"backgrounds[{number}]")
        for number, value in enumerate(values)
    )
