"""MIN of MUC-6: where its words stand in a mention, and the words that say a place."""

from __future__ import annotations

import re

from annotation.task_types.coreference.document import ChainMention, Span

ARTICLE = re.compile(r"(?:the|an|a)\s+", re.IGNORECASE)


def places_of(text: str, start: int, end: int, words: str) -> list[Span]:
    """Return where words stand in a mention: as whole words if they do so anywhere, blanks compared as equal."""
    if not words.strip():
        return []
    places = occurrences(text, start, end, words)
    if not places:
        pattern = re.compile(r"\s+".join(map(re.escape, words.split())))
        places = [match.span() for match in pattern.finditer(text, start, end)]
    return [place for place in places if not cuts_word(text, *place)] or places


def occurrences(text: str, start: int, end: int, words: str) -> list[Span]:
    places = []
    position = text.find(words, start, end)
    while position >= 0:
        places.append((position, position + len(words)))
        position = text.find(words, position + len(words), end)
    return places


def cuts_word(text: str, start: int, end: int) -> bool:
    """Say whether a word begins before or ends after a piece of text."""
    begins_inside = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    return begins_inside or (end < len(text) and text[end - 1].isalnum() and text[end].isalnum())


def is_needless(text: str, mention: ChainMention) -> bool:
    """Say whether a MIN is the whole mention, or all of it but a leading article."""
    if mention.least is None:
        return True
    article = ARTICLE.match(text, mention.start, mention.end)
    return mention.least[1] == mention.end and mention.least[0] in {mention.start, article.end() if article else -1}


def words_of(text: str, mention: ChainMention) -> str | None:
    """Return what MIN says about a mention; None if it is left out."""
    if mention.least is None or is_needless(text, mention):
        return None
    return " ".join(text[slice(*mention.least)].split())
