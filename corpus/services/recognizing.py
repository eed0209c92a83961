"""Recognizing names in stored articles, once per article and pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from corpus import recognition
from corpus.models import Article, Corpus, Recognition
from corpus.names_from import NamesSetting
from corpus.recognition import SETTING
from corpus.recognition_process import RecognitionProcess
from kernel import spacy_pipelines
from kernel.errors import InvalidInput


def check_pipeline(corpus: Corpus, setting: NamesSetting) -> None:
    """Raise InvalidInput if names must be recognized and the pipeline is not installed, or recognition is turned off.

    Without the default pipeline, a search for tags and recognized names still covers the articles that have tags.
    """
    if setting is NamesSetting.TAGS:
        return
    if not settings.SPACY_PIPELINE:
        if corpus.names_from == NamesSetting.RECOGNITION:
            raise InvalidInput("recognition is turned off: name a pipeline, or take names from tags", field=SETTING)
        return
    articles = Article.objects.filter(corpus=corpus)
    if setting is NamesSetting.TAGS_OR_RECOGNITION and not articles.filter(tags=[]).exists():
        return
    has_tags = setting is NamesSetting.TAGS_OR_RECOGNITION and articles.exclude(tags=[]).exists()
    if settings.SPACY_PIPELINE == spacy_pipelines.DEFAULT and has_tags:
        return
    recognition.check(settings.SPACY_PIPELINE)


def is_available() -> bool:
    """Return whether a pipeline is configured and installed on this machine."""
    return spacy_pipelines.folder_of(settings.SPACY_PIPELINE) is not None


def recognize_names(articles: Sequence[Article], process: RecognitionProcess) -> None:
    """Store the names in articles, except those that this pipeline has read already."""
    if not is_available():
        return
    label = spacy_pipelines.label_of(process.pipeline)
    known = Recognition.objects.filter(article__in=articles, pipeline=label, rules=recognition.RULES)
    done = set(known.values_list("article_id", flat=True))
    new = [article for article in articles if article.pk not in done]
    texts = {article.pk: [*article.paragraphs, article.abstract] for article in new}
    readable = [pk for pk in texts if recognition.may_hold_names(texts[pk])]
    tags = dict(zip(readable, process.recognize([texts[pk] for pk in readable]), strict=True)) if readable else {}
    Recognition.objects.bulk_create(
        [
            Recognition(
                article=article,
                pipeline=label,
                rules=recognition.RULES,
                tags=[tag.to_json() for tag in tags.get(article.pk, ())],
            )
            for article in new
        ],
        update_conflicts=True,
        unique_fields=["article"],
        update_fields=["pipeline", "rules", "tags"],
    )
