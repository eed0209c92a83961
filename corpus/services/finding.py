"""From stored articles to entities, mentions and instances. Repeatable: a search replaces what the last one stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F

from corpus.article_tags import RECOGNIZED, entity_tags
from corpus.articles import EntityType, SourceArticle, Tag
from corpus.contexts import Passage
from corpus.entities import Entity as EntityValue
from corpus.entities import EntityIndex, EntityTable, Spelling
from corpus.homonyms import handle_of
from corpus.instances import ArticleFindings, InstanceValue, find_instances
from corpus.models import Appearance, Article, Corpus, Entity, EntityName, Finding, Instance, Recognition
from corpus.recognition_process import RecognitionProcess
from corpus.services import backgrounds, corrections, recognizing
from corpus.silence import Silence, why_none
from tesa_site.kernel.clock import now
from tesa_site.kernel.values import batches

PAGE = 100  # articles a query
RANGE = 500  # articles a process takes at a time
CHUNK = 25  # articles a transaction
ROWS = 500  # rows an INSERT
LONGEST_NAME = 500
IdRange = tuple[int, int]  # first and last article id


@dataclass
class Counts:
    """What some articles gave; counts of different articles add up."""

    articles: int = 0
    untagged_articles: int = 0
    recognized_articles: int = 0
    tagged_articles: int = 0
    tuples: int = 0
    tuples_cut: int = 0
    crowded_windows: int = 0
    instances: int = 0
    instance_articles: int = 0
    silent_articles: Counter[str] = field(default_factory=Counter)  # by reason

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def id_ranges(corpus: Corpus) -> list[IdRange]:
    """Return ranges of article ids that cover the corpus, each of RANGE articles."""
    ids = Article.objects.filter(corpus=corpus).order_by("id").values_list("id", flat=True)
    return [(some[0], some[-1]) for some in batches(ids.iterator(chunk_size=10_000), RANGE)]


def _articles(corpus_id: int, ids: IdRange) -> Iterator[tuple[int, SourceArticle]]:
    """Yield each row's id and the value it holds, as its source delivered it.

    A page at a time: a cursor left open would keep SQLite at an old snapshot, from which nothing can be written.
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


# ---- First pass: entities -------------------------------------------------------------------------


def index_articles(corpus_id: int, ids: IdRange, count: Callable[[int], None]) -> EntityIndex:
    """Count the tags of some articles; names are recognized first in those that have none."""
    index = EntityIndex()
    numbers = Article.objects.filter(corpus_id=corpus_id, id__range=ids).order_by("id").values_list("id", flat=True)
    with RecognitionProcess(settings.SPACY_PIPELINE) as process:
        for some in batches([*numbers], PAGE):
            untagged = Article.objects.filter(pk__in=some, tags=[]).order_by("id").values_list("id", flat=True)
            for few in batches([*untagged], CHUNK):
                recognizing.recognize_names([*Article.objects.filter(pk__in=few).order_by("id")], process)
                count(0)  # the search can be cancelled here
            for _, article in _articles(corpus_id, (some[0], some[-1])):
                index.add(entity_tags(article), article)
            count(len(some))
    return index


def store_entities(corpus: Corpus, index: EntityIndex, report: Callable[[str], None]) -> EntityTable:
    """Decide on the entities and store them; what was found before and is not any more goes."""
    report("Deciding which names are one entity")
    table = index.decide(corrections.in_force(corpus))
    Corpus.objects.filter(pk=corpus.pk).update(is_half_searched=True)  # until the finding is stored
    spellings = index.spellings()
    touched = corrections.names_in_force(corpus)
    tagged = {entity.key for handle, entity in table.by_handle.items() if not spellings[handle].is_recognized}
    reviewed = {entity.key for handle, entity in table.by_handle.items() if handle in touched}
    for number, some_entities in enumerate(batches(table.entities, ROWS)):
        report(f"Storing entities: {number * ROWS:,} of {len(table.entities):,}")
        Entity.objects.bulk_create(
            [
                _entity_row(corpus, entity, is_recognized=entity.key not in tagged, is_reviewed=entity.key in reviewed)
                for entity in some_entities
            ],
            update_conflicts=True,
            unique_fields=["corpus", "key"],
            update_fields=["type", "name", "strict", "loose", "information", "is_recognized", "is_reviewed"],
        )
    _drop_entities(corpus, table)
    _store_names(corpus, spellings, table)
    return table


