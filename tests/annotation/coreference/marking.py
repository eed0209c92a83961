"""Short ways to write documents with chains.

`marked` reads braces: {1 the mill}, {1? the mill} for an optional mention, {1=mill|the old mill} for one with a MIN.
`letters` makes each letter a mention and each word a chain: "AB? CD" has an optional B.
"""

from __future__ import annotations

import re
from fractions import Fraction
from string import ascii_uppercase

from annotation.task_types.coreference.document import ChainMention, CorefDocument
from annotation.task_types.coreference.scoring.counts import CorefCounts
from annotation.task_types.coreference.scoring.evaluation import CorefEvaluation, score_documents

_TAG = re.compile(r"\{(?P<chain>\d)(?P<optional>\??)(?:=(?P<least>[^|]*)\|| )|(?P<close>\})")


def marked(source: str, name: str = "story") -> CorefDocument:
    text, at = "", 0
    chains: dict[str, list[ChainMention]] = {}
    opened: list[tuple[re.Match[str], int]] = []
    for tag in _TAG.finditer(source):
        text += source[at : tag.start()]
        at = tag.end()
        if tag["close"]:
            opening, start = opened.pop()
            mention = ChainMention(start, len(text), _least(text, start, opening["least"]), bool(opening["optional"]))
            chains.setdefault(opening["chain"], []).append(mention)
        else:
            opened.append((tag, len(text)))
    assert not opened
    return CorefDocument(name, text + source[at:], tuple(map(tuple, chains.values())))


def _least(text: str, start: int, words: str | None) -> tuple[int, int] | None:
    if not words:
        return None
    at = text.index(words, start)
    return at, at + len(words)


def letters(words: str, name: str = "letters") -> CorefDocument:
    chains = (
        tuple(
            ChainMention(ascii_uppercase.index(letter), ascii_uppercase.index(letter) + 1, None, bool(optional))
            for letter, optional in re.findall(r"([A-Z])(\??)", word)
        )
        for word in words.split()
    )
    return CorefDocument(name, ascii_uppercase, tuple(chains))


def scored(key: CorefDocument, response: CorefDocument, **options) -> CorefEvaluation:
    return score_documents([key], [response], **options)


def fractions(evaluation: CorefEvaluation, metric: str = "muc") -> tuple[str, str]:
    """Return recall and precision as they are counted, such as ("2/3", "2/2")."""
    counts = evaluation.scores[metric].counts
    assert counts
    return as_fractions(counts)


def as_fractions(counts: CorefCounts) -> tuple[str, str]:
    recall, precision = counts.recall, counts.precision
    return f"{recall.numerator:g}/{recall.denominator:g}", f"{precision.numerator:g}/{precision.denominator:g}"


def number(fraction: str) -> float | None:
    """Return the value of "2/3", and None for "0/0"."""
    return None if fraction == "0/0" else float(Fraction(fraction))
