"""Marks that an item suggests, and what became of them in an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.parts.span_marks import BadMark, MarkedSpan, colliding, read_marks
from annotation.parts.spans_options import SpansOptions
from annotation.parts.words import shortened

SUGGESTED = "suggested"
KEPT, CHANGED, DELETED, ADDED = CHANGES = ("kept", "changed", "deleted", "added")


def suggested_spans(texts: Mapping[str, str], options: SpansOptions) -> list[MarkedSpan] | None:
    """Return the marks that an item suggests, None if it has none; raise BadMark for the first that cannot stand."""
    sent = texts.get(options.suggestions, "") if options.suggestions else ""
    if not sent.strip():
        return None
    spans = read_marks(texts.get(options.text, ""), _with_text(sent), options)
    if len(spans) > options.most:
        raise BadMark(f"there are {len(spans):,}, and people may mark {options.most:,}.")
    if two := colliding(spans, options.overlap):
        left, right = (f"“{shortened(span.words(texts.get(options.text, '')))}”" for span in two)
        raise BadMark(f"{left} and {right} overlap, which the task does not allow.")
    return spans


def sound_suggestions(texts: Mapping[str, str], options: SpansOptions) -> list[MarkedSpan] | None:
    """Return the marks that an item suggests; None if it has none, or some that cannot stand."""
    try:
        return suggested_spans(texts, options)
    except BadMark:
        return None


def shown_suggestions(texts: Mapping[str, str], options: SpansOptions) -> list[MarkedSpan]:
    """Return the marks that people start from; none where they are hidden."""
    return (sound_suggestions(texts, options) if options.show_suggestions else None) or []


def as_keys(spans: Iterable[MarkedSpan]) -> str:
    """Return marks by place and label, as the form says which suggestions nobody has touched."""
    return " ".join(own.key for own in spans)


def why_not_suggested(texts: Mapping[str, str], options: SpansOptions) -> str:
    """Return what is wrong with the suggested marks; "" if nothing is."""
    try:
        suggested_spans(texts, options)
    except BadMark as error:
        return f"{options.suggestions}: {error}".rstrip(".")
    return ""


def changes(suggested: Sequence[MarkedSpan], answered: Sequence[MarkedSpan]) -> dict[str, int]:
    """Count what became of suggested marks. A mark is changed if one of the answer's other marks overlaps it.

    Each mark counts once: the pairs that overlap most are formed first.
    """
    kept = {*suggested} & {*answered}
    left, new = ([span for span in {*spans} if span not in kept] for spans in (suggested, answered))
    overlaps = [(before, after, _shared(before, after)) for before in left for after in new]
    pairs = sorted((-overlap, before, after) for before, after, overlap in overlaps if overlap > 0)
    old_of: dict[MarkedSpan, MarkedSpan] = {}
    for _, before, after in pairs:
        if after not in old_of and before not in old_of.values():
            old_of[after] = before
    changed = len(old_of)
    counts = (len(kept), changed, len(left) - changed, len(new) - changed)
    return {SUGGESTED: len({*suggested}), **dict(zip(CHANGES, counts, strict=True))}


def _shared(left: MarkedSpan, right: MarkedSpan) -> int:
    return min(left.end, right.end) - max(left.start, right.start)


def _with_text(sent: str) -> str:
    """Return a JSON list of marks in which their words are called as in answers."""
    try:
        marks: Any = json.loads(sent)
    except (ValueError, RecursionError):
        raise BadMark("this is no JSON list of marks, such as [{“start”: 0, “end”: 8, “label”: “person”}].") from None
    if not isinstance(marks, list):
        raise BadMark("this must be a JSON list of marks.")
    renamed = [
        {"text" if name == "words" else name: own for name, own in mark.items()} if isinstance(mark, dict) else mark
        for mark in marks
    ]
    return json.dumps(renamed)
