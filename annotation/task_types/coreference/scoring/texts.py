"""Puts key and response on one text, that of the key: only there can the places of their mentions be compared.

Two formats keep different blanks of the same text, so texts that differ in white space alone count as the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from annotation.task_types.coreference.document import ChainMention, CorefDocument, Span
from kernel.errors import InvalidInput

LINE_BREAK = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
CONTEXT = 20  # characters shown on either side of a difference


def on_one_text(
    key: CorefDocument, response: CorefDocument, *, by_position: bool = False
) -> tuple[CorefDocument, CorefDocument]:
    """Return both with places in the key's text. Texts with different words raise InvalidInput.

    With `by_position`, words are compared by their number alone, as in the reference scorer.
    """
    if by_position:
        key_units, response_units = _words(key), _words(response)
        if len(key_units) != len(response_units):
            raise InvalidInput(
                f"the key has {len(key_units)} words, and the response {len(response_units)}. "
                "Mentions are compared by position only where both have as many words",
                where=key.name,
            )
    elif key.text == response.text:
        return key, response
    else:
        key_units, response_units = _characters(key.text), _characters(response.text)
        _check_same_words(key, response, key_units, response_units)
    return _moved(key, key_units, key_units, key), _moved(response, response_units, key_units, key)


def _words(document: CorefDocument) -> list[Span]:
    if not document.sentences:
        raise InvalidInput(
            "its file does not say where words begin and end. Mentions are compared by position only in formats that "
            "do, such as CoNLL",
            where=document.name,
        )
    return [word for sentence in document.sentences for word in sentence]


def _characters(text: str) -> list[Span]:
    """Return the place of each character that is no white space."""
    return [(at, at + 1) for at, character in enumerate(text) if not character.isspace()]


def _moved(
    document: CorefDocument, units: Sequence[Span], key_units: Sequence[Span], key: CorefDocument
) -> CorefDocument:
    """Return a document on the key's text: its mentions begin and end with the units they did, without blanks."""
    starts, ends = [start for start, _ in units], [end for _, end in units]

    def span(place: Span) -> Span:
        first, after = bisect_right(ends, place[0]), bisect_left(starts, place[1])
        if first < after:
            return key_units[first][0], key_units[after - 1][1]
        at = key_units[first][0] if first < len(key_units) else len(key.text)
        return at, at  # it holds blanks alone

    def mention(before: ChainMention) -> ChainMention:
        start, end = span(before.span)
        least = span(before.least) if before.least else None
        return replace(before, start=start, end=end, least=least, pieces=tuple(map(span, before.pieces)))

    chains = tuple(tuple(map(mention, chain)) for chain in document.chains)
    return replace(document, text=key.text, chains=chains, zones=key.zones, sentences=key.sentences)


def _check_same_words(
    key: CorefDocument, response: CorefDocument, key_units: Sequence[Span], response_units: Sequence[Span]
) -> None:
    words = ["".join(text[start] for start, _ in units) for text, units in
             ((key.text, key_units), (response.text, response_units))]  # fmt: skip
    if words[0] == words[1]:
        return
    at = _first_difference(*words)
    places = [units[at][0] if at < len(units) else len(document.text)
              for document, units in ((key, key_units), (response, response_units))]  # fmt: skip
    raise InvalidInput(
        f"key and response have different texts. The first difference is at character {places[0] + 1}: the key "
        f"{_around(key.text, places[0])}, the response {_around(response.text, places[1])}. "
        "Score chains of the same text",
        where=key.name,
    )


def _first_difference(first: str, second: str) -> int:
    shared = min(len(first), len(second))
    return next((at for at in range(shared) if first[at] != second[at]), shared)


def _around(text: str, at: int) -> str:
    text = LINE_BREAK.sub(" ", text)
    before = f"{'…' if at > CONTEXT else ''}{text[max(0, at - CONTEXT) : at]}"
    if at == len(text):
        return f"ends after “{before}”" if text else "is empty"
    return f"has “{before}{text[at : at + CONTEXT]}{'…' if at + CONTEXT < len(text) else ''}”"
