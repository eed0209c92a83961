"""Corpora: what was read of them, and how they were last searched."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from corpus.models import Article, Corpus, Finding, Instance, ReadProblem, ReadUnit, Recognition
from kernel.models import Job, JobStatus


@dataclass(frozen=True)
class ReadingCounts:
    """What was read from a corpus, over all units that were read to their end."""

    articles: int
    problems: int


def corpora_with_counts() -> QuerySet[Corpus]:
    """Return the corpora by name, each with the number of its articles, which an index alone can tell."""
    articles = Article.objects.filter(corpus=OuterRef("pk")).order_by().values("corpus")
    number = Subquery(articles.annotate(n=Count("pk")).values("n"))
    return Corpus.objects.annotate(article_count=Coalesce(number, 0)).order_by("name")


def drawable_corpora() -> QuerySet[Corpus]:
    """Return the corpora that have instances to draw from."""
    return corpora_with_counts().filter(Exists(Instance.objects.filter(corpus=OuterRef("pk"))))


def reading_counts(corpus: Corpus) -> ReadingCounts:
    problems = corpus.units.aggregate(n=Sum("problems"))["n"] or 0
    return ReadingCounts(corpus.articles.count(), problems)


def problems_of(corpus: Corpus) -> QuerySet[ReadProblem]:
    return ReadProblem.objects.filter(unit__corpus=corpus).order_by("id")


def finished_unit_keys(corpus: Corpus) -> set[str]:
    """Return the units that need not be read again. Units with problems are: somebody may have fixed their files."""
    return set(ReadUnit.objects.filter(corpus=corpus, problems=0).values_list("key", flat=True))


def is_half_searched(corpus: Corpus) -> bool:
    """Return whether a search was stopped after it had begun to replace rows; False while one is running."""
    running = Job.objects.filter(kind="find_instances", subject=str(corpus), status=JobStatus.RUNNING)
    return corpus.is_half_searched and not running.exists()


def last_min_sentences(corpus: Corpus) -> int:
    """Return the `min_sentences` of the last search; 1 before the first."""
    return Finding.objects.filter(corpus=corpus).values_list("min_sentences", flat=True).first() or 1


def last_pipeline(corpus: Corpus) -> str:
    """Return the name and version of the pipeline that last recognized names in this corpus; "" if there is none."""
    labels = Recognition.objects.filter(article__corpus=corpus).order_by("-id").values_list("pipeline", flat=True)
    return labels.first() or ""
