"""Rows of tables and price lists, which stand among an article's sentences and are none.

In prose a quarter of the words at most hold a digit (in 21,578 agency articles hardly ever a third), in rows of figures
two fifths and more. A row seldom ends like a sentence, and then less is enough.
"""

from __future__ import annotations

import re

ENDS = (".", "!", "?", "…", ":", ";", '"', "”", "'", "’")
SHARE_OF_SENTENCE, FEWEST = 0.35, 4  # words that hold a digit, in what ends like a sentence
SHARE_OF_ROW = 0.25  # in what does not
_NUMBER = re.compile(r"\S*\d\S*")


def is_tabular(text: str) -> bool:
    """Tell whether a sentence is a row of figures rather than prose."""
    words, numbers = len(text.split()), len(_NUMBER.findall(text))
    if text.rstrip(")]").endswith(ENDS):
        return numbers >= FEWEST and numbers >= SHARE_OF_SENTENCE * words
    return numbers > 0 and numbers >= SHARE_OF_ROW * words