def _drop_entities(corpus: Corpus, table: EntityTable) -> None:
    """Delete the entities that are none any more; a background goes to the entity that has the names now."""
    keep = {entity.key for entity in table.entities}
    gone = [pk for pk, key in Entity.objects.filter(corpus=corpus).values_list("pk", "key") if key not in keep]
    for some in batches(gone, ROWS):
        names = EntityName.objects.filter(entity__in=some).order_by("-articles", "id").values_list("entity", "folded")
        heirs = {pk: table.by_handle[folded].key for pk, folded in reversed([*names]) if folded in table.by_handle}
        stay = backgrounds.bequeath(corpus, some, heirs)
        Entity.objects.filter(pk__in=set(some) - stay).delete()


def _entity_row(corpus: Corpus, entity: EntityValue, *, is_recognized: bool, is_reviewed: bool) -> Entity:
    return Entity(
        corpus=corpus,
        key=entity.key,
        type=entity.type.value,
        name=entity.name,
        strict=list(entity.strict),
        loose=list(entity.loose),
        information=list(entity.information),
        is_recognized=is_recognized,
        is_reviewed=is_reviewed,
    )


def _store_names(corpus: Corpus, spellings: Mapping[str, Spelling], table: EntityTable) -> None:
    ids = dict(Entity.objects.filter(corpus=corpus).values_list("key", "pk"))
    names = {
        handle[:LONGEST_NAME]: EntityName(
            corpus=corpus,
            folded=handle[:LONGEST_NAME],
            entity_id=ids[table.by_handle[handle].key],
            text=spelling.text,
            articles=spelling.articles,
        )
        for handle, spelling in spellings.items()
        if handle in table.by_handle
    }
    known = EntityName.objects.filter(corpus=corpus).values_list("pk", "folded")
    for gone in batches([pk for pk, folded in known if folded not in names], ROWS):
        EntityName.objects.filter(pk__in=gone).delete()
    for some in batches(names.values(), ROWS):
        EntityName.objects.bulk_create(
            some,
            update_conflicts=True,
            unique_fields=["corpus", "folded"],
            update_fields=["entity", "text", "articles"],
        )


def _handle(tag: Tag) -> str:
    return handle_of(tag)[:LONGEST_NAME]


# ---- Second pass: mentions and instances ----------------------------------------------------------


def find_in_articles(argument: tuple[int, int, int], ids: IdRange, count: Callable[[int], None]) -> Counts:
    """Search some articles of (corpus id, seed, min_sentences); replace what an earlier search stored for them."""
    corpus_id, seed, min_sentences = argument
    counts = Counts()
    for chunk in batches(_articles(corpus_id, ids), CHUNK):
        entities = _entities_of(corpus_id, [article for _, article in chunk])
        found = [
            (pk, find_instances(article, named, seed=seed, min_sentences=min_sentences))
            for (pk, article), named in zip(chunk, entities, strict=True)
        ]
        _store(corpus_id, found)
        for (_, article), named, (_, findings) in zip(chunk, entities, found, strict=True):
            counts += _counts(article, findings, why_none(article, named, findings))
        count(len(chunk))
    return counts


def _entities_of(corpus_id: int, articles: Sequence[SourceArticle]) -> list[list[EntityValue]]:
    """Return each article's entities, asked for in one question."""
    names = [{_handle(tag) for tag in entity_tags(article)} for article in articles]
    wanted = set[str]().union(*names)
    rows = EntityName.objects.filter(corpus_id=corpus_id, folded__in=wanted).select_related("entity")
    by_name = {row.folded: _value(row.entity) for row in rows}
    return [sorted({by_name[name] for name in own if name in by_name}, key=lambda entity: entity.key) for own in names]


def _value(row: Entity) -> EntityValue:
    return EntityValue(
        row.key, EntityType(row.type), row.name, tuple(row.strict), tuple(row.loose), tuple(row.information)
    )


@transaction.atomic
def _store(corpus_id: int, found: Sequence[tuple[int, ArticleFindings]]) -> None:
    articles = [pk for pk, _ in found]
    keys = {entity.key for _, findings in found for entity in findings.mentioned}
    ids = dict(Entity.objects.filter(corpus_id=corpus_id, key__in=keys).values_list("key", "pk"))
    Appearance.objects.filter(article__in=articles).delete()
    Instance.objects.filter(article__in=articles).delete()
    Appearance.objects.bulk_create(
        (
            Appearance(article_id=pk, entity_id=ids[entity.key], mentions=_mentions(findings, entity.key))
            for pk, findings in found
            for entity in findings.mentioned
        ),
        batch_size=ROWS,
    )
    rows = (_instance_row(corpus_id, pk, value) for pk, findings in found for value in findings.instances)
    Instance.objects.bulk_create(rows, batch_size=ROWS)


