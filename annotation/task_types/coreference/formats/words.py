"""The words of a document: those its file separates, or those found in its text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from annotation.task_types.coreference.document import ChainMention, CorefDocument, Span
from corpus.sentences import split_sentences

WORD = re.compile(r"\w+|[^\w\s]")


def sentences_of(document: CorefDocument) -> list[list[Span]]:
    """Return the words of each sentence. Where the file has none, a word also ends where a mention does."""
    if document.sentences:
        return [[*sentence] for sentence in document.sentences if sentence]
    mentions = [mention for chain in document.chains for mention in chain]
    borders = sorted({place for mention in mentions for place in mention.span})
    ends = sorted({end for _, end in sentence_spans(document.text)})
    inside = inside_of(mentions, ends)
    ends = [end for end in ends if end not in inside]
    sentences: list[list[Span]] = [[] for _ in range(len(ends) + 1)]
    for word in WORD.finditer(document.text):
        for span in cut(*word.span(), borders):
            sentences[bisect_left(ends, span[1])].append(span)
    return [sentence for sentence in sentences if sentence]


def sentence_spans(text: str) -> Iterator[Span]:
    for line in re.finditer(r"[^\n]+", text):
        for start, end in split_sentences(line[0]):
            yield line.start() + start, line.start() + end


def inside_of(mentions: Iterable[ChainMention], places: list[int]) -> set[int]:
    """Return the places that lie within a mention: no sentence may end there."""
    inside: set[int] = set()
    reached = 0
    for mention in sorted(mentions, key=lambda mention: mention.span):
        first = bisect_right(places, max(mention.start, reached))
        inside.update(places[first : bisect_left(places, mention.end)])
        reached = max(reached, mention.end - 1)
    return inside


def cut(start: int, end: int, borders: list[int]) -> Iterator[Span]:
    """Yield the parts of a span between borders."""
    for border in borders[bisect_right(borders, start) : bisect_left(borders, end)]:
        yield start, border
        start = border
    yield start, end


def covered(words: list[Span], start: int, end: int) -> Span | None:
    """Return the first and the last word that a piece of the text touches."""
    first = bisect_right(words, start, key=lambda word: word[1])
    last = bisect_left(words, end, key=lambda word: word[0]) - 1
    return (first, last) if first <= last else None
