"""What the tabs of a corpus count."""

from __future__ import annotations

from django import template

from corpus.forms import SOURCE_LABELS
from corpus.models import Corpus
from corpus.selectors.corpora import reading_counts
from corpus.selectors.waiting import backgrounds_to_check, entities_to_review

register = template.Library()


@register.filter
def source_name(source: str) -> str:
    """Return the name of an archive's format without what explains it: NITF, JSON lines."""
    return SOURCE_LABELS.get(source, source).partition(" (")[0]


@register.simple_tag
def corpus_counts(corpus: Corpus) -> dict[str, int]:
    read, finding = reading_counts(corpus), getattr(corpus, "finding", None)
    return {
        "articles": read.articles,
        "entities": finding.entities if finding else 0,
        "instances": finding.instances if finding else 0,
        "problems": read.problems,
        "names_to_review": entities_to_review(corpus).count(),
        "backgrounds_to_check": backgrounds_to_check(corpus).count(),
        "samples": corpus.samples.count(),
    }
