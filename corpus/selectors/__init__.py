"""What is in the corpora, for pages, the API and commands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, QuerySet, Sum

from corpus.articles import EntityType
from corpus.backgrounds.base import Status
from corpus.backgrounds.cleaning import display_text
from corpus.corrections import CorrectionKind
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
    Recognition,
)
from corpus.silence import LABELS, Silence
from tesa_site.kernel.models import Job, JobStatus
from tesa_site.kernel.values import counted


@dataclass(frozen=True)
class ReadingCounts:
    """What reading a corpus found, over all units that were read to their end."""

    units: int
    articles: int
    problems: int


def corpora() -> QuerySet[Corpus]:
    return Corpus.objects.annotate(article_count=Count("articles")).order_by("name")


def drawable_corpora() -> QuerySet[Corpus]:
    """Return the corpora that hold instances to draw from."""
    return corpora().filter(Exists(Instance.objects.filter(corpus=OuterRef("pk"))))


def reading_counts(corpus: Corpus) -> ReadingCounts:
    sums = corpus.units.aggregate(units=Count("id"), problems=Sum("problems"))
    return ReadingCounts(sums["units"], corpus.articles.count(), sums["problems"] or 0)


def articles(corpus: Corpus, *, words: str = "") -> QuerySet[Article]:
    """Return a corpus's articles, the earliest first; those whose title holds the words, if any are given."""
    found = Article.objects.filter(corpus=corpus).order_by("published", "id")
    return found.filter(title__icontains=words) if words else found


def problems(corpus: Corpus) -> QuerySet[ReadProblem]:
    return ReadProblem.objects.filter(unit__corpus=corpus).order_by("id")


# ---- Entities and instances -----------------------------------------------------------------------

# The original's funnel on the New York Times of 2006 and 2007, to compare with.
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
    """Return how much was left after each step."""
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
        FunnelStep("Tuples that a passage mentions", finding.tuples, cut, published["tuples"]),
        FunnelStep("Articles with an instance", finding.instance_articles, published=published["instance_articles"]),
        FunnelStep("Entities of an instance", finding.instance_entities, published=published["instance_entities"]),
        FunnelStep("Instances", finding.instances, published=published["instances"]),
        FunnelStep("Overlap groups", finding.groups, "a sample takes one instance of each"),
    ]


def silent_articles(finding: Finding) -> list[tuple[str, int]]:
    """Return how many articles gave no instance for which reason, in the order of the funnel."""
    counts = finding.silent_articles
    return [(LABELS[silence], counts[silence.value]) for silence in Silence if counts.get(silence.value)]


def funnel_rows(steps: Iterable[FunnelStep]) -> list[tuple[str, int, int | None]]:
    """Return what the plot of a funnel shows."""
    return [(step.label, step.number, step.published) for step in steps]


def is_half_searched(corpus: Corpus) -> bool:
    """Tell whether a search was stopped after it had begun to replace what was found before; one at work is not."""
    at_work = Job.objects.filter(kind="find_instances", subject=str(corpus), status=JobStatus.RUNNING)
    return corpus.is_half_searched and not at_work.exists()


def entities(corpus: Corpus, *, type: str = "", words: str = "") -> QuerySet[Entity]:
    """Return a corpus's entities, the most mentioned first."""
    found = Entity.objects.filter(corpus=corpus).order_by("-articles", "name")
    found = found.filter(type=type) if type in list(EntityType) else found
    return found.filter(name__icontains=words) if words else found


def articles_of(entity: Entity) -> QuerySet[Appearance]:
    found = Appearance.objects.filter(entity=entity).select_related("article")
    return found.order_by("article__published", "id")


def instances(corpus: Corpus, *, type: str = "", size: int = 0, words: str = "") -> QuerySet[Instance]:
    found = Instance.objects.filter(corpus=corpus).order_by("id")
    found = found.filter(type=type) if type in list(EntityType) else found
    found = found.filter(size=size) if size else found
    return found.filter(names_text__icontains=words) if words else found


def instance_pieces(instance: Instance) -> tuple[tuple[Piece, ...], ...]:
    """Return the passage's paragraphs, cut at the mentions."""
    mentions = [FrozenMention(m["entity"], m["start"], m["end"]) for m in instance.mentions]
    return passage(instance.context, mentions, instance.entity_names)


