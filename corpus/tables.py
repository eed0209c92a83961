"""Rows of tables and price lists, which stand among an article's sentences and are none.

In prose a quarter of the words at most hold a digit (in 21,578 agency articles hardly ever a third), in rows of figures
two fifths and more. A row seldom ends like a sentence, and then less is enough.
"""

from __future__ import annotations

import re

SHARE_OF_SENTENCE, FEWEST = 0.35, 4  # words that hold a digit, in what ends like a sentence
SHARE_OF_ROW = 0.25  # in what does not
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\S*\d\S*")
_ENDS = tuple(".!?…:;\"”'’»。！？؟।")
_FOOTNOTES = re.compile(r"(?:\s?\[\w{1,3}\])+$")


def ends_like_sentence(text: str) -> bool:
    """Tell whether a text ends with the mark of a sentence; brackets and the numbers of footnotes may follow it."""
    return text.endswith(_ENDS) or _FOOTNOTES.sub("", text).rstrip(")] ").endswith(_ENDS)


def is_tabular(text: str) -> bool:
    """Tell whether a sentence is a row of figures rather than prose."""
    if not _DIGIT.search(text):
        return False
    words, numbers = len(text.split()), len(_NUMBER.findall(text))
    if ends_like_sentence(text):
        return numbers >= FEWEST and numbers >= SHARE_OF_SENTENCE * words
    return numbers >= SHARE_OF_ROW * words
