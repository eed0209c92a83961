"""Contexts: the passages of an article that mention all of a set of entities.

In the body these are the shortest windows of at most n consecutive sentences that mention all n entities. A window may
span several paragraphs, but no heading, signature, credit or row of a table. On request a window of one sentence is
widened to two, as in the original study. The abstract is one context as a whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from corpus.asides import is_sign_off
from corpus.mentions import Mention, NameIndex, find_mentions
from corpus.sentences import Sentence, split_paragraphs
from corpus.tables import is_tabular

PARAGRAPH_BREAK = "\n\n"
MIN_SENTENCES = (1, 2)  # the possible minimum lengths of a context from the body, in sentences


class ContextKind(StrEnum):
    """Where a context comes from. Values are stored and exported: never rename one."""

    CONTENT = "content"
    ABSTRACT = "abstract"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with its sentences and mentions."""

    paragraphs: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...]  # in text order
    breaks: tuple[int, ...] = ()  # numbers of sentences that are not prose: no context contains one


@dataclass(frozen=True, slots=True)
class PreparedArticle:
    """An article prepared for finding contexts: its title, its body, and its abstract, which may be empty."""

    title: str
    body: Passage
    abstract: Passage


@dataclass(frozen=True, slots=True)
class Highlight:
    """A mention by its position in the text of a context."""

    entity: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Context:
    """The sentences from `first` to `last` of a body or abstract, which mention all of the entities."""

    kind: ContextKind
    first: int
    last: int
    entities: tuple[str, ...]  # sorted
    title: str
    text: str  # with PARAGRAPH_BREAK where a paragraph ends
    mentions: tuple[Highlight, ...]  # of these entities, in text order


def read_article(
    index: NameIndex, title: str, paragraphs: Sequence[str], abstract: str = "", asides: Collection[int] = ()
) -> PreparedArticle:
    """Return the article with its sentences and mentions; `asides` are the paragraphs that are not prose, by number."""
    return PreparedArticle(
        title, _read(index, paragraphs, asides), _read(index, [abstract] if abstract.strip() else [])
    )


def _read(index: NameIndex, paragraphs: Sequence[str], asides: Collection[int] = ()) -> Passage:
    sentences = split_paragraphs(paragraphs)
    breaks = tuple(
        number
        for number, sentence in enumerate(sentences)
        if sentence.paragraph in asides or _is_break(paragraphs[sentence.paragraph], sentence)
    )
    return Passage(tuple(paragraphs), sentences, find_mentions(index, paragraphs, sentences), breaks)


def _is_break(paragraph: str, sentence: Sentence) -> bool:
    text = paragraph[sentence.start : sentence.end]
    is_last_of_several = sentence.start > 0 and sentence.end == len(paragraph)
    return is_tabular(text) or (is_last_of_several and is_sign_off(text))


def next_break(passage: Passage, sentence: int) -> int:
    """Return the first sentence from this one on that is not prose; the number of sentences if there is none."""
    place = bisect_left(passage.breaks, sentence)
    return passage.breaks[place] if place < len(passage.breaks) else len(passage.sentences)


def find_contexts(reading: PreparedArticle, entities: Collection[str], min_sentences: int = 1) -> tuple[Context, ...]:
    """Return the contexts of the entities: those in the body in text order, then the abstract if it mentions them all.

    A context from the body has at least `min_sentences` sentences (one of MIN_SENTENCES).
    """
    wanted = tuple(sorted(set(entities)))
    windows: Iterable[tuple[int, int]] = (
        (first, last)
        for first, last in shortest_windows(reading.body.mentions, wanted)
        if last - first < len(wanted) and last < next_break(reading.body, first)
    )
    if min_sentences > 1:
        windows = dict.fromkeys(wide for window in windows if (wide := _widened(reading.body, *window)))
    contexts = [_context(ContextKind.CONTENT, reading.title, reading.body, wanted, *window) for window in windows]
    if wanted and set(wanted) <= {mention.entity for mention in reading.abstract.mentions}:
        last = len(reading.abstract.sentences) - 1
        contexts.append(_context(ContextKind.ABSTRACT, reading.title, reading.abstract, wanted, 0, last))
    return tuple(contexts)


def _widened(body: Passage, first: int, last: int) -> tuple[int, int] | None:
    """Return a window of two sentences or more, widened by the one before, or else after it; None if there is none."""
    if last > first:
        return first, last
    if first > 0 and next_break(body, first - 1) > first:
        return first - 1, last
    return (first, last + 1) if last + 1 < next_break(body, first) else None


def shortest_windows(mentions: Sequence[Mention], entities: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the (first, last) sentence of each window that mentions all the entities and contains no other such window.

    The mentions must be in text order; so are the windows.
    """
    wanted = frozenset(entities)
    latest: dict[str, int] = {}  # entity → the last sentence so far that mentions it
    window: tuple[int, int] | None = None  # final unless a later mention in its last sentence shortens it
    for mention in mentions:
        if mention.entity not in wanted:
            continue
        latest[mention.entity] = last = mention.sentence
        first = min(latest.values())
        if len(latest) < len(wanted) or (window and window[0] == first):
            continue
        if window and window[1] < last:
            yield window
        window = first, last
    if window:
        yield window


def _context(
    kind: ContextKind, title: str, passage: Passage, entities: tuple[str, ...], first: int, last: int
) -> Context:
    text, shifts = _window_text(passage, first, last)
    mentions = tuple(
        Highlight(mention.entity, mention.start + shifts[mention.paragraph], mention.end + shifts[mention.paragraph])
        for mention in passage.mentions
        if first <= mention.sentence <= last and mention.entity in entities
    )
    return Context(kind, first, last, entities, title, text, mentions)


def _window_text(passage: Passage, first: int, last: int) -> tuple[str, dict[int, int]]:
    """Return the text of a window, and for each paragraph the shift from its offsets to those in the text."""
    text, shifts = "", {}
    window = passage.sentences[first : last + 1]
    for paragraph, group in groupby(window, key=lambda sentence: sentence.paragraph):
        sentences = list(group)
        start, end = sentences[0].start, sentences[-1].end
        text += PARAGRAPH_BREAK if text else ""
        shifts[paragraph] = len(text) - start
        text += passage.paragraphs[paragraph][start:end]
    return text, shifts
