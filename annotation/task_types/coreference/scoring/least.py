"""The rule of MUC-6 for mentions of which a response marks a part.

A response mention is right if it contains the key mention's MIN and nothing beyond the key mention. A leading "the",
"a" or "an" is left out of account on both sides. Each mention stands for one mention of the other side; the definition
does not say which, so the longest response mention is matched first, with the shortest key mention that it fits.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from annotation.task_types.coreference.document import ChainMention

Span = tuple[int, int]
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)


def without_article(text: str, span: Span) -> Span:
    start, end = span
    article = _ARTICLE.match(text, start, end)
    return (article.end() if article else start), end


def pairs_by_least(text: str, key: Sequence[ChainMention], response: Sequence[Span]) -> Mapping[Span, Span]:
    """Return span of a key mention → span of the response mention that stands for it."""
    response_of: dict[Span, Span] = {}
    taken: set[Span] = set()
    for *_, response_span, key_span in sorted(_fitting(text, key, response)):
        if key_span not in response_of and response_span not in taken:
            response_of[key_span] = response_span
            taken.add(response_span)
    return response_of


def _fitting(text: str, key: Sequence[ChainMention], response: Sequence[Span]) -> Iterator[tuple[int, int, Span, Span]]:
    """Yield (minus the response mention's length, the key mention's length, both spans) where the rule allows it."""
    by_start = sorted((*without_article(text, span), span) for span in response)
    starts = [start for start, _, _ in by_start]
    for mention in key:
        least_start, least_end = without_article(text, mention.least or mention.span)
        first, last = bisect_left(starts, mention.start), bisect_right(starts, least_start)
        for start, end, span in by_start[first:last]:
            if least_end <= end <= mention.end:
                yield start - end, mention.end - mention.start, span, mention.span
