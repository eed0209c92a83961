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

SHORTEST_PLURAL = 4  # "gas" and "bus" are no plurals


@lru_cache(maxsize=2**14)
def singular(word: str) -> str:
    """Return the noun's singular ("women" → "woman"); a word that is no known plural stays as it is."""
    if word in NEVER_SINGULAR:
        return word
    nouns = _nouns()
    irregular = _table("lemma_exc")["noun"].get(word)  # "apparatus" stands there as its own singular
    if irregular:
        return str(irregular[0])
    if len(word) < SHORTEST_PLURAL or not word.endswith(("s", "men")) or word.endswith("ss"):
        return word
    listed = _table("lemma_lookup").get(word)
    if listed and listed in nouns:
        return str(listed)
    if word in nouns:
        return word
    stems = (
        word.removesuffix(ending) + stem for ending, stem in _table("lemma_rules")["noun"] if word.endswith(ending)
    )
    return next((stem for stem in stems if stem in nouns), word)


@lru_cache(maxsize=2**14)
def american(word: str) -> str:
    """Return the American spelling of a British one ("labour" → "labor"); any other word stays as it is."""
    spelling = _table("lexeme_norm").get(word, word).strip()
    return spelling if spelling[:1] == word[:1] and spelling.isalpha() and len(word) >= SHORTEST_PLURAL else word


def is_known(word: str) -> bool:
    """Say whether the word, in small letters, is an English word in any of its forms."""
    return word in english_words() or singular(word) in english_words() or american(word) in english_words()


@cache
def english_words() -> frozenset[str]:
    """Return about 120,000 English words, inflected forms included."""
    british = [word for word in _table("lexeme_norm") if len(word) >= SHORTEST_PLURAL]
    indexed, exceptions = _table("lemma_index").values(), _table("lemma_exc").values()
    parts = [*indexed, *exceptions, _table("lemma_lookup"), british, GRAMMAR]
    return frozenset(word for part in parts for word in part if word.isalpha() and word.islower())


@cache
def _nouns() -> frozenset[str]:
    return frozenset(_table("lemma_index")["noun"])


@cache
def _table(name: str) -> dict[str, Any]:
    data = (files("spacy_lookups_data") / "data" / f"en_{name}.json.gz").read_bytes()
    table: dict[str, Any] = json.loads(gzip.decompress(data))
    return table
