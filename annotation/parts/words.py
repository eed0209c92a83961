"""Sentences that several parts need, in plain English."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
