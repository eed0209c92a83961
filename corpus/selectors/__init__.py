"""What the corpora contain, for pages, the API, jobs and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from corpus.articles import EntityType
from corpus.backgrounds.base import BackgroundStatus
from corpus.corrections import Correction, CorrectionKind
from corpus.display import passage
from corpus.frozen import FrozenMention
from corpus.highlights import Piece, Span, letter_of, pieces
from corpus.models import (
    Appearance,
    Article,
    Background,
    Corpus,
    Entity,
    EntityCorrection,
    Finding,
    Instance,
    ReadProblem,
    ReadUnit,
    Recognition,
)
from corpus.no_instance import LABELS, NoInstance
from kernel.models import Job, JobStatus
from kernel.values import counted


@dataclass(frozen=True)
class ReadingCounts:
    """What was read from a corpus, over all units that were read to their end."""

    articles: int
    problems: int


def corpora() -> QuerySet[Corpus]:
    return Corpus.objects.annotate(article_count=Count("articles")).order_by("name")


def drawable_corpora() -> QuerySet[Corpus]:
    """Return the corpora that have instances to draw from."""
    return corpora().filter(Exists(Instance.objects.filter(corpus=OuterRef("pk"))))


def reading_counts(corpus: Corpus) -> ReadingCounts:
    problems = corpus.units.aggregate(n=Sum("problems"))["n"] or 0
    return ReadingCounts(corpus.articles.count(), problems)


def articles(corpus: Corpus, *, words: str = "", sort: str = "") -> QuerySet[Article]:
    """Return the articles of a corpus, earliest first; with `words`, only those whose title contains them."""
    articles = Article.objects.filter(corpus=corpus).order_by(
        "-published" if sort == "-published" else "published", "id"
    )
    return articles.filter(title__icontains=words) if words else articles


def problems(corpus: Corpus) -> QuerySet[ReadProblem]:
    return ReadProblem.objects.filter(unit__corpus=corpus).order_by("id")


def finished_unit_keys(corpus: Corpus) -> set[str]:
    """Return the units that need not be read again. Units with problems are: somebody may have fixed their files."""
    return set(ReadUnit.objects.filter(corpus=corpus, problems=0).values_list("key", flat=True))


# ---- Entities and instances -----------------------------------------------------------------------

# The original study's funnel on the New York Times of 2006 and 2007, for comparison.
PUBLISHED_FUNNEL = {
    "articles": 127_005, "tagged_articles": 36_091, "entities": 48_820, "tuples": 18_818, "instance_articles": 14_510,
    "instance_entities": 11_226, "instances": 56_933,
}  # fmt: skip


@dataclass(frozen=True)
class FunnelStep:
    label: str
    number: int
    note: str = ""
    published: int | None = None


def funnel(finding: Finding) -> list[FunnelStep]:
    """Return what was left after each step."""
    cut = f"{finding.tuples_cut:,} more were cut by the limit of an article" if finding.tuples_cut else ""
    conflicts = (
        f"{counted(finding.type_conflicts, 'name was', 'names were')} tagged with two types"
        if finding.type_conflicts
        else ""
    )
    published = PUBLISHED_FUNNEL
    return [
        FunnelStep("Articles", finding.articles, published=published["articles"]),
        FunnelStep("with two entities of one type", finding.tagged_articles, published=published["tagged_articles"]),
        FunnelStep("Entities", finding.entities, conflicts, published["entities"]),
        FunnelStep("Groups of entities in a passage", finding.tuples, cut, published["tuples"]),
        FunnelStep("Articles with an instance", finding.instance_articles, published=published["instance_articles"]),
        FunnelStep("Entities of an instance", finding.instance_entities, published=published["instance_entities"]),
        FunnelStep("Instances", finding.instances, published=published["instances"]),
        FunnelStep("Overlap groups", finding.groups, "a sample takes one instance of each"),
    ]


def silent_articles(finding: Finding) -> list[tuple[str, int]]:
    """Return the number of articles without an instance by reason, in the order of the funnel."""
    counts = finding.silent_articles
    return [(LABELS[reason], counts[reason.value]) for reason in NoInstance if counts.get(reason.value)]


def is_half_searched(corpus: Corpus) -> bool:
    """Return whether a search was stopped after it had begun to replace rows; False while one is running."""
    running = Job.objects.filter(kind="find_instances", subject=str(corpus), status=JobStatus.RUNNING)
    return corpus.is_half_searched and not running.exists()


def last_min_sentences(corpus: Corpus) -> int:
    """Return the `min_sentences` of the last search; 1 before the first."""
    return Finding.objects.filter(corpus=corpus).values_list("min_sentences", flat=True).first() or 1


def entities(corpus: Corpus, *, type: str = "", words: str = "", sort: str = "") -> QuerySet[Entity]:
    """Return the entities of a corpus, those in most articles first; an unknown type or order is ignored."""
    order = [sort] if sort.removeprefix("-") in ("name", "articles", "instances") else []
    entities = Entity.objects.filter(corpus=corpus).order_by(*order, "-articles", "name", "id")
    entities = entities.filter(type=type) if type in list(EntityType) else entities
    return entities.filter(name__icontains=words) if words else entities


def article_of(value: Mapping[str, Any]) -> int | None:
    """Return the id of the article that a frozen item is from; None if it is from none, or no longer here."""
    here = Article.objects.filter(corpus__name=value.get("corpus", ""), source_id=value.get("article_id", ""))
    return here.values_list("pk", flat=True).first() if value.get("article_id") else None


def articles_of(entity: Entity) -> QuerySet[Appearance]:
    return Appearance.objects.filter(entity=entity).select_related("article").order_by("article__published", "id")


def instances(corpus: Corpus, *, type: str = "", size: int = 0, words: str = "") -> QuerySet[Instance]:
    """Return the instances of a corpus; an unknown type and the size 0 are ignored."""
    instances = Instance.objects.filter(corpus=corpus).order_by("id")
    instances = instances.filter(type=type) if type in list(EntityType) else instances
    instances = instances.filter(size=size) if size else instances
    return instances.filter(names_text__icontains=words) if words else instances


def instance_pieces(instance: Instance) -> tuple[tuple[Piece, ...], ...]:
    """Return the paragraphs of the passage, split at the mentions."""
    mentions = [FrozenMention(**mention) for mention in instance.mentions]
    return passage(instance.context, mentions, instance.entity_names)


@dataclass(frozen=True)
class Reader:
    """An article with its mentions marked, and the letter of each entity."""

    abstract: list[Piece]
    paragraphs: list[list[Piece]]
    entities: list[tuple[str, Entity]]  # letter, entity


def reader(article: Article) -> Reader:
    appearances = list(article.appearances.select_related("entity"))
    appearances.sort(key=lambda appearance: min((m["part"], m["paragraph"], m["start"]) for m in appearance.mentions))
    spans: dict[tuple[str, int], list[Span]] = {}
    for number, appearance in enumerate(appearances):
        for m in appearance.mentions:
            span = Span(m["start"], m["end"], number, appearance.entity.name)
            spans.setdefault((m["part"], m["paragraph"]), []).append(span)
    return Reader(
        abstract=list(pieces(article.abstract, spans.get(("abstract", 0), []))),
        paragraphs=[list(pieces(text, spans.get(("body", n), []))) for n, text in enumerate(article.paragraphs)],
        entities=[(letter_of(number), appearance.entity) for number, appearance in enumerate(appearances)],
    )


# ---- Backgrounds ----------------------------------------------------------------------------------

# Most doubtful first: needs a choice, may have a page after all, needs a glance.
TO_CHECK = (BackgroundStatus.AMBIGUOUS.value, BackgroundStatus.MISSING.value, BackgroundStatus.LIKELY.value)
# What a person should look at: a background that nobody has decided about, a name that only a pipeline knows.
WAITING = {
    "background": Q(background__status__in=TO_CHECK, background__decided_by=None),
    "review": Q(is_recognized=True, is_reviewed=False),
}


def background_counts(corpus: Corpus) -> dict[str, int]:
    """Return the number of backgrounds by status."""
    rows = Background.objects.filter(entity__corpus=corpus).values_list("status").annotate(n=Count("id")).order_by()
    counts = dict(rows)
    return {status.value: counts[status.value] for status in BackgroundStatus if status.value in counts}


def backgrounds_to_check(corpus: Corpus) -> QuerySet[Entity]:
    """Return the entities whose background a person should check, those in most instances first."""
    waiting = Entity.objects.filter(WAITING["background"], corpus=corpus)
    return waiting.select_related("background").order_by("-instances", "id")


def entities_not_looked_up(corpus: Corpus) -> QuerySet[Entity]:
    """Return the entities of instances whose background nobody has looked up."""
    return Entity.objects.filter(corpus=corpus, instances__gt=0, background=None)


def entities_waiting(corpora: Sequence[Corpus]) -> dict[str, list[tuple[Corpus, int]]]:
    """Return for each key of WAITING the corpora with entities that wait for a person, with their number."""
    waiting = {}
    for what, waits in WAITING.items():
        rows = Entity.objects.filter(waits, corpus__in=corpora).values_list("corpus").annotate(Count("pk"))
        counts = dict(rows.order_by())
        waiting[what] = [(corpus, counts[corpus.pk]) for corpus in corpora if corpus.pk in counts]
    return waiting


def passages_of(entity: Entity, most: int = 3) -> list[tuple[Article, list[list[Piece]]]]:
    """Return some articles, each with the first texts (abstract, paragraphs) that mention the entity, marked."""
    passages = []
    for appearance in articles_of(entity)[:most]:
        spans: dict[tuple[str, int], list[Span]] = {}
        for m in appearance.mentions:
            place = (m["part"], m["paragraph"])  # "abstract" comes before "body"
            spans.setdefault(place, []).append(Span(m["start"], m["end"], 0, entity.name))
        article = appearance.article
        texts = {place: article.abstract if place[0] == "abstract" else article.paragraphs[place[1]] for place in spans}
        passages.append((article, [list(pieces(texts[place], spans[place])) for place in sorted(spans)[:most]]))
    return passages


# ---- Corrections ----------------------------------------------------------------------------------


def corrections(corpus: Corpus) -> QuerySet[EntityCorrection]:
    """Return the corrections to the entities of a corpus, newest first."""
    rows = EntityCorrection.objects.filter(corpus=corpus)
    return rows.select_related("made_by", "undone_by", "undoes").order_by("-id")


def corrections_in_force(corpus: Corpus) -> QuerySet[EntityCorrection]:
    """Return the corrections that were not undone, oldest first."""
    rows = EntityCorrection.objects.filter(corpus=corpus, undone_by=None).exclude(kind=CorrectionKind.UNDO)
    return rows.order_by("id")


def corrections_to_apply(corpus: Corpus) -> list[Correction]:
    """Return the same corrections as values, for a search."""
    return [
        Correction(CorrectionKind(row.kind), tuple(row.names), tuple(row.into), row.value)
        for row in corrections_in_force(corpus)
    ]


def last_correction_id(corpus: Corpus) -> int:
    """Return the id of the newest correction; 0 if there is none."""
    return EntityCorrection.objects.filter(corpus=corpus).order_by("-id").values_list("id", flat=True).first() or 0


def corrections_waiting(corpus: Corpus) -> int:
    """Return the number of corrections made since the last search, which entities and instances do not reflect yet."""
    finding = Finding.objects.filter(corpus=corpus).first()
    rows = EntityCorrection.objects.filter(corpus=corpus).exclude(kind=CorrectionKind.ACCEPT)
    rows = rows.exclude(undoes__kind=CorrectionKind.ACCEPT)
    return rows.filter(id__gt=finding.last_correction).count() if finding else 0


def corrections_of(entity: Entity) -> list[EntityCorrection]:
    """Return the corrections of an entity that were not undone, newest first."""
    own = set(entity.names.values_list("folded", flat=True))
    rows = corrections_in_force(entity.corpus).select_related("made_by").reverse()
    return [row for row in rows if own & {*row.names, *row.into}]


def merge_candidates(entity: Entity, *, words: str = "", most: int = 12) -> QuerySet[Entity]:
    """Return entities that may be the same: their names contain the words, or else the entity's last word."""
    last = entity.name.split()[-1] if entity.name.split() else entity.name
    others = Entity.objects.filter(corpus=entity.corpus_id, name__icontains=words or last).exclude(pk=entity.pk)
    others = others if words else others.filter(type=entity.type)
    return others.order_by("-articles", "name")[:most]


def entities_to_review(corpus: Corpus) -> QuerySet[Entity]:
    """Return the entities that only a pipeline named and nobody has reviewed, those in most articles first."""
    entities = Entity.objects.filter(WAITING["review"], corpus=corpus)
    return entities.order_by("-articles", "-instances", "id")


def last_pipeline(corpus: Corpus) -> str:
    """Return the name and version of the pipeline that last recognized names in this corpus; "" if there is none."""
    labels = Recognition.objects.filter(article__corpus=corpus).order_by("-id").values_list("pipeline", flat=True)
    return labels.first() or ""
