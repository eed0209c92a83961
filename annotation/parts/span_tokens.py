"""Where a text may be cut when people mark pieces of it: characters as people see them, and words.

Offsets count Unicode code points of the text as it is stored. A character with everything that belongs to it, such as
combining marks, the pieces of an emoji, invisible signs behind it, or CR with LF, is never cut.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

JOINER = "\u200d"  # joins the pieces of an emoji
SKIN_TONES = range(0x1F3FB, 0x1F400)
FLAG_LETTERS = range(0x1F1E6, 0x1F200)
HANGUL_BEHIND = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))  # vowels and last consonants of a syllable
# Scripts without blanks between words, in which each character counts as a word: kana and Chinese characters.
ALONE = (range(0x3040, 0x3100), range(0x3400, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x40000))
KEPT_TEXTS = 8  # a request reads the same text again and again; a long one takes megabytes


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a text that can be marked, by its offsets."""

    start: int
    end: int
    is_word: bool = False


@lru_cache(KEPT_TEXTS)
def characters(text: str) -> tuple[Token, ...]:
    """Return the characters as people see them, without blank ones."""
    return tuple(
        Token(start, end, _is_letter(text[start])) for start, end in _clusters(text) if not _is_blank(text[start:end])
    )


@lru_cache(KEPT_TEXTS)
def words(text: str) -> tuple[Token, ...]:
    """Return runs of letters and digits, and each other character that is not blank."""
    tokens: list[Token] = []
    for own in characters(text):
        before = tokens[-1] if tokens else None
        if before and before.end == own.start and _run_on(text, before) and _run_on(text, own):
            tokens[-1] = Token(before.start, own.end, is_word=True)
        else:
            tokens.append(own)
    return tuple(tokens)


def _run_on(text: str, token: Token) -> bool:
    """Tell whether a token makes one word with letters beside it."""
    return token.is_word and not _is_in(text[token.start], ALONE)


def tokens_of(text: str, unit: str) -> tuple[Token, ...]:
    return words(text) if unit == "words" else characters(text)


def pieces_of(text: str, unit: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, whether it is a token) so that every character of the text is in exactly one piece."""
    at = 0
    for token in tokens_of(text, unit):
        if at < token.start:
            yield at, token.start, False
        yield token.start, token.end, True
        at = token.end
    if at < len(text):
        yield at, len(text), False


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    starts, flag_letters = [], 0  # right before: two of them make a flag
    for at, own in enumerate(text):
        is_second = flag_letters % 2 == 1 and ord(own) in FLAG_LETTERS
        if at == 0 or not (is_second or _belongs(text[at - 1], own)):
            starts.append(at)
        flag_letters = flag_letters + 1 if ord(own) in FLAG_LETTERS else 0
    yield from pairwise([*starts, len(text)])


def _belongs(before: str, own: str) -> bool:
    """Tell whether a character belongs to the one before it."""
    if before in "\r\n" or own in "\r\n":
        return before == "\r" and own == "\n"
    if before == JOINER and not own.isspace():
        return True
    if unicodedata.category(own) in ("Mn", "Mc", "Me", "Cf"):
        return True
    return ord(own) in SKIN_TONES or _is_in(own, HANGUL_BEHIND)


def _is_blank(cluster: str) -> bool:
    return all(own.isspace() or unicodedata.category(own) in ("Cf", "Cc") for own in cluster)


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_in(character: str, ranges: tuple[range, ...]) -> bool:
    return any(ord(character) in own for own in ranges)
