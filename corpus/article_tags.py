"""Choosing the tags of an article that name its entities, by who tagged them and whether they name its writer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.asides import Aside, asides_of, split_sign_off
from corpus.bylines import is_named, words_of
from corpus.folding import folded_words
from corpus.names import parse_name
from corpus.names.lists import split_names
from corpus.names_from import NamesFrom

RECOGNIZED = "ner"  # the origin of names that a pipeline recognized (corpus/recognition.py)
INLINE = "inline"  # the origin of names that are marked in the text but not in an index

# Tags made for a web page, in running text or by a machine: used only for a type that no indexer tagged.
FALLBACK_ORIGINS = frozenset({"online_producer", INLINE, RECOGNIZED})

# How an abstract names the writer: "Letter from Ida Lind says", "Ida Lind reviews".
_WRITTEN_BY = re.compile(r"\b(?:letter|article|essay|column|review|comment|analysis|profile|report) (?:by|from) ", re.I)
_WRITES = re.compile(r" (?:reviews|article|column|comment|essay|letter|op-ed|profiles|interviews|travel)\b", re.I)
_NAMES = re.compile(r"(?:(?:[A-Z][\w.'’-]*|and|de|la|van|von|der)[ ,]*)+")
_LONGEST_NAME = 60  # characters


def names_from(article: SourceArticle) -> NamesFrom:
    """Return what the names of an article came from, which has some."""
    is_recognized = all(tag.origin == RECOGNIZED for tag in article.tags)
    return NamesFrom.RECOGNITION if is_recognized else NamesFrom.TAGS


def entity_tags(article: SourceArticle) -> tuple[Tag, ...]:
    """Return the tags that name entities, in the order of the article, without duplicates."""
    listed = [replace(tag, text=name) for tag in article.tags for name in split_names(tag.text, tag.type)]
    indexed = {tag.type for tag in listed if tag.origin not in FALLBACK_ORIGINS}
    tags = dict.fromkeys(tag for tag in listed if tag.origin not in FALLBACK_ORIGINS or tag.type not in indexed)
    writers = set(_writers(article, [tag for tag in tags if tag.type is EntityType.PERSON]))
    return tuple(tag for tag in tags if tag not in writers and any(map(str.isalnum, tag.text)))


def _writers(article: SourceArticle, people: list[Tag]) -> Iterator[Tag]:
    """Yield the people who wrote the article and are not its subjects.

    The byline names them and the prose does not name them in full; or only the abstract names them, or, where there is
    no byline, a signature or a credit: under a byline these are the authors of a reviewed book and the like.
    """
    if not people:
        return
    asides = asides_of(article)
    parts = [split_sign_off(text) for number, text in enumerate(article.paragraphs) if number not in asides]
    byline, prose = _Text(article.byline), _Text("\n".join(text for text, _ in parts))
    signed = [*_writers_in(article.abstract)]
    if not article.byline.strip():
        signed += [article.paragraphs[at] for at, kind in asides.items() if kind in (Aside.SIGNATURE, Aside.CREDIT)]
        signed += [sign_off for _, sign_off in parts if sign_off]
    signatures = _Text("\n".join(signed))
    for tag in people:
        is_signed = byline.names(tag) or (signatures.names(tag) and not prose.may_name(tag))
        if is_signed and not prose.names(tag):
            yield tag


class _Text:
    """A text that may name people; it is folded on first use."""

    def __init__(self, text: str) -> None:
        self.text = text

    def names(self, tag: Tag) -> bool:
        """Return whether the text names a person in full, in natural order or in that of the index."""
        if not self.text.strip():
            return False
        name = parse_name(tag.text, tag.type)
        forms = map(folded_words, (name.canonical, *name.strict, tag.text.partition("(")[0]))
        if any(" " in form.strip() and form in self.folded for form in forms):
            return True
        words = words_of(name.canonical)
        return bool(words) and f" {words[-1]} " in self.folded and is_named(words, words_of(self.text))

    def may_name(self, tag: Tag) -> bool:
        """Return whether the text contains the person's surname."""
        return any(folded_words(form) in self.folded for form in parse_name(tag.text, tag.type).loose)

    @cached_property
    def folded(self) -> str:
        return folded_words(self.text)


def _writers_in(abstract: str) -> Iterator[str]:
    """Yield the parts of an abstract that name the writer of the article."""
    match = _WRITTEN_BY.search(abstract[:200])
    if match and (names := _NAMES.match(abstract, match.end())):
        yield names[0]
    if match := _WRITES.search(abstract[:_LONGEST_NAME]):
        yield abstract[: match.start()]