def _mentions(findings: ArticleFindings, key: str) -> list[dict[str, str | int]]:
    return [
        {"part": part, "paragraph": m.paragraph, "start": m.start, "end": m.end, "form": m.form.value}
        for part, passage in _parts(findings)
        for m in passage.mentions
        if m.entity == key
    ]


def _parts(findings: ArticleFindings) -> tuple[tuple[str, Passage], ...]:
    return ("abstract", findings.reading.abstract), ("body", findings.reading.body)


def _instance_row(corpus_id: int, article_id: int, value: InstanceValue) -> Instance:
    keys = [entity.key for entity in value.entities]
    return Instance(
        corpus_id=corpus_id,
        article_id=article_id,
        key=value.key,
        group=value.group,
        type=value.type.value,
        size=len(keys),
        entity_keys=keys,
        entity_names=[entity.name for entity in value.entities],
        names_text="\n".join(entity.name for entity in value.entities),
        kind=value.context.kind.value,
        title=value.context.title,
        context=value.context.text,
        mentions=[{"entity": keys.index(m.entity), "start": m.start, "end": m.end} for m in value.context.mentions],
    )


def _counts(article: SourceArticle, findings: ArticleFindings, silence: Silence | None) -> Counts:
    is_untagged = all(tag.origin == RECOGNIZED for tag in article.tags)
    return Counts(
        articles=1,
        untagged_articles=int(is_untagged),
        recognized_articles=int(is_untagged and bool(article.tags)),
        tagged_articles=int(findings.is_tagged),
        tuples=findings.tuples,
        tuples_cut=findings.tuples_cut,
        crowded_windows=findings.crowded_windows,
        instances=len(findings.instances),
        instance_articles=int(bool(findings.instances)),
        silent_articles=Counter([silence.value] if silence else []),
    )


def silence_of(article: Article) -> Silence | None:
    """Return why the last search found no instance in an article; None before a search, and where it found some."""
    finding = Finding.objects.filter(corpus=article.corpus_id).first()
    if finding is None or article.instances.exists():
        return None
    ((_, value),) = _articles(article.corpus_id, (article.pk, article.pk))
    (named,) = _entities_of(article.corpus_id, [value])
    return why_none(value, named, find_instances(value, named, seed=finding.seed, min_sentences=finding.min_sentences))


def last_min_sentences(corpus: Corpus) -> int:
    """Return what the last search was asked for; 1 before the first."""
    return Finding.objects.filter(corpus=corpus).values_list("min_sentences", flat=True).first() or 1


# ---- The funnel -----------------------------------------------------------------------------------


def store_finding(
    corpus: Corpus,
    *,
    seed: int,
    table: EntityTable,
    counts: Counts,
    min_sentences: int = 1,
    last_correction: int = 0,
) -> Finding:
    """Keep the funnel, and how many articles and instances each entity has."""
    in_articles = dict(
        Appearance.objects.filter(entity__corpus=corpus).values_list("entity").annotate(n=Count("id")).order_by()
    )
    in_instances = dict[str, int]()
    for keys in Instance.objects.filter(corpus=corpus).values_list("entity_keys", flat=True).iterator():
        for key in keys:
            in_instances[key] = in_instances.get(key, 0) + 1
    for ids in batches(list(Entity.objects.filter(corpus=corpus).values_list("pk", flat=True)), ROWS):
        rows = list(Entity.objects.filter(pk__in=ids))
        for row in rows:
            row.articles, row.instances = in_articles.get(row.pk, 0), in_instances.get(row.key, 0)
        Entity.objects.bulk_update(rows, ["articles", "instances"])
    values = {f.name: getattr(counts, f.name) for f in fields(counts)} | {
        "seed": seed,
        "min_sentences": min_sentences,
        "last_correction": last_correction,
        "found_at": now(),
        "entities": len(table.entities),
        "type_conflicts": len(table.conflicts),
        "instance_entities": len(in_instances),
        "groups": Instance.objects.filter(corpus=corpus).aggregate(n=Count(F("group"), distinct=True))["n"],
    }
    with transaction.atomic():
        finding, _ = Finding.objects.update_or_create(corpus=corpus, defaults=values)
        Corpus.objects.filter(pk=corpus.pk).update(is_half_searched=False)
    return finding
