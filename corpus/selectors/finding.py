"""What a search reads: stored articles as their source delivered them, with their entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpus.article_tags import entity_tags
from corpus.articles import EntityType, SourceArticle, Tag
from corpus.entities import EntityValue
from corpus.homonyms import handle_of
from corpus.instances import find_instances
from corpus.models import Article, Entity, EntityName, Finding, Recognition
from corpus.no_instance import NoInstance, why_none

PAGE = 100  # articles per query
LONGEST_HANDLE = 500  # characters; longer handles are stored cut
IdRange = tuple[int, int]  # first and last article id


def source_articles(corpus_id: int, ids: IdRange) -> Iterator[tuple[int, SourceArticle]]:
    """Yield the id of each row and the article it holds, with recognized names where nobody tagged it.

    The rows are read in pages: an open cursor would hold SQLite at an old snapshot, from which nothing can be written.
    """
    first, last = ids
    while rows := list(Article.objects.filter(corpus_id=corpus_id, id__range=(first, last)).order_by("id")[:PAGE]):
        untagged = [row.pk for row in rows if not row.tags]
        recognized = dict(Recognition.objects.filter(article__in=untagged).values_list("article", "tags"))
        yield from ((row.pk, _source_article(row, recognized.get(row.pk, []))) for row in rows)
        first = rows[-1].pk + 1


def _source_article(row: Article, recognized: Sequence[dict[str, str]]) -> SourceArticle:
    return SourceArticle(
        source_id=row.source_id,
        title=row.title,
        paragraphs=tuple(row.paragraphs),
        abstract=row.abstract,
        byline=row.byline,
        tags=tuple(Tag(tag["text"], EntityType(tag["type"]), tag["origin"]) for tag in row.tags or recognized),
    )


def entities_by_article(corpus_id: int, articles: Sequence[SourceArticle]) -> list[list[EntityValue]]:
    """Return the entities of each article, read with one query."""
    handles = [{handle_of(tag)[:LONGEST_HANDLE] for tag in entity_tags(article)} for article in articles]
    wanted = set[str]().union(*handles)
    rows = EntityName.objects.filter(corpus_id=corpus_id, folded__in=wanted).select_related("entity")
    by_handle = {row.folded: _entity_value(row.entity) for row in rows}
    return [
        sorted({by_handle[handle] for handle in own if handle in by_handle}, key=lambda entity: entity.key)
        for own in handles
    ]


def _entity_value(row: Entity) -> EntityValue:
    return EntityValue(
        row.key, EntityType(row.type), row.name, tuple(row.strict), tuple(row.loose), tuple(row.information)
    )


def no_instance_reason(article: Article) -> NoInstance | None:
    """Return why the last search found no instance in an article; None if it found one, or before the first search."""
    finding = Finding.objects.filter(corpus=article.corpus_id).first()
    if finding is None or article.instances.exists():
        return None
    ((_, value),) = source_articles(article.corpus_id, (article.pk, article.pk))
    (entities,) = entities_by_article(article.corpus_id, [value])
    findings = find_instances(value, entities, seed=finding.seed, min_sentences=finding.min_sentences)
    return why_none(value, entities, findings)
