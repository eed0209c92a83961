"""From texts to the words that features count. Stop words and lemmas come from spaCy and its look-up tables.

paper  as the original did it: punctuation deleted, split at blanks, lemmas taken before lower-casing; the candidates
       are not lemmatised, so that "politicians" never meets the "politician" of a text
tesa   spaCy's tokens in lower case, lemmatised on both sides

Lemmas are WordNet's for nouns: exceptions, then endings, kept when WordNet knows the result; the shortest of them.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tesa_site.kernel.errors import InvalidInput

Words = tuple[str, ...]
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class Preparation:
    """How each source of words is read. Raise `version` when the words change: caches are keyed by it."""

    name: str
    version: int
    candidate: Callable[[str], Words]
    entity: Callable[[str], Words]
    text: Callable[[str], Words]


def preparation(name: str) -> Preparation:
    if name not in PREPARATIONS:
        raise InvalidInput(f"unknown preparation {name!r}; known: {', '.join(PREPARATIONS)}")
    return PREPARATIONS[name]


@lru_cache(maxsize=100_000)
def noun_lemma(word: str) -> str:
    """Return the word's shortest WordNet noun lemma, or the word itself. Case counts: give lower case."""
    rules, exceptions, known = _tables()
    if word in exceptions:
        forms = [word, *exceptions[word]]
    else:
        forms = [word, *(word[: -len(old)] + new for old, new in rules if word.endswith(old))]
    return min((form for form in forms if form in known), key=len, default=word)


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)


@lru_cache(maxsize=1)
def _tables() -> tuple[list[tuple[str, str]], dict[str, list[str]], frozenset[str]]:
    from spacy.lookups import load_lookups

    tables = load_lookups("en", ["lemma_rules", "lemma_exc", "lemma_index"])
    rules = [(old, new) for old, new in tables.get_table("lemma_rules")["noun"]]
    return rules, tables.get_table("lemma_exc")["noun"], frozenset(tables.get_table("lemma_index")["noun"])


@lru_cache(maxsize=1)
def _tokenizer() -> Callable[[str], Iterable[Any]]:
    import spacy

    return spacy.blank("en").tokenizer


def _paper_words(text: str) -> Words:
    return tuple(text.translate(_NO_PUNCTUATION).split())


def _paper_candidate(text: str) -> Words:
    stop = stop_words()
    return tuple(word for word in map(str.lower, _paper_words(text)) if word not in stop)


def _paper_entity(text: str) -> Words:
    return tuple(map(str.lower, _paper_words(text)))


def _paper_text(text: str) -> Words:
    stop = stop_words()
    return tuple(noun_lemma(word).lower() for word in _paper_words(text) if word.lower() not in stop)


def _tesa_words(text: str) -> Words:
    stop = stop_words()
    words = [token.lower_ for token in _tokenizer()(text)]
    return tuple(noun_lemma(word) for word in words if word not in stop and any(map(str.isalnum, word)))


PREPARATIONS = {
    "paper": Preparation("paper", 1, _paper_candidate, _paper_entity, _paper_text),
    "tesa": Preparation("tesa", 1, _tesa_words, _tesa_words, _tesa_words),
}
