"""Sentences and comparisons of words that several parts need."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

JOINED = "'-_"  # inside words
SHORT = 60  # characters


def shortened(text: str, most: int = SHORT) -> str:
    """Return a text in one line of at most so many characters."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    words = line[:most].rpartition(" ")[0]
    return f"{words if len(words) > most // 2 else line[: most - 1].rstrip()}…"


def listed(words: Sequence[str], joint: str = "and") -> str:
    """Return “a, b and c”."""
    quoted = [f"“{word}”" for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {joint} {quoted[-1]}"


def ended_once(sentence: str) -> str:
    """Return a sentence that ends in a quotation without a full stop after the quotation's own."""
    return re.sub(r"(?<=[.!?…]”)\.$", "", sentence)


def same_words(text: str) -> str:
    """Return what texts share that differ in capitals, blanks and punctuation only."""
    signs = unicodedata.normalize("NFC", text).casefold().replace("’", "'")
    letters = [sign if unicodedata.category(sign)[0] in "LMN" or sign in JOINED else " " for sign in signs]
    words = [word for own in "".join(letters).split() if (word := own.strip(JOINED))]
    return " ".join(words) or text.strip()
