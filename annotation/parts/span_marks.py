"""Marked pieces of a text: what can stand, in the order in which answers keep them."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.parts.span_attributes import Attributes, BadAttribute, missing, read_attributes
from annotation.parts.span_tokens import tokens_of
from annotation.parts.spans_options import ANY, APART, MOST_SPANS, WORDS, SpansOptions, words_of_labels
from annotation.parts.words import shortened
from annotation.task_types.base import JsonObject
from kernel.values import counted

LONGEST_SENT = 200 * MOST_SPANS  # characters of a list of marks
KEYS = {"start", "end", "label"}
ATTRIBUTES = "attributes"
SHAPE = "a mark is a start, an end and a label"


class BadMark(ValueError):
    """Says in a sentence why a mark cannot stand."""


@dataclass(frozen=True, order=True)
class MarkedSpan:
    """A piece of a text: code points from `start` up to, but not including, `end`.

    Marks with the same place and label are equal, whatever their attributes: a text has only one of them.
    """

    start: int
    end: int
    label: str
    attributes: Attributes = field(default=(), compare=False)

    @property
    def key(self) -> str:
        """The place and the label, as the page's script writes them too."""
        return f"{self.start}-{self.end}:{self.label}"

    def words(self, text: str) -> str:
        return " ".join(text[self.start : self.end].split())

    def to_json(self) -> JsonObject:
        values: JsonObject = {name: own if isinstance(own, str) else [*own] for name, own in self.attributes}
        named: JsonObject = {ATTRIBUTES: values} if values else {}
        return {"start": self.start, "end": self.end, "label": self.label, **named}


def spans_of(value: Iterable[Any]) -> list[MarkedSpan]:
    """Return the marks of an answer."""
    return [MarkedSpan(own["start"], own["end"], own["label"], _stored(own.get(ATTRIBUTES, {}))) for own in value]


def _stored(values: Mapping[str, Any]) -> Attributes:
    return tuple((name, tuple(own) if isinstance(own, list) else own) for name, own in values.items())


def is_answer(value: Any) -> bool:
    """Tell whether a value has the shape of an answer."""
    return isinstance(value, list) and all(map(_is_mark, value))


def _is_mark(value: Any) -> bool:
    if not (isinstance(value, dict) and KEYS <= value.keys() <= KEYS | {ATTRIBUTES}):
        return False
    return isinstance(value.get(ATTRIBUTES, {}), dict)


def read_marks(text: str, sent: str, options: SpansOptions) -> list[MarkedSpan]:
    """Read a JSON list of marks as a page sends it; raise BadMark for the first that cannot stand."""
    if len(sent) > LONGEST_SENT:
        raise BadMark(f"These are more marks than the {MOST_SPANS:,} that a text may have.")
    try:
        marks = json.loads(sent)
    except (ValueError, RecursionError):
        raise BadMark("The marks cannot be read: reload the page and mark again.") from None
    if not isinstance(marks, list):
        raise BadMark(f"The marks must be a list, and {SHAPE}.")
    if len(marks) > MOST_SPANS:
        raise BadMark(f"These are {len(marks):,} marks, and a text may have {MOST_SPANS:,}.")
    spans = []
    for number, mark in enumerate(marks, 1):
        try:
            spans.append(_read_mark(text, mark, options))
        except BadMark as error:
            raise BadMark(f"Mark {number}: {error}") from None
    if twice := contradicting(spans):
        raise BadMark(why_contradicting(text, twice, options))
    return sorted({*spans})


def contradicting(spans: Iterable[MarkedSpan]) -> MarkedSpan | None:
    """Return a mark that is there with different answers about it; None if there is none."""
    known: dict[MarkedSpan, MarkedSpan] = {}
    return next((span for span in spans if known.setdefault(span, span).to_json() != span.to_json()), None)


def why_contradicting(text: str, span: MarkedSpan, options: SpansOptions) -> str:
    words = f"“{shortened(span.words(text))}”, {words_of_labels(options)[span.label]}"
    return f"{words}, is marked twice, with different answers: keep one of the two."


