"""The types of entity that a page may be about, judged quickly by the words of its first sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from corpus.articles import EntityType
from corpus.backgrounds.base import Page
from corpus.backgrounds.lexicon import (
    LOCATION_WORDS,
    ORGANIZATION_WORDS,
    OTHER_WORDS,
    PERSON_WORDS,
    PHRASE_ENDS,
    PLACE_AND_ORGANIZATION_WORDS,
    QUANTITY_WORDS,
)
from corpus.backgrounds.titles import split_qualifier
from corpus.tokens import fold

Types = frozenset[EntityType]

_PERSON = frozenset({EntityType.PERSON})
_LOCATION = frozenset({EntityType.LOCATION})
_ORGANIZATION = frozenset({EntityType.ORGANIZATION})
_NONE: Types = frozenset()
_LISTS: Sequence[tuple[frozenset[str], Types]] = (
    (PERSON_WORDS, _PERSON),
    (LOCATION_WORDS, _LOCATION),
    (ORGANIZATION_WORDS, _ORGANIZATION),
    (PLACE_AND_ORGANIZATION_WORDS, _LOCATION | _ORGANIZATION),
)
_YEAR = r"(?:1\d|20)\d\d"
# "(born 3 May 1950)", "(1861–1939)", "(3 May 1861 – 9 June 1939)", "(died 1535)" right after the name.
_LIFE = re.compile(
    rf"\A[^()]{{1,120}}\((?:[^()]*\b(?:born|died|née)\b|(?:[^()]*\b{_YEAR}|c\. ?\d+)[^()]*[–-][^()]*{_YEAR}\))"
)
_FIRST_YEAR = re.compile(rf"\A[^()]{{1,120}}\([^()]*?\b({_YEAR})\b")
_COPULA = re.compile(r"\b(?:is|was|are|were|refers to)\s+(?:(?:currently|also|formerly|perhaps|now|once|still)\s+)?")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|[,;:.]")
_FILLERS = re.compile(r"(?:(?:a|an|the|one|any|either|both)\b|of the\b|of\b(?= the))\s*")
_JOINTS = frozenset({",", "and", "or"})
_ARTICLES = frozenset({"a", "an", "the"})
_PRONOUN = re.compile(r"\b(?:he|she|his|her)\b")


def types_of(page: Page, opening: str) -> Types | None:
    """Return the types that the page may be about: an empty set for a film or a war, None if its words do not show it.

    `opening` is the first sentence of the page's cleaned text.
    """
    if page.type is not None:
        return frozenset({page.type})
    qualifier = split_qualifier(page.title)[1]
    types = _last_known(_words(qualifier)) if qualifier[:1].islower() else None  # "(band)", but not "(United States)"
    if types is not None:
        return types
    types = _defined_as(opening)
    if _LIFE.match(opening) and (types is None or EntityType.PERSON in types):
        return _PERSON
    return _PERSON if types is None and _PRONOUN.search(opening) else types


def birth_year(opening: str) -> int | None:
    """Return the first year in the parentheses after the name: for a person, the year of birth."""
    match = _FIRST_YEAR.match(opening)
    return int(match[1]) if match else None


def _defined_as(opening: str) -> Types | None:
    """Return the types of "… is a Kessian football club from …"; only the first copula with a known noun counts."""
    for copula in _COPULA.finditer(opening):
        start = copula.end()
        while filler := _FILLERS.match(opening, start):
            start = filler.end()
        types = _any_of(_noun_phrase(_words(opening[start : start + 200])))
        if types is not None:
            return types
    return None


def _noun_phrase(words: Sequence[str]) -> Sequence[str]:
    """Return the words up to the one that ends the phrase; "a body of water" and "a group of lakes" continue."""
    for number, word in enumerate(words):
        is_end = word in PHRASE_ENDS or word in {".", ";", ":"}
        if is_end and not (word in {"of", "for"} and number and words[number - 1] in QUANTITY_WORDS):
            return words[:number]
    return words


def _any_of(phrase: Sequence[str]) -> Types | None:
    """Return all types that a phrase names: "a city and a municipal board" may be either."""
    cuts = [number for number, word in enumerate(phrase[:-1]) if word in _JOINTS and phrase[number + 1] in _ARTICLES]
    spans = zip([0, *cuts], [*cuts, len(phrase)], strict=True)
    parts = [types for start, end in spans if (types := _last_known(phrase[start:end])) is not None]
    return frozenset().union(*parts) if parts else None


def _last_known(words: Sequence[str]) -> Types | None:
    """Return the types of the last word that is in a list; a word in several lists may be any of them.

    The last, because English enumerates before the noun: "a film, stage and television actor". A word of another type
    must be the noun itself: "film" says nothing if an unknown word follows.
    """
    for number, word in enumerate(reversed(words)):
        forms = {*_forms(word), *_forms(word.rpartition("-")[2])}  # the last part of a compound counts for the whole
        types = _NONE.union(*(meant for known, meant in _LISTS if forms & known))
        if types:
            return types
        if forms & OTHER_WORDS:
            return None if number else _NONE
    return None


def _words(text: str) -> list[str]:
    return [fold(word) for word in _WORD.findall(text)]


def _forms(word: str) -> Iterable[str]:
    """Yield the word and its possible singulars."""
    yield word
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith(("sman", "smen", "woman", "women")):  # but not "Roman"
        yield "man"
    if word.endswith("s"):
        yield word[:-1]
        yield word.removesuffix("es")
