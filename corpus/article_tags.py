"""Which of an article's tags name its entities: who tagged, and whether the tag only names the reporter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.folding import folded_words
from corpus.names import parse_name

RECOGNIZED = "ner"  # the origin of names that no person tagged but a pipeline recognized (corpus/recognition.py)

# Tags made for a web page, or by a machine, beside an indexer's or instead: used for a type that no indexer tagged.
FALLBACK_ORIGINS = frozenset({"online_producer", RECOGNIZED})

# A short paragraph that says who wrote, not what happened.
CREDIT = re.compile(
    r"^by(?:\s+\S+){1,8}$"
    r"|\bcontributed (?:reporting|research|to this)\b|\breporting was contributed\b|\breported from\b",
    re.IGNORECASE,
)
CREDIT_WORDS = 40


def entity_tags(article: SourceArticle) -> tuple[Tag, ...]:
    """Return the tags that name entities, in the article's order, each once."""
    indexed = {tag.type for tag in article.tags if tag.origin not in FALLBACK_ORIGINS}
    tags = dict.fromkeys(tag for tag in article.tags if tag.origin not in FALLBACK_ORIGINS or tag.type not in indexed)
    reporters = set(_reporters(article, [tag for tag in tags if tag.type is EntityType.PERSON]))
    return tuple(tag for tag in tags if tag not in reporters and any(map(str.isalnum, tag.text)))


def _reporters(article: SourceArticle, people: list[Tag]) -> Iterator[Tag]:
    """Yield the people whom the byline names and the body does not."""
    byline = folded_words(article.byline)
    suspects = [tag for tag in people if byline.strip() and any(form in byline for form in _full_names(tag))]
    if suspects:
        body = folded_words("\n".join(text for text in article.paragraphs if not _is_credit(text)))
        yield from (tag for tag in suspects if not any(form in body for form in _full_names(tag)))


def _full_names(tag: Tag) -> list[str]:
    """Return the forms of two words or more, the index's own among them: bylines come in both orders."""
    name = parse_name(tag.text, tag.type)
    forms = (name.canonical, *name.strict, tag.text.partition("(")[0])
    return [form for form in map(folded_words, forms) if " " in form.strip()]


def _is_credit(paragraph: str) -> bool:
    return len(paragraph.split()) <= CREDIT_WORDS and CREDIT.search(paragraph) is not None