def _read_mark(text: str, mark: Any, options: SpansOptions) -> MarkedSpan:
    if not (isinstance(mark, dict) and KEYS <= mark.keys() <= KEYS | {"text", ATTRIBUTES}):
        raise BadMark(f"{SHAPE}.")
    start, end, label = mark["start"], mark["end"], mark["label"]
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        raise BadMark("its start and its end must be whole numbers, and its label a text.")
    if "text" in mark and mark["text"] != text[max(start, 0) : max(end, 0)]:
        raise BadMark("its words are not those of the text at this place.")
    if label not in words_of_labels(options):
        raise BadMark(f"“{shortened(label)}” is not one of the labels.")
    return fitted(text, MarkedSpan(start, end, label, attributes_of(mark.get(ATTRIBUTES, {}), label, options)), options)


def attributes_of(values: Any, label: str, options: SpansOptions) -> Attributes:
    try:
        return read_attributes(values, label, options.attributes)
    except BadAttribute as error:
        raise BadMark(str(error)) from None


def fitted(text: str, span: MarkedSpan, options: SpansOptions) -> MarkedSpan:
    """Return a mark without blanks at its edges; raise BadMark where it cannot stand in the text."""
    if not 0 <= span.start < span.end <= len(text):
        raise BadMark(f"{span.start}-{span.end} is no piece of the text, which has {len(text):,} characters.")
    tokens = tokens_of(text, options.unit)
    first = bisect_right(tokens, span.start, key=lambda token: token.end)
    last = bisect_left(tokens, span.end, key=lambda token: token.start) - 1
    if first > last:
        raise BadMark("there are only blanks at this place.")
    start, end = tokens[first].start, tokens[last].end
    if start < span.start or end > span.end:
        what = "a word: mark whole words" if options.unit == WORDS else "a character that has several parts"
        raise BadMark(f"{span.start}-{span.end} begins or ends inside {what}.")
    return replace(span, start=start, end=end)


def colliding(spans: Sequence[MarkedSpan], overlap: str) -> tuple[MarkedSpan, MarkedSpan] | None:
    """Return two marks that overlap although they may not; None if there are none."""
    outside: list[MarkedSpan] = []  # those around the present place, the innermost last
    for span in sorted(spans, key=lambda own: (own.start, -own.end)) if overlap != ANY else ():
        while outside and outside[-1].end <= span.start:
            outside.pop()
        if outside and (overlap == APART or span.end > outside[-1].end):
            return outside[-1], span
        outside.append(span)
    return None


def why_not_together(text: str, spans: Sequence[MarkedSpan], options: SpansOptions) -> str:
    """Return why these marks cannot stand together; "" if they can."""
    if len(spans) < options.least:
        return f"Please mark at least {counted(options.least, 'piece')} of the text: you have marked {len(spans):,}."
    if len(spans) > options.most:
        return f"Please mark at most {counted(options.most, 'piece')} of the text: you have marked {len(spans):,}."
    if not (two := colliding(spans, options.overlap)):
        return ""
    left, right = (f"“{shortened(own.words(text))}”" for own in two)
    allowed = "may not overlap" if options.overlap == APART else "may only stand inside each other"
    return f"{left} and {right} overlap: marks {allowed} here."


def why_incomplete(text: str, spans: Sequence[MarkedSpan], options: SpansOptions) -> str:
    """Return which mark lacks an attribute that it needs; "" if none does."""
    for span in spans:
        if lacking := missing(span.attributes, span.label, options.attributes):
            words = f"“{shortened(span.words(text))}”, {words_of_labels(options)[span.label]}"
            return f"{words}: please answer “{lacking[0].question}”."
    return ""


def f1(left: Iterable[MarkedSpan], right: Iterable[MarkedSpan]) -> float:
    """Return the F1 of two sets of marks: a mark counts only with the same edges and label."""
    first, second = {*left}, {*right}
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 1.0
