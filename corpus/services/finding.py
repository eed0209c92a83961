"""From stored articles to entities, mentions and instances. A search replaces what the last one stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import chain

from django.conf import settings
from django.db import transaction
from django.db.models import Count

from corpus.article_tags import entity_tags
from corpus.articles import SourceArticle
from corpus.entities import EntityIndex, EntityTable, EntityValue, Spelling
from corpus.instances import ArticleFindings, InstanceValue, find_instances
from corpus.models import Appearance, Article, Corpus, Entity, EntityName, Finding, Instance
from corpus.names_from import NamesFrom, NamesSetting
from corpus.no_instance import NoInstance, why_none
from corpus.recognition_process import RecognitionProcess
from corpus.selectors.corrections import corrections_to_apply
from corpus.selectors.finding import (
    LONGEST_HANDLE,
    PAGE,
    IdRange,
    articles_to_recognize,
    entities_by_article,
    source_articles,
)
from corpus.services import backgrounds, recognizing
from kernel.clock import now
from kernel.values import batches

RANGE = 500  # articles that a process takes at a time
CHUNK = 25  # articles per transaction
ROWS = 500  # rows per INSERT


@dataclass
class Counts:
    """What a search found in some articles; the counts of different articles add up."""

    articles: int = 0
    untagged_articles: int = 0
    recognized_articles: int = 0
    tagged_articles: int = 0
    tuples: int = 0
    tuples_cut: int = 0
    crowded_windows: int = 0
    instances: int = 0
    recognized_instances: int = 0
    instance_articles: int = 0
    silent_articles: Counter[str] = field(default_factory=Counter)  # by reason

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def id_ranges(corpus: Corpus) -> list[IdRange]:
    """Return ranges of article ids that cover the corpus, RANGE articles in each."""
    ids = Article.objects.filter(corpus=corpus).order_by("id").values_list("id", flat=True)
    return [(batch[0], batch[-1]) for batch in batches(ids.iterator(chunk_size=10_000), RANGE)]


# ---- First pass: entities -------------------------------------------------------------------------


def index_articles(argument: tuple[int, NamesSetting], ids: IdRange, count: Callable[[int], None]) -> EntityIndex:
    """Count the names in some articles, after recognizing them where the setting asks for it.

    `argument` is (corpus id, setting).
    """
    corpus_id, setting = argument
    index = EntityIndex()
    article_ids = Article.objects.filter(corpus_id=corpus_id, id__range=ids).order_by("id").values_list("id", flat=True)
    with RecognitionProcess(settings.SPACY_PIPELINE) as process:
        for page in batches(article_ids, PAGE):
            for chunk in batches([*articles_to_recognize(page, setting).values_list("id", flat=True)], CHUNK):
                recognizing.recognize_names([*Article.objects.filter(pk__in=chunk).order_by("id")], process)
                count(0)  # the search can be cancelled here
            for _, article in source_articles(corpus_id, (page[0], page[-1]), setting):
                index.add(entity_tags(article), article)
            count(len(page))
    return index


def store_entities(corpus: Corpus, index: EntityIndex, report: Callable[[str], None]) -> EntityTable:
    """Decide which names are one entity and store the entities; delete those that no longer exist."""
    report("Deciding which names are one entity")
    corrections = corrections_to_apply(corpus)
    table = index.decide(corrections)
    Corpus.objects.filter(pk=corpus.pk).update(is_half_searched=True)  # until the finding is stored
    spellings = index.spellings()
    corrected = {handle for correction in corrections for handle in correction.handles}
    tagged = {entity.key for handle, entity in table.by_handle.items() if not spellings[handle].is_recognized}
    reviewed = {entity.key for handle, entity in table.by_handle.items() if handle in corrected}
    for number, batch in enumerate(batches(table.entities, ROWS)):
        report(f"Storing entities: {number * ROWS:,} of {len(table.entities):,}")
        Entity.objects.bulk_create(
            [
                _entity_row(corpus, entity, is_recognized=entity.key not in tagged, is_reviewed=entity.key in reviewed)
                for entity in batch
            ],
            update_conflicts=True,
            unique_fields=["corpus", "key"],
            update_fields=["type", "name", "strict", "loose", "information", "is_recognized", "is_reviewed"],
        )
    _drop_entities(corpus, table)
    _store_names(corpus, spellings, table)
    return table


def _drop_entities(corpus: Corpus, table: EntityTable) -> None:
    """Delete the entities that no longer exist; a background moves to the entity that has the names now."""
    keep = {entity.key for entity in table.entities}
    gone = [pk for pk, key in Entity.objects.filter(corpus=corpus).values_list("pk", "key") if key not in keep]
    for batch in batches(gone, ROWS):
        names = EntityName.objects.filter(entity__in=batch).order_by("-articles", "id").values_list("entity", "folded")
        heirs = {pk: table.by_handle[folded].key for pk, folded in reversed([*names]) if folded in table.by_handle}
        kept = backgrounds.move_backgrounds(corpus, batch, heirs)
        Entity.objects.filter(pk__in=set(batch) - kept).delete()


def _entity_row(corpus: Corpus, entity: EntityValue, *, is_recognized: bool, is_reviewed: bool) -> Entity:
    values = asdict(entity) | {"type": entity.type.value}
    return Entity(corpus=corpus, **values, is_recognized=is_recognized, is_reviewed=is_reviewed)


def _store_names(corpus: Corpus, spellings: Mapping[str, Spelling], table: EntityTable) -> None:
    ids = dict(Entity.objects.filter(corpus=corpus).values_list("key", "pk"))
    names = {
        handle[:LONGEST_HANDLE]: EntityName(
            corpus=corpus,
            folded=handle[:LONGEST_HANDLE],
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
    for batch in batches(names.values(), ROWS):
        EntityName.objects.bulk_create(
            batch,
            update_conflicts=True,
            unique_fields=["corpus", "folded"],
            update_fields=["entity", "text", "articles"],
        )


# ---- Second pass: mentions and instances ----------------------------------------------------------


def find_in_articles(
    argument: tuple[int, NamesSetting, int, int], ids: IdRange, count: Callable[[int], None]
) -> Counts:
    """Search the articles in a range; replace what an earlier search stored for them.

    `argument` is (corpus id, setting, seed, min_sentences).
    """
    corpus_id, setting, seed, min_sentences = argument
    counts = Counts()
    for chunk in batches(source_articles(corpus_id, ids, setting), CHUNK):
        entities = entities_by_article(corpus_id, [article for _, article in chunk])
        results = [
            (pk, find_instances(article, named, seed=seed, min_sentences=min_sentences))
            for (pk, article), named in zip(chunk, entities, strict=True)
        ]
        _store(corpus_id, results)
        for (_, article), named, (_, findings) in zip(chunk, entities, results, strict=True):
            counts += _counts(article, findings, why_none(article, named, findings))
        count(len(chunk))
    return counts


@transaction.atomic
def _store(corpus_id: int, results: Sequence[tuple[int, ArticleFindings]]) -> None:
    articles = [pk for pk, _ in results]
    keys = {entity.key for _, findings in results for entity in findings.mentioned}
    ids = dict(Entity.objects.filter(corpus_id=corpus_id, key__in=keys).values_list("key", "pk"))
    Appearance.objects.filter(article__in=articles).delete()
    Instance.objects.filter(article__in=articles).delete()
    Appearance.objects.bulk_create(
        (
            Appearance(article_id=pk, entity_id=ids[entity.key], mentions=_mentions(findings, entity.key))
            for pk, findings in results
            for entity in findings.mentioned
        ),
        batch_size=ROWS,
    )
    rows = (_instance_row(corpus_id, pk, value, findings) for pk, findings in results for value in findings.instances)
    Instance.objects.bulk_create(rows, batch_size=ROWS)


def _mentions(findings: ArticleFindings, key: str) -> list[dict[str, str | int]]:
    return [
        {"part": part, "paragraph": m.paragraph, "start": m.start, "end": m.end, "form": m.form.value}
        for part, passage in (("abstract", findings.reading.abstract), ("body", findings.reading.body))
        for m in passage.mentions
        if m.entity == key
    ]


def _instance_row(corpus_id: int, article_id: int, value: InstanceValue, findings: ArticleFindings) -> Instance:
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
        names_from=findings.names_from.value,
    )


def _counts(article: SourceArticle, findings: ArticleFindings, reason: NoInstance | None) -> Counts:
    is_untagged = findings.names_from is NamesFrom.RECOGNITION
    return Counts(
        articles=1,
        untagged_articles=int(is_untagged),
        recognized_articles=int(is_untagged and bool(article.tags)),
        tagged_articles=int(findings.is_tagged),
        tuples=findings.tuples,
        tuples_cut=findings.tuples_cut,
        crowded_windows=findings.crowded_windows,
        instances=len(findings.instances),
        recognized_instances=len(findings.instances) if is_untagged else 0,
        instance_articles=int(bool(findings.instances)),
        silent_articles=Counter([reason.value] if reason else []),
    )


# ---- The funnel -----------------------------------------------------------------------------------


def store_finding(
    corpus: Corpus,
    *,
    seed: int,
    table: EntityTable,
    counts: Counts,
    setting: NamesSetting,
    min_sentences: int = 1,
    last_correction: int = 0,
) -> Finding:
    """Store the funnel, and the number of articles and instances of each entity."""
    in_articles = dict(
        Appearance.objects.filter(entity__corpus=corpus).values_list("entity").annotate(n=Count("id")).order_by()
    )
    keys = Instance.objects.filter(corpus=corpus).values_list("entity_keys", flat=True)
    in_instances = Counter(chain.from_iterable(keys.iterator()))
    for ids in batches(list(Entity.objects.filter(corpus=corpus).values_list("pk", flat=True)), ROWS):
        rows = list(Entity.objects.filter(pk__in=ids))
        for row in rows:
            row.articles, row.instances = in_articles.get(row.pk, 0), in_instances[row.key]
        Entity.objects.bulk_update(rows, ["articles", "instances"])
    values = vars(counts) | {
        "seed": seed,
        "min_sentences": min_sentences,
        "names_from": setting.value,
        "last_correction": last_correction,
        "found_at": now(),
        "entities": len(table.entities),
        "type_conflicts": len(table.conflicts),
        "instance_entities": len(in_instances),
        "groups": Instance.objects.filter(corpus=corpus).aggregate(n=Count("group", distinct=True))["n"],
    }
    with transaction.atomic():
        finding, _ = Finding.objects.update_or_create(corpus=corpus, defaults=values)
        Corpus.objects.filter(pk=corpus.pk).update(is_half_searched=False)
    return finding
