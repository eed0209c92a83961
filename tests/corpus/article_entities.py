"""The entities of an article, looked up in the table of a corpus or decided by the article alone."""

from __future__ import annotations

from corpus.article_tags import entity_tags
from corpus.articles import SourceArticle, Tag
from corpus.entities import EntityIndex, EntityTable, EntityValue
from corpus.folding import fold
from corpus.homonyms import handle_of


def entity_named(table: EntityTable, tag: Tag) -> EntityValue | None:
    """Return the entity a tag names, whatever type it was tagged with; None for an unknown name."""
    return table.by_handle.get(handle_of(tag))


def entities_of(article: SourceArticle, table: EntityTable | None = None) -> tuple[EntityValue, ...]:
    """Return the article's entities by type and name; without a table, by the article's own evidence."""
    tags = entity_tags(article)
    if table is None:
        index = EntityIndex()
        index.add(tags, article)
        return index.decide().entities
    entities = {entity for tag in tags if (entity := entity_named(table, tag))}
    return tuple(sorted(entities, key=lambda entity: (entity.type, fold(entity.name))))
