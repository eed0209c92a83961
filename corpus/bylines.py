"""Whether a byline or another text names a person in full, whatever it does with middle names, initials and titles.

"Walter Hale", "WALTER F. HALE", "W. F. Hale" and "Dr. Walter Fenn Hale" are one name; "Walter G. Hale" is not
"Walter F. Hale".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.folding import fold
from corpus.lexicon import CIVIL_TITLES, OFFICE_ABBREVIATIONS, word_set

_WORD = re.compile(r"[^\W\d_]+|[,;:/|\n]")
_NICKNAME = re.compile(r"[\"“][^\"”]{1,20}[\"”]|\([^)]{1,20}\)")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?!s\b)(?=\w)")
_IGNORED = CIVIL_TITLES | OFFICE_ABBREVIATIONS | word_set("jr sr ii iii iv md phd esq")
_BETWEEN_NAMES = word_set(", ; : / | and with by in from for special") | {"\n"}
_MOST_MIDDLE_NAMES = 4


def words_of(text: str) -> list[str]:
    """Return the folded words of names, without titles, suffixes and nicknames; punctuation marks are words too."""
    plain = _NICKNAME.sub(" ", _APOSTROPHE.sub("", text))
    return [word for raw in _WORD.findall(plain) if (word := fold(raw) or raw) not in _IGNORED]


def is_named(name: Sequence[str], text: Sequence[str]) -> bool:
    """Return whether the words of a text contain this name (first name, middle names, surname)."""
    if len(name) < 2:
        return False
    first, *middle, last = name
    for end, word in enumerate(text):
        if word != last:
            continue
        for start in range(end - 1, max(end - 3 - _MOST_MIDDLE_NAMES, -1), -1):
            if text[start] in _BETWEEN_NAMES:
                break
            if agree(text[start], first) and all_agree(middle, text[start + 1 : end]):
                return True
    return False


def agree(name: str, other: str) -> bool:
    """Return whether two given names are equal, or one is the initial of the other."""
    return name == other or (len(name) == 1 and other[:1] == name) or (len(other) == 1 and name[:1] == other)


def all_agree(names: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether the shorter list of middle names fits into the longer one."""
    shorter, longer = sorted((names, others), key=len)
    rest = iter(longer)
    return all(any(agree(name, candidate) for candidate in rest) for name in shorter)