@dataclass(frozen=True)
class Reader:
    """An article as the reader shows it: pieces by paragraph, and who is who."""

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

# In the order of doubt: what needs a choice, what may have a page after all, what needs a glance.
TO_CHECK = (Status.AMBIGUOUS.value, Status.MISSING.value, Status.LIKELY.value)


def background_counts(corpus: Corpus) -> dict[str, int]:
    """Return how many backgrounds stand at which status."""
    rows = Background.objects.filter(entity__corpus=corpus).values_list("status").annotate(n=Count("id")).order_by()
    counts = dict(rows)
    return {status.value: counts[status.value] for status in Status if status.value in counts}


def backgrounds_to_check(corpus: Corpus) -> QuerySet[Entity]:
    """Return the entities whose background a person should look at, those of most instances first."""
    waiting = Entity.objects.filter(corpus=corpus, background__status__in=TO_CHECK, background__decided_by=None)
    return waiting.select_related("background").order_by("-instances", "id")


def shown(text: str) -> str:
    """Return a background as an annotator sees it: cleaned, at most 600 characters."""
    return display_text(text)


def passages_of(entity: Entity, most: int = 3) -> list[tuple[Article, list[list[Piece]]]]:
    """Return some articles with the first texts (abstract, paragraphs) that mention the entity, the mentions marked."""
    found = []
    for appearance in articles_of(entity)[:most]:
        spans: dict[tuple[str, int], list[Span]] = {}
        for m in appearance.mentions:
            place = (m["part"], m["paragraph"])  # "abstract" comes before "body"
            spans.setdefault(place, []).append(Span(m["start"], m["end"], 0, entity.name))
        article = appearance.article
        texts = {place: article.abstract if place[0] == "abstract" else article.paragraphs[place[1]] for place in spans}
        found.append((article, [list(pieces(texts[place], spans[place])) for place in sorted(spans)[:most]]))
    return found


# ---- Corrections ----------------------------------------------------------------------------------


def corrections(corpus: Corpus) -> QuerySet[EntityCorrection]:
    """Return what people said about a corpus's entities, the newest first."""
    found = EntityCorrection.objects.filter(corpus=corpus)
    return found.select_related("made_by", "undone_by", "undoes").order_by("-id")


def corrections_in_force(corpus: Corpus) -> QuerySet[EntityCorrection]:
    """Return the corrections that nobody took back, the oldest first."""
    found = EntityCorrection.objects.filter(corpus=corpus, undone_by=None).exclude(kind=CorrectionKind.UNDO)
    return found.order_by("id")


def corrections_waiting(corpus: Corpus) -> int:
    """Return how many corrections the last search does not know: entities and instances are older than these."""
    finding = Finding.objects.filter(corpus=corpus).first()
    rows = EntityCorrection.objects.filter(corpus=corpus).exclude(kind=CorrectionKind.ACCEPT)
    rows = rows.exclude(undoes__kind=CorrectionKind.ACCEPT)
    return rows.filter(id__gt=finding.last_correction).count() if finding else 0


def corrections_of(entity: Entity) -> list[EntityCorrection]:
    """Return what holds about an entity, the newest first."""
    own = set(entity.names.values_list("folded", flat=True))
    rows = corrections_in_force(entity.corpus).select_related("made_by").reverse()
    return [row for row in rows if own & {*row.names, *row.into}]


def merge_candidates(entity: Entity, *, words: str = "", most: int = 12) -> QuerySet[Entity]:
    """Return entities that may be this one: those whose name holds the words, or else its last word."""
    last = entity.name.split()[-1] if entity.name.split() else entity.name
    found = Entity.objects.filter(corpus=entity.corpus_id, name__icontains=words or last).exclude(pk=entity.pk)
    found = found if words else found.filter(type=entity.type)
    return found.order_by("-articles", "name")[:most]


def entities_to_review(corpus: Corpus) -> QuerySet[Entity]:
    """Return the entities that only a pipeline names and no person has looked at, the most mentioned first."""
    found = Entity.objects.filter(corpus=corpus, is_recognized=True, is_reviewed=False)
    return found.order_by("-articles", "-instances", "id")


def last_pipeline(corpus: Corpus) -> str:
    """Return the name and version of the pipeline that last recognized names in this corpus; "" if none did."""
    found = Recognition.objects.filter(article__corpus=corpus).order_by("-id").values_list("pipeline", flat=True)
    return found.first() or ""
