"""Marks as lines that people write where there is no script: “words # label”, or “12-15 # label”.

Attributes stand behind the label: “words # label # name=value”.
Words that occur several times are taken in the order of the text: a line means the next place behind the line before
it. Where marks may overlap, the next place may begin inside the mark of that line.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from annotation.parts.span_attributes import SIGN, BadAttribute, parted, written
from annotation.parts.span_marks import (
    BadMark,
    MarkedSpan,
    attributes_of,
    contradicting,
    fitted,
    why_contradicting,
)
from annotation.parts.span_tokens import KEPT_TEXTS, tokens_of
from annotation.parts.spans_options import APART, MOST_SPANS, SpansOptions, words_of_labels
from annotation.parts.words import listed, shortened
from kernel.values import canonical_json

WORD = re.compile(r"\S+")
OFFSETS = re.compile(r"([0-9]{1,9})\s*[-–]\s*([0-9]{1,9})")
A_LIST = '[{"'  # how a list of offsets begins, in the same field
MOST_PROBLEMS = 10
LONGEST_LINE = 5000


def read_lines(text: str, lines: str, options: SpansOptions) -> tuple[list[MarkedSpan], dict[int, str]]:
    """Return the marks, and what is wrong by the number of the line."""
    spans: list[MarkedSpan] = []
    problems: dict[int, str] = {}
    for number, line in enumerate(lines.splitlines(), 1):
        if len(spans) > MOST_SPANS or len(problems) >= MOST_PROBLEMS:
            break
        if not line.strip():
            continue
        try:
            span = _read_line(text, line, options, spans[-1] if spans else None)
            if options.attributes and contradicting([*spans, span]):
                raise BadMark(why_contradicting(text, span, options))
            spans.append(span)
        except BadMark as error:
            problems[number] = f"Line {number}: {error}"
    return sorted({*spans}), problems


def write_marks(text: str, spans: Sequence[MarkedSpan], options: SpansOptions) -> str:
    """Return lines that are read as these marks, or their offsets where an attribute looks like the end of a line."""
    lines = write_lines(text, spans, options)
    if not options.attributes:
        return lines
    read, _ = read_lines(text, lines, options)
    is_same = [own.to_json() for own in read] == [own.to_json() for own in spans]  # in whatever order of attributes
    return lines if is_same else canonical_json([own.to_json() for own in spans])


def write_lines(text: str, spans: Sequence[MarkedSpan], options: SpansOptions) -> str:
    """Return a line for each mark, by its words where that is enough."""
    labels, lines = words_of_labels(options), list[str]()
    before: MarkedSpan | None = None
    for span in spans:
        behind = f" {SIGN} {labels[span.label]}{written(span.attributes, options.attributes)}"
        line = f"{span.words(text)}{behind}"
        if line.startswith(A_LIST) or not _says(text, line, options, before, span):
            line = f"{span.start}-{span.end}{behind}"
        lines.append(line)
        before = span
    return "\n".join(lines)


def _says(text: str, line: str, options: SpansOptions, before: MarkedSpan | None, span: MarkedSpan) -> bool:
    try:
        return _read_line(text, line, options, before) == span  # whatever its attributes
    except BadMark:
        return False


def _read_line(text: str, line: str, options: SpansOptions, before: MarkedSpan | None) -> MarkedSpan:
    if len(line) > LONGEST_LINE:
        raise BadMark(f"it is longer than {LONGEST_LINE:,} characters.")
    try:
        line, values = parted(line, options.attributes)
    except BadAttribute as error:
        raise BadMark(str(error)) from None
    words, label = _parted(line, options)
    attributes = attributes_of(values, label, options)
    if offsets := OFFSETS.fullmatch(words):
        return fitted(text, MarkedSpan(int(offsets[1]), int(offsets[2]), label, attributes), options)
    place = _next_place(text, words, label, options, before)
    if place:
        return replace(place, attributes=attributes)
    short = shortened(words)
    if _next_place(text, words, label, options, None):
        raise BadMark(f"“{short}” does not occur behind the line before it: keep the order of the text.")
    whole = ", as whole words" if options.unit == "words" else ""
    raise BadMark(f"“{short}” does not occur in the text{whole}.")


def _parted(line: str, options: SpansOptions) -> tuple[str, str]:
    """Return the words of a line and the id of its label, which may be left out if there is only one."""
    names = {name.casefold(): own.id for own in options.labels for name in (own.id, own.words)}
    words, sign, label = line.rpartition(SIGN)
    id_ = names.get(" ".join(label.split()).casefold()) if sign else None
    if id_ and words.strip():
        return words.strip(), id_
    if len(options.labels) == 1 and line.strip():
        return line.strip(), options.labels[0].id
    known = listed([own.words for own in options.labels], "or")
    if not sign or not words.strip():
        raise BadMark(f"write the words, “{SIGN}” and a label: {known}.")
    raise BadMark(f"“{shortened(label)}” is not one of the labels: write {known}.")


def _next_place(
    text: str, words: str, label: str, options: SpansOptions, before: MarkedSpan | None
) -> MarkedSpan | None:
    wanted, (line, places) = " ".join(words.split()), _in_a_line(text)
    starts, ends = _edges(text, options.unit)
    behind = 0 if before is None else before.end if options.overlap == APART else before.start
    at = bisect_left(places, behind)
    while (at := line.find(wanted, at)) >= 0:
        span = MarkedSpan(places[at], places[at + len(wanted) - 1] + 1, label)
        if span.start in starts and span.end in ends and span != before:
            return span
        at += 1
    return None


@lru_cache(KEPT_TEXTS)
def _in_a_line(text: str) -> tuple[str, Sequence[int]]:
    """Return the words of a text with one blank between them, and the place of each character in the text itself."""
    places = array("I")
    for match in WORD.finditer(text):
        if places:
            places.append(match.start() - 1)
        places.extend(range(match.start(), match.end()))
    return " ".join(WORD.findall(text)), places


@lru_cache(KEPT_TEXTS)
def _edges(text: str, unit: str) -> tuple[frozenset[int], frozenset[int]]:
    tokens = tokens_of(text, unit)
    return frozenset(token.start for token in tokens), frozenset(token.end for token in tokens)
