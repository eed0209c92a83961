"""Recognizing names in stored articles that carry no tags, once for each article and pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from corpus import recognition
from corpus.models import Article, Corpus, Recognition
from corpus.recognition_process import RecognitionProcess
from tesa_site.kernel import spacy_pipelines


def check_pipeline(corpus: Corpus) -> None:
    """Raise InvalidInput when names must be recognized and the pipeline is not installed.

    An installation without the default pipeline still searches the articles that carry tags.
    """
    articles = Article.objects.filter(corpus=corpus)
    if not settings.SPACY_PIPELINE or not articles.filter(tags=[]).exists():
        return
    if settings.SPACY_PIPELINE == spacy_pipelines.DEFAULT and articles.exclude(tags=[]).exists():
        return
    recognition.check(settings.SPACY_PIPELINE)


def is_available() -> bool:
    """Tell whether a pipeline is set and installed on this machine."""
    return spacy_pipelines.folder_of(settings.SPACY_PIPELINE) is not None


def recognize_names(articles: Sequence[Article], process: RecognitionProcess) -> None:
    """Store the names of those articles that nobody tagged and that this pipeline has not read yet."""
    untagged = [article for article in articles if not article.tags]
    if not (untagged and is_available()):
        return
    label = spacy_pipelines.label_of(process.pipeline)
    known = Recognition.objects.filter(article__in=untagged, pipeline=label)
    done = set(known.values_list("article_id", flat=True))
    new = [article for article in untagged if article.pk not in done]
    if not new:
        return
    texts = {article.pk: [*article.paragraphs, article.abstract] for article in new}
    worth = [pk for pk in texts if recognition.may_hold_names(texts[pk])]
    found = dict(zip(worth, process.recognize([texts[pk] for pk in worth]), strict=True)) if worth else {}
    Recognition.objects.bulk_create(
        [
            Recognition(
                article=article,
                pipeline=label,
                tags=[
                    {"text": tag.text, "type": tag.type.value, "origin": tag.origin}
                    for tag in found.get(article.pk, ())
                ],
            )
            for article in new
        ],
        update_conflicts=True,
        unique_fields=["article"],
        update_fields=["pipeline", "tags"],
    )
