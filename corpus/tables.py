"""Rows of tables and price lists, which appear among the sentences of an article.

In prose at most a quarter of the words contain a digit (in 21,578 agency articles hardly ever a third), in rows of
figures at least two fifths. A row seldom ends like a sentence; if a text does not, a smaller share is enough.
"""

from __future__ import annotations

import re

SHARE_OF_SENTENCE, FEWEST = 0.35, 4  # words with a digit, in a text that ends like a sentence
SHARE_OF_ROW = 0.25  # in any other text
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\S*\d\S*")
_ENDS = tuple(".!?…:;\"”'’»。！？؟।")
_FOOTNOTES = re.compile(r"(?:\s?\[\w{1,3}\])+$")


def ends_like_sentence(text: str) -> bool:
    """Return whether a text ends with a sentence mark; brackets and footnote numbers may follow it."""
    return text.endswith(_ENDS) or _FOOTNOTES.sub("", text).rstrip(")] ").endswith(_ENDS)


def is_tabular(text: str) -> bool:
    """Return whether a sentence is a row of figures rather than prose."""
    if not _DIGIT.search(text):
        return False
    words, numbers = len(text.split()), len(_NUMBER.findall(text))
    if ends_like_sentence(text):
        return numbers >= FEWEST and numbers >= SHARE_OF_SENTENCE * words
    return numbers >= SHARE_OF_ROW * words
