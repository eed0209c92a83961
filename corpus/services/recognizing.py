"""Recognizing names in stored articles that carry no tags, once for each article and pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from corpus import recognition
from corpus.models import Article, Corpus, Recognition


def check_pipeline(corpus: Corpus) -> None:
    """Raise InvalidInput when names must be recognized and the pipeline that is set cannot be had."""
    if settings.SPACY_PIPELINE and Article.objects.filter(corpus=corpus, tags=[]).exists():
        recognition.check(settings.SPACY_PIPELINE)


def recognize_names(articles: Sequence[Article]) -> None:
    """Store the names of those articles that nobody tagged; without a pipeline what was recognized before stays."""
    untagged = [article for article in articles if not article.tags]
    if not (settings.SPACY_PIPELINE and untagged):
        return
    recognizer = recognition.load(settings.SPACY_PIPELINE)
    known = Recognition.objects.filter(article__in=untagged, pipeline=recognizer.label)
    done = set(known.values_list("article_id", flat=True))
    new = [article for article in untagged if article.pk not in done]
    if not new:
        return
    found = recognition.recognize(recognizer, [[*article.paragraphs, article.abstract] for article in new])
    Recognition.objects.bulk_create(
        [
            Recognition(
                article=article,
                pipeline=recognizer.label,
                tags=[{"text": tag.text, "type": tag.type.value, "origin": tag.origin} for tag in tags],
            )
            for article, tags in zip(new, found, strict=True)
        ],
        update_conflicts=True,
        unique_fields=["article"],
        update_fields=["pipeline", "tags"],
    )
