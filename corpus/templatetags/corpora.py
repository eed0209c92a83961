"""What the tabs of a corpus count."""

from __future__ import annotations

from django import template

from corpus import selectors
from corpus.models import Corpus

register = template.Library()


@register.simple_tag
def corpus_counts(corpus: Corpus) -> dict[str, int]:
    read = selectors.reading_counts(corpus)
    return {
        "articles": read.articles,
        "problems": read.problems,
        "names_to_review": selectors.entities_to_review(corpus).count(),
        "backgrounds_to_check": selectors.backgrounds_to_check(corpus).count(),
        "samples": corpus.samples.count(),
    }
