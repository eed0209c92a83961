"""What the tabs of a corpus count."""

from __future__ import annotations

from django import template

from corpus import selectors
from corpus.forms import SOURCE_LABELS
from corpus.models import Corpus

register = template.Library()


@register.filter
def source_name(source: str) -> str:
    """Return the name of an archive's format without what explains it: NITF, JSON lines."""
    return SOURCE_LABELS.get(source, source).partition(" (")[0]


@register.simple_tag
def corpus_counts(corpus: Corpus) -> dict[str, int]:
    read, finding = selectors.reading_counts(corpus), getattr(corpus, "finding", None)
    return {
        "articles": read.articles,
        "entities": finding.entities if finding else 0,
        "instances": finding.instances if finding else 0,
        "problems": read.problems,
        "names_to_review": selectors.entities_to_review(corpus).count(),
        "backgrounds_to_check": selectors.backgrounds_to_check(corpus).count(),
        "samples": corpus.samples.count(),
    }
