"""Making the first paragraph of a page readable.

Pronunciations, sound files, names in other scripts and languages, footnote marks and the gaps they leave are removed;
dates, measures, abbreviations and other names stay.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from corpus.backgrounds.debris import clean_group, without_sounds
from corpus.backgrounds.parentheses import parse, render
from corpus.sentences import split_sentences

ELLIPSIS = "…"
DISPLAY_LIMIT = 600

_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad]+")
_FOOTNOTE = re.compile(
    r" ?\[(?:\d{1,3}|[a-z]|(?:note|nb|n) ?\d{1,3}|citation needed|clarification needed|update|when\?|who\?)\]",
    re.IGNORECASE,
)
_BLANK_INSIDE = re.compile(r" (?:(?<=[(\[] )|(?=[)\]]))")
_BLANK_BEFORE_MARK = re.compile(r" (?=[,;:!?.](?:\s|$|[)\]\"”’]))")
_DOUBLE_MARK = re.compile(r"([,;:])(?: ?[,;])+(?=\s|$)")
_NAME_COMMA = re.compile(r"\A([^,.;:()]{1,80}),(?= (?:is|was|are|were) )")  # "Arden (…), is a town"
_GLUED = re.compile(r"\.(?<=(?:[A-Za-z]{2}|\w[)\]]|\d\d)\.)(?=[A-Z][a-z])")  # "an actor.He"


def first_paragraph(text: str) -> str:
    """Return the first line of at least four words; if there is none, the first line that is not blank."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if len(line.split()) > 3), lines[0] if lines else "")


def clean_paragraph(text: str) -> str:
    """Return the cleaned paragraph, single-spaced. Cleaning it again changes nothing."""
    while (cleaned := _clean_once(text)) != text:
        text = cleaned  # a pass may uncover more; each only removes text, except for added blanks between sentences
    return text


def display_text(text: str, limit: int = DISPLAY_LIMIT) -> str:
    """Return the cleaned paragraph, shortened to at most `limit` characters.

    It contains as many whole sentences as fit. If not even the first fits, it is cut after a word, with an ellipsis.
    """
    cleaned = clean_paragraph(text)
    if len(cleaned) <= limit:
        return cleaned
    ends = [end for _, end in split_sentences(cleaned) if end <= limit]
    if ends:
        return cleaned[: ends[-1]]
    room = max(limit - len(ELLIPSIS), 0)
    cut = cleaned[: room + 1].rpartition(" ")[0] or cleaned[:room]
    return f"{cut.rstrip(' ,;:–—-(')}{ELLIPSIS}"[:limit]


def _clean_once(text: str) -> str:
    text = " ".join(normalize("NFC", _INVISIBLE.sub("", text)).split())
    text = render(parse(_FOOTNOTE.sub("", text)), clean_group)
    text = _BLANK_INSIDE.sub("", " ".join(without_sounds(text).split()))
    text = _DOUBLE_MARK.sub(r"\1", _BLANK_BEFORE_MARK.sub("", text))
    text = _NAME_COMMA.sub(r"\1", text)
    return _GLUED.sub(". ", text).strip()
