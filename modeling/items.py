"""An Item: one annotated instance of a release, with the fields that splits, candidates and rankers need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from annotation.releasing.facts import instance_of
from corpus.articles import EntityType
from corpus.backgrounds.paragraphs import display_text
from corpus.contexts import ContextKind
from modeling.json_rows import Row
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json

T = TypeVar("T", EntityType, ContextKind)

_shown = lru_cache(maxsize=8192)(display_text)  # the same background is in many rows


@dataclass(frozen=True, slots=True)
class GoldPhrase:
    """An aggregation that annotators wrote: `phrase` identifies it, `display` is for people to read."""

    phrase: str
    display: str
    support: int


@dataclass(frozen=True, slots=True)
class Item:
    """Entities of one type in one passage, and the phrases that annotators wrote for them."""

    key: str
    group: str
    corpus: str
    article_id: str
    date: str | None
    entity_type: EntityType
    entities: tuple[str, ...]  # in the order of first mention
    kind: ContextKind
    title: str
    context: str
    mentions: tuple[tuple[int, int, int], ...]  # entity, start, end: characters of the context
    backgrounds: tuple[str, ...]  # one per entity, "" if there is none; as annotators saw them
    golds: tuple[GoldPhrase, ...]  # distinct phrases, in the release's order
    answers: tuple[str, ...]  # every cleaned answer, sorted; includes the golds

    @property
    def gold_phrases(self) -> frozenset[str]:
        return frozenset(gold.phrase for gold in self.golds)

    @property
    def tuple_key(self) -> tuple[str, ...]:
        """The type and the entities, independent of their order."""
        return (self.entity_type.value, *sorted(self.entities))

    def to_json(self) -> dict[str, Json]:
        return {
            "key": self.key,
            "group": self.group,
            "corpus": self.corpus,
            "article_id": self.article_id,
            "date": self.date,
            "entity_type": self.entity_type.value,
            "entities": list(self.entities),
            "kind": self.kind.value,
            "title": self.title,
            "context": self.context,
            "mentions": [{"entity": entity, "start": start, "end": end} for entity, start, end in self.mentions],
            "backgrounds": list(self.backgrounds),
            "aggregations": [{"phrase": g.phrase, "display": g.display, "support": g.support} for g in self.golds],
            "answers": list(self.answers),
        }


def item_from_row(row: Row) -> Item:
    """Return the Item that `Item.to_json` wrote."""
    entities, backgrounds = row.texts("entities"), row.texts("backgrounds")
    if not entities or len(backgrounds) != len(entities):
        raise row.fail(f"{len(entities)} entities and {len(backgrounds)} backgrounds: there must be one per entity")
    return Item(
        key=row.text("key"),
        group=row.text("group"),
        corpus=row.text("corpus"),
        article_id=row.text("article_id"),
        date=row.optional_text("date"),
        entity_type=_choice(row, "entity_type", EntityType),
        entities=entities,
        kind=_choice(row, "kind", ContextKind),
        title=row.text("title"),
        context=row.text("context"),
        mentions=tuple((m.integer("entity"), m.integer("start"), m.integer("end")) for m in row.rows("mentions")),
        backgrounds=backgrounds,
        golds=_golds(row),
        answers=row.texts("answers"),
    )


def item_from_release(row: Row) -> Item:
    """Return the Item of one release row: backgrounds as annotators saw them, answers without their authors."""
    try:
        frozen = instance_of(row.value)
    except InvalidInput as error:
        raise row.fail(str(error)) from error
    golds = _golds(row)
    answers = {answer for annotation in row.rows("annotations", []) for answer in annotation.texts("cleaned", [])}
    return Item(
        key=frozen.key,
        group=frozen.group,
        corpus=frozen.corpus,
        article_id=frozen.article_id,
        date=frozen.date.isoformat() if frozen.date else None,
        entity_type=EntityType(frozen.entity_type),
        entities=frozen.entities,
        kind=ContextKind(frozen.kind),
        title=frozen.title,
        context=frozen.context,
        mentions=tuple((mention.entity, mention.start, mention.end) for mention in frozen.mentions),
        backgrounds=tuple(_shown(background.text) if background else "" for background in frozen.backgrounds),
        golds=golds,
        answers=tuple(sorted(answers | {gold.phrase for gold in golds})),
    )


def rankable(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items that have an aggregation: without one there is nothing to rank first."""
    return tuple(item for item in items if item.golds)


def _gold(row: Row) -> GoldPhrase:
    phrase = row.text("phrase")
    if not phrase.strip():
        raise row.fail("'phrase' must not be empty")
    return GoldPhrase(phrase, row.text("display", phrase), row.integer("support", 1))


def _golds(row: Row) -> tuple[GoldPhrase, ...]:
    """Return the aggregations; if a phrase appears twice, the first."""
    golds: dict[str, GoldPhrase] = {}
    for gold in map(_gold, row.rows("aggregations")):
        golds.setdefault(gold.phrase, gold)
    return tuple(golds.values())


def _choice(row: Row, name: str, kind: type[T]) -> T:
    try:
        return kind(row.text(name))
    except ValueError as error:
        known = ", ".join(member.value for member in kind)
        raise InvalidInput(f"{name!r} must be one of {known}", where=row.where) from error
