"""The one place that decides whether two spellings are the same name.

Accents, case, full stops, spaces and the shape of quotes and dashes do not count, and neighbouring single letters are
joined, so "R.W. Apple", "R. W. APPLE" and "RW Apple" are the same.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Letters that Unicode does not decompose into a plain letter and an accent, but English-language papers simplify.
PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n"}
)
TYPEWRITER = str.maketrans(
    {"‘": "'", "’": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-"}
)
# Only Latin, Greek and Cyrillic accents: in other scripts a combining sign is a letter of its own.
ACCENTS = re.compile("[\u0300-\u036f]")
BETWEEN_SINGLE_LETTERS = re.compile(r"(?<=\b[^\W\d_]) (?=[^\W\d_]\b)")
NOT_IN_A_WORD = re.compile(r"'s\b|[^\w']+|_+|(?<!\w)'|'(?!\w)")


@lru_cache(maxsize=2**14)
def fold(text: str) -> str:
    """Return the form in which names are compared; folding it again changes nothing."""
    text = text.casefold() if text.isascii() else _without_accents(text)
    words = " ".join(text.replace(".", "").split())
    return BETWEEN_SINGLE_LETTERS.sub("", words)


def folded_words(text: str) -> str:
    """Return the folded words without possessive 's, each between single spaces, for a whole-word `in` test."""
    return f" {fold(NOT_IN_A_WORD.sub(' ', fold(text)))} "


def _without_accents(text: str) -> str:
    text = unicodedata.normalize("NFKD", text.translate(TYPEWRITER)).casefold()
    text = ACCENTS.sub("", unicodedata.normalize("NFKD", text)).translate(PLAIN_LETTERS)
    return unicodedata.normalize("NFKC", text)
