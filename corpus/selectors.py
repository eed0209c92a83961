"""What is in the corpora, for pages, the API and commands."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, QuerySet, Sum

from corpus.models import Article, Corpus, ReadProblem


@dataclass(frozen=True)
class ReadingCounts:
    """What reading a corpus found, over all units that were read to their end."""

    units: int
    articles: int
    problems: int


def corpora() -> QuerySet[Corpus]:
    return Corpus.objects.annotate(article_count=Count("articles")).order_by("name")


def reading_counts(corpus: Corpus) -> ReadingCounts:
    sums = corpus.units.aggregate(units=Count("id"), problems=Sum("problems"))
    return ReadingCounts(sums["units"], corpus.articles.count(), sums["problems"] or 0)


def articles(corpus: Corpus, *, words: str = "") -> QuerySet[Article]:
    """Return a corpus's articles in the order they were read; those whose title holds the words, if any are given."""
    found = Article.objects.filter(corpus=corpus).order_by("id")
    return found.filter(title__icontains=words) if words else found


def problems(corpus: Corpus) -> QuerySet[ReadProblem]:
    return ReadProblem.objects.filter(unit__corpus=corpus).order_by("id")
