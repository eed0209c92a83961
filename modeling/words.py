"""From texts to the words that features count. Lemmas come from spaCy's copy of WordNet's tables.

paper  as the original did it: ASCII punctuation deleted ("Iraq's" becomes "iraqs"), split at blanks, NLTK's stop words
       removed, lemmas taken before lower-casing; candidates are not lemmatised, so "politicians" never matches the
       "politician" of a text
tesa   spaCy's tokens in lower case, without the same stop words, possessive endings and quotes ("Iraq’s" becomes
       "iraq"), lemmatised on both sides

Lemmas are WordNet's for nouns, as NLTK's lemmatiser finds them: exceptions, then endings, kept when WordNet knows the
result; then endings of the results, while it knows none; the shortest of the known ones. So "us" becomes "u" and "boss"
"bos" in the texts of `paper`; `tesa` does not change words of up to three letters and words in -ss.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kernel.errors import InvalidInput, WrongState
from modeling.stop_words import STOP_WORDS

Words = tuple[str, ...]
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_STRAIGHT = str.maketrans("‘’‛“”„‟", '\'\'\'""""')


@dataclass(frozen=True)
class Preparation:
    """How to split each kind of text into words. Raise `version` when the words change: caches and models store it."""

    name: str
    version: int
    candidate: Callable[[str], Words]
    entity: Callable[[str], Words]
    text: Callable[[str], Words]

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}"


def preparation(name: str) -> Preparation:
    if name not in PREPARATIONS:
        raise InvalidInput(f"unknown preparation {name!r}; known: {', '.join(PREPARATIONS)}")
    return PREPARATIONS[name]


def check_prepared(label: str, current: str, *, what: str) -> None:
    """Raise WrongState if something was made with another version of a preparation. Version 1 stored no label."""
    if label == current:
        return
    known, _, newest = current.rpartition(" ")
    name, _, version = (label or f"{known} 1").rpartition(" ")
    raise WrongState(
        f"{what} was made with version {version} of the preparation {name!r}. This installation has version {newest} "
        f"of {known!r}, which counts other words: run it again in a new experiment."
    )


@lru_cache(maxsize=100_000)
def noun_lemma(word: str) -> str:
    """Return the word's shortest WordNet noun lemma, or the word itself. Case matters: pass lower case."""
    _, exceptions, known = _tables()
    if word in exceptions:
        return min((form for form in (word, *exceptions[word]) if form in known), key=len, default=word)
    shortened = _without_ending([word])
    forms = [word, *shortened]
    while forms:
        if lemmas := [form for form in forms if form in known]:
            return min(lemmas, key=len)
        forms = shortened = _without_ending(shortened)
    return word


def _without_ending(words: list[str]) -> list[str]:
    rules, _, _ = _tables()
    return [word[: -len(old)] + new for word in words for old, new in rules if word.endswith(old)]


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
    return tuple(word for word in map(str.lower, _paper_words(text)) if word not in STOP_WORDS)


def _paper_entity(text: str) -> Words:
    return tuple(map(str.lower, _paper_words(text)))


def _paper_text(text: str) -> Words:
    return tuple(noun_lemma(word).lower() for word in _paper_words(text) if word.lower() not in STOP_WORDS)


def _tesa_words(text: str) -> Words:
    tokens = [token.lower_ for token in _tokenizer()(text.translate(_STRAIGHT))]
    kept = [token for token, after in zip(tokens, [*tokens[1:], ""], strict=False) if "n't" not in (token, after)]
    words = [token.strip("'\"") for token in kept]
    return tuple(_tesa_lemma(word) for word in words if word not in STOP_WORDS and any(map(str.isalnum, word)))


def _tesa_lemma(word: str) -> str:
    return word if len(word) <= 3 or word.endswith("ss") else noun_lemma(word)


PREPARATIONS = {
    "paper": Preparation("paper", 2, _paper_candidate, _paper_entity, _paper_text),
    "tesa": Preparation("tesa", 2, _tesa_words, _tesa_words, _tesa_words),
}
