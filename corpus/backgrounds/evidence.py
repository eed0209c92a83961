"""The content words that articles and a page share, apart from the names themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from corpus.articles import EntityType
from corpus.backgrounds.base import Page, Query
from corpus.backgrounds.lexicon import (
    COMMON_WORDS,
    LOCATION_WORDS,
    ORGANIZATION_WORDS,
    PLACE_AND_ORGANIZATION_WORDS,
)
from corpus.backgrounds.titles import bare_titles, title_words
from corpus.tokens import tokenize

CAPITAL_WEIGHT = 2  # a shared name says more than a shared noun
_SHORTEST = 3
# Every page about a lake contains "lake". But if two texts call a person a botanist, that is evidence.
_UNSPECIFIC = {
    EntityType.PERSON: frozenset[str](),
    EntityType.LOCATION: LOCATION_WORDS | PLACE_AND_ORGANIZATION_WORDS,
    EntityType.ORGANIZATION: ORGANIZATION_WORDS | PLACE_AND_ORGANIZATION_WORDS,
}


@dataclass(frozen=True)
class Overlap:
    """The shared words, those with most weight first, and the sum of their weights."""

    words: tuple[str, ...] = ()
    score: int = 0


ContentWords: TypeAlias = dict[str, tuple[int, str]]  # folded stem → weight and spelling


def content_words(texts: Iterable[str]) -> ContentWords:
    """Return the content words of the texts, without those that unrelated texts often share."""
    words: ContentWords = {}
    for text in texts:
        tokens = tokenize(text)
        for number, key in enumerate(tokens.keys):
            stem = _stem(key)
            if len(key) >= _SHORTEST and key.isalpha() and not {key, stem} & COMMON_WORDS:
                raw = tokens.raw(number)
                weight = CAPITAL_WEIGHT if raw[0].isupper() else 1
                if stem not in words or words[stem][0] > weight:  # a word that occurs in lower case is not a name
                    words[stem] = weight, raw
    return words


def overlap(query: Query, context: ContentWords, page: Page, text: str) -> Overlap:
    """Return the content words that the page's text and the qualifier of its title share with the articles."""
    names = {_stem(word) for name in _names(query, page) for word in title_words(name)}
    there = content_words([text, page.title])
    shared = [
        (min(context[stem][0], weight), spelling)
        for stem, (weight, spelling) in there.items()
        if stem in context and stem not in names and stem not in _UNSPECIFIC[query.type]
    ]
    shared.sort(key=lambda item: (-item[0], item[1]))
    return Overlap(tuple(spelling for _, spelling in shared), sum(weight for weight, _ in shared))


def _names(query: Query, page: Page) -> list[str]:
    bare = bare_titles(page.title)[-1:] or [page.title]
    return [query.name, *query.strict, *query.loose, *bare, page.redirected_from, *page.aliases]


def _stem(key: str) -> str:
    if key.endswith("ies") and len(key) > 4:
        return key[:-3] + "y"
    return key[:-1] if key.endswith("s") and not key.endswith("ss") and len(key) > 3 else key
