"""What we know of English words: singular forms, American spellings, and which words exist.

The tables are those of spacy-lookups-data. They are read as files, because importing spaCy to read a dictionary costs
two seconds and these cost a twentieth of one.
"""

from __future__ import annotations

import gzip
import json
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from annotation.task_types.aggregation.cleaning.word_lists import GRAMMAR, NEVER_SINGULAR
from annotation.task_types.aggregation.cleaning.word_table import WordTable

SHORTEST_PLURAL = 4  # "gas" and "bus" are no plurals
ENGLISH, NOUN = 1, 2  # flags of words


@lru_cache(maxsize=2**14)
def singular(word: str) -> str:
    """Return the noun's singular ("women" → "woman"); a word that is no known plural stays as it is."""
    if word in NEVER_SINGULAR:
        return word
    irregular = _irregular_nouns().get(word)  # "apparatus" stands there as its own singular
    if irregular:
        return irregular
    if not _may_be_plural(word):
        return word
    listed = _listed_nouns().get(word)
    if listed or _is_noun(word):
        return listed or word
    stems = (word.removesuffix(ending) + stem for ending, stem in _noun_rules() if word.endswith(ending))
    return next((stem for stem in stems if _is_noun(stem)), word)


@lru_cache(maxsize=2**14)
def american(word: str) -> str:
    """Return the American spelling of a British one ("labour" → "labor"); any other word stays as it is."""
    spelling = _spellings().get(word, word).strip()
    return spelling if spelling[:1] == word[:1] and spelling.isalpha() and len(word) >= SHORTEST_PLURAL else word


@lru_cache(maxsize=2**14)
def is_known(word: str) -> bool:
    """Say whether the word, in small letters, is an English word in any of its forms."""
    return any(english_words().flags(form) & ENGLISH for form in (word, singular(word), american(word)))


@cache
def english_words() -> WordTable:
    """Return about 120,000 English words, inflected forms included, and which nouns there are."""
    index, exceptions = _table("lemma_index"), _table("lemma_exc")
    british = [word for word in _spellings() if len(word) >= SHORTEST_PLURAL]
    parts = [*index.values(), *exceptions.values(), _table("lemma_lookup"), british, GRAMMAR]
    flags = {word: ENGLISH for part in parts for word in part if word.isalpha() and word.islower()}
    for noun in index["noun"]:
        flags[noun] = flags.get(noun, 0) | NOUN
    return WordTable(flags)


def _is_noun(word: str) -> bool:
    return bool(english_words().flags(word) & NOUN)


def _may_be_plural(word: str) -> bool:
    return len(word) >= SHORTEST_PLURAL and word.endswith(("s", "men")) and not word.endswith("ss")


@cache
def _irregular_nouns() -> dict[str, str]:
    return {plural: str(singulars[0]) for plural, singulars in _table("lemma_exc")["noun"].items() if singulars}


@cache
def _listed_nouns() -> dict[str, str]:
    listed = _table("lemma_lookup").items()
    return {word: str(lemma) for word, lemma in listed if _may_be_plural(word) and _is_noun(lemma)}


@cache
def _noun_rules() -> list[tuple[str, str]]:
    return [(ending, stem) for ending, stem in _table("lemma_rules")["noun"]]


@cache
def _spellings() -> dict[str, str]:
    return _table("lexeme_norm")


def _table(name: str) -> dict[str, Any]:
    data = (files("spacy_lookups_data") / "data" / f"en_{name}.json.gz").read_bytes()
    table: dict[str, Any] = json.loads(gzip.decompress(data))
    return table
