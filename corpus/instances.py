"""Finding the instances of one article, as plain values ready to be stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.article_tags import names_from
from corpus.articles import EntityType, SourceArticle
from corpus.asides import asides_of
from corpus.contexts import Context, PreparedArticle, find_contexts, read_article
from corpus.entities import EntityValue
from corpus.frozen import instance_key
from corpus.groups import group_keys
from corpus.introductions import with_acronyms
from corpus.mentions import Named, build_index
from corpus.names_from import NamesFrom
from corpus.tuples import find_tuples


@dataclass(frozen=True)
class InstanceValue:
    """Entities of one type in one passage. The key is the hash of the content."""

    key: str
    group: str
    type: EntityType
    entities: tuple[EntityValue, ...]  # in the order in which the passage mentions them
    context: Context


@dataclass(frozen=True)
class ArticleFindings:
    """What was found in one article."""

    reading: PreparedArticle
    mentioned: tuple[EntityValue, ...]
    instances: tuple[InstanceValue, ...]
    names_from: NamesFrom
    is_tagged: bool  # two or more entities of one type are tagged
    tuples: int
    tuples_cut: int
    crowded_windows: int


def find_instances(
    article: SourceArticle, entities: Sequence[EntityValue], *, seed: int, min_sentences: int = 1
) -> ArticleFindings:
    """Return where the article mentions its entities, and its instances.

    A context from the body has at least `min_sentences` (one of contexts.MIN_SENTENCES).
    """
    by_key = {entity.key: entity for entity in entities}
    named = (Named(entity.key, entity.type, entity.name, entity.strict, entity.loose) for entity in entities)
    index = build_index(with_acronyms(named, (*article.paragraphs, article.abstract)))
    asides = asides_of(article) if len(entities) > 1 else {}
    reading = read_article(index, article.title, article.paragraphs, article.abstract, asides)
    types = {entity.key: entity.type for entity in entities}
    tuples = find_tuples(reading, types, article_id=article.source_id, seed=seed)
    contexts = [context for item in tuples.tuples for context in find_contexts(reading, item.entities, min_sentences)]
    groups = group_keys(article.source_id, contexts)
    values = [_value(article, by_key, *pair) for pair in zip(contexts, groups, strict=True)]
    seen = {mention.entity for part in (reading.body, reading.abstract) for mention in part.mentions}
    return ArticleFindings(
        reading=reading,
        mentioned=tuple(by_key[key] for key in sorted(seen)),
        instances=tuple({value.key: value for value in reversed(values)}.values())[::-1],  # without repeated passages
        names_from=names_from(article),
        is_tagged=has_two(entities),
        tuples=len({context.entities for context in contexts}),
        tuples_cut=tuples.cut,
        crowded_windows=tuples.crowded,
    )


def has_two(entities: Iterable[EntityValue]) -> bool:
    """Return whether two of the entities are of one type."""
    return any(count > 1 for count in Counter(entity.type for entity in entities).values())


def _value(article: SourceArticle, by_key: dict[str, EntityValue], context: Context, group: str) -> InstanceValue:
    order = list(dict.fromkeys(mention.entity for mention in context.mentions))
    entities = tuple(by_key[key] for key in order)
    key = instance_key(
        article_id=article.source_id,
        entity_type=entities[0].type.value,
        entities=[entity.name for entity in entities],
        kind=context.kind.value,
        title=context.title,
        context=context.text,
        mentions=((order.index(m.entity), m.start, m.end) for m in context.mentions),
    )
    return InstanceValue(key, group, entities[0].type, entities, context)
