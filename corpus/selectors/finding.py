"""What a search reads: stored articles as their source delivered them, with their entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet

from corpus.article_tags import entity_tags
from corpus.articles import EntityType, SourceArticle, Tag
from corpus.entities import EntityValue
from corpus.homonyms import handle_of
from corpus.instances import find_instances
from corpus.models import Article, Corpus, Entity, EntityName, Finding, Recognition
from corpus.names_from import NamesSetting, setting_for
from corpus.no_instance import NoInstance, why_none

PAGE = 100  # articles per query
LONGEST_HANDLE = 500  # characters; longer handles are stored cut
IdRange = tuple[int, int]  # first and last article id


def names_setting(corpus: Corpus) -> NamesSetting:
    """Return what a search of this corpus takes names from now."""
    has_tags = not corpus.names_from and Article.objects.filter(corpus=corpus).exclude(tags=[]).exists()
    return setting_for(corpus.names_from, has_tags=has_tags)


def articles_to_recognize(ids: Sequence[int], setting: NamesSetting) -> QuerySet[Article]:
    """Return those of the articles in which a search with this setting recognizes names."""
    articles = Article.objects.filter(pk__in=ids).order_by("id")
    if setting is NamesSetting.TAGS:
        return articles.none()
    return articles if setting is NamesSetting.RECOGNITION else articles.filter(tags=[])


def source_articles(corpus_id: int, ids: IdRange, setting: NamesSetting) -> Iterator[tuple[int, SourceArticle]]:
    """Yield the id of each row and the article it holds, with the tags or recognized names that the setting asks for.

    The rows are read in pages: an open cursor would hold SQLite at an old snapshot, from which nothing can be written.
    """
    first, last = ids
    while rows := list(Article.objects.filter(corpus_id=corpus_id, id__range=(first, last)).order_by("id")[:PAGE]):
        recognizable = articles_to_recognize([row.pk for row in rows], setting)
        recognized = dict(Recognition.objects.filter(article__in=recognizable).values_list("article", "tags"))
        for row in rows:
            tags = [] if setting is NamesSetting.RECOGNITION else row.tags
            yield row.pk, _source_article(row, tags or recognized.get(row.pk, []))
        first = rows[-1].pk + 1


def _source_article(row: Article, tags: Sequence[dict[str, str]]) -> SourceArticle:
    return SourceArticle(
        source_id=row.source_id,
        title=row.title,
        paragraphs=tuple(row.paragraphs),
        abstract=row.abstract,
        byline=row.byline,
        tags=tuple(Tag(tag["text"], EntityType(tag["type"]), tag["origin"]) for tag in tags),
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
    setting = NamesSetting(finding.names_from)
    ((_, value),) = source_articles(article.corpus_id, (article.pk, article.pk), setting)
    (entities,) = entities_by_article(article.corpus_id, [value])
    findings = find_instances(value, entities, seed=finding.seed, min_sentences=finding.min_sentences)
    return why_none(value, entities, findings)
