"""An Item: one annotated instance of a release, with the fields that splits, candidates and rankers need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from annotation.releasing.facts import instance_of
from corpus.articles import EntityType
from corpus.backgrounds.paragraphs import display_text
from corpus.contexts import ContextKind
from kernel.errors import InvalidInput
from kernel.json_fields import Row, choice_field, number_field, object_list, text_field, texts_field
from kernel.values import Json
from modeling.json_rows import located

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
    entities, backgrounds = texts_field(row, "entities"), texts_field(row, "backgrounds")
    if not entities or len(backgrounds) != len(entities):
        problem = f"{len(entities)} entities and {len(backgrounds)} backgrounds: there must be one per entity"
        raise InvalidInput(problem)
    return Item(
        key=text_field(row, "key"),
        group=text_field(row, "group"),
        corpus=text_field(row, "corpus"),
        article_id=text_field(row, "article_id"),
        date=text_field(row, "date") or None,
        entity_type=EntityType(choice_field(row, "entity_type", [*EntityType])),
        entities=entities,
        kind=ContextKind(choice_field(row, "kind", [*ContextKind])),
        title=text_field(row, "title"),
        context=text_field(row, "context"),
        mentions=tuple(map(_mention, object_list(row, "mentions"))),
        backgrounds=backgrounds,
        golds=_golds(row),
        answers=texts_field(row, "answers"),
    )


def _mention(row: Row) -> tuple[int, int, int]:
    entity, start, end = (number_field(row, name) or 0 for name in ("entity", "start", "end"))
    return entity, start, end


def item_from_release(row: Row, where: str) -> Item:
    """Return the Item of one release row: backgrounds as annotators saw them, answers without their authors."""
    with located(where):
        frozen, golds = instance_of(row), _golds(row)
        annotations = object_list(row, "annotations") if "annotations" in row else []
        answers = {
            answer
            for annotation in annotations
            if "cleaned" in annotation
            for answer in texts_field(annotation, "cleaned")
        }
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


def _golds(row: Row) -> tuple[GoldPhrase, ...]:
    """Return the aggregations; if a phrase appears twice, the first."""
    golds: dict[str, GoldPhrase] = {}
    for gold in map(_gold, object_list(row, "aggregations")):
        golds.setdefault(gold.phrase, gold)
    return tuple(golds.values())


def _gold(row: Row) -> GoldPhrase:
    phrase, support = text_field(row, "phrase", is_required=True), number_field(row, "support")
    return GoldPhrase(phrase, text_field(row, "display") or phrase, 1 if support is None else support)
