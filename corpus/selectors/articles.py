"""Articles of a corpus, and one article with its mentions marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from corpus.highlights import Piece, Span, letter_of, pieces
from corpus.models import Article, Corpus, Entity


def articles_in(corpus: Corpus, *, words: str = "", sort: str = "") -> QuerySet[Article]:
    """Return the articles of a corpus, earliest first; with `words`, only those whose title contains them."""
    order = ("-published", "-id") if sort == "-published" else ("published", "id")  # an index, either way round
    articles = Article.objects.filter(corpus=corpus).order_by(*order)
    return articles.filter(title__icontains=words) if words else articles


def article_of(value: Mapping[str, Any]) -> int | None:
    """Return the id of the article that a frozen item is from; None if it is from none, or no longer here."""
    here = Article.objects.filter(corpus__name=value.get("corpus", ""), source_id=value.get("article_id", ""))
    return here.values_list("pk", flat=True).first() if value.get("article_id") else None


@dataclass(frozen=True)
class Reader:
    """An article with its mentions marked, and the letter of each entity."""

    abstract: list[Piece]
    paragraphs: list[list[Piece]]
    entities: list[tuple[str, Entity]]  # letter, entity


def reader_of(article: Article) -> Reader:
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
