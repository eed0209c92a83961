"""The words of a text with their positions, folded so that two spellings of one name compare equal.

Accents, case and apostrophes do not count ("Núñez" and "NUNEZ", "O’Dell" and "O'Dell"), and neither does the full stop
of an abbreviation.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from corpus.lexicon import (
    CAPITAL_ABBREVIATIONS,
    COMPANY_ENDINGS,
    LEADING_ABBREVIATIONS,
    NUMBERED_ABBREVIATIONS,
    OPEN_ABBREVIATIONS,
)

_LETTERS = r"[\w\u0300-\u036f]+"
_TOKEN = re.compile(rf"{_LETTERS}(?:['’](?![sS]\b){_LETTERS})*\.?|\S")
_DOTTED = CAPITAL_ABBREVIATIONS | COMPANY_ENDINGS | LEADING_ABBREVIATIONS | NUMBERED_ABBREVIATIONS | OPEN_ABBREVIATIONS
_WITHOUT_DECOMPOSITION = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th", "’": "'"}
)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a text, and every other character that is not a blank, as three columns with one row per token.

    Columns, because one object per token would take more time than all the rest of the search for names.
    """

    text: str
    keys: list[str]  # folded
    starts: list[int]
    ends: list[int]

    def raw(self, number: int) -> str:
        return self.text[self.starts[number] : self.ends[number]]


def fold(word: str) -> str:
    """Return the word in lower case without accents and inner apostrophes; the result is never empty."""
    if word.isascii():
        folded = word.lower()
    else:
        marked = unicodedata.normalize("NFKD", word.casefold().translate(_WITHOUT_DECOMPOSITION))
        folded = "".join(character for character in marked if not unicodedata.combining(character))
    return folded.replace("'", "") or folded or word


def tokenize(text: str, start: int = 0, end: int | None = None) -> Tokens:
    """Return the tokens of text[start:end] with their positions in the whole text."""
    keys: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    stop = len(text) if end is None else end
    piece = text[start:stop]
    small = piece.lower() if piece.isascii() and "'" not in piece else ""  # most sentences: folded at once
    for match in _TOKEN.finditer(text, start, stop):
        first, last = match.span()
        key = small[first - start : last - start] or fold(match[0])
        if last - first > 1 and text[last - 1] == ".":
            key = small[first - start : last - 1 - start] or fold(text[first : last - 1])
            if len(key) > 1 and key not in _DOTTED:
                keys.append(key)
                starts.append(first)
                ends.append(last - 1)
                key, first = ".", last - 1
        keys.append(key)
        starts.append(first)
        ends.append(last)
    return Tokens(text, keys, starts, ends)
