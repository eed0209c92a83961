"""Marks as BIO tags, one for each token. A token has one tag, so of marks that overlap only the outermost is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.parts.span_files.released import ReleasedText
from annotation.parts.span_marks import MarkedSpan
from annotation.parts.span_tokens import Token
from annotation.releasing.exports.jsonl import line_of
from annotation.task_types.base import JsonObject

OUTSIDE = "O"
LEFT_OUT_FILE = "left_out.jsonl"


@dataclass(frozen=True)
class LeftOutMark:
    """A mark that tags cannot hold beside another one."""

    span: MarkedSpan
    kept: MarkedSpan

    @property
    def why(self) -> str:
        if (self.span.start, self.span.end) == (self.kept.start, self.kept.end):
            return "same place"
        return "nested" if self.span.end <= self.kept.end else "crossing"


def outermost(spans: Sequence[MarkedSpan]) -> tuple[list[MarkedSpan], list[LeftOutMark]]:
    """Return the marks that stand apart, and those inside or across them; of two that cross, the first is kept."""
    kept: list[MarkedSpan] = []
    left_out: list[LeftOutMark] = []
    for span in sorted(spans, key=lambda own: (own.start, -own.end, own.label)):
        if kept and span.start < kept[-1].end:
            left_out.append(LeftOutMark(span, kept[-1]))
        else:
            kept.append(span)
    return kept, left_out


def tags_of(tokens: Sequence[Token], apart: Sequence[MarkedSpan]) -> list[str]:
    """Return the tag of each token, given marks that stand apart, in their order."""
    tags, waiting = [], [*reversed(apart)]
    for token in tokens:
        while waiting and waiting[-1].end <= token.start:
            waiting.pop()
        span = waiting[-1] if waiting and waiting[-1].start < token.end else None
        tags.append(f"{'B' if token.start <= span.start else 'I'}-{span.label}" if span else OUTSIDE)
    return tags


def tag_names(labels: Sequence[str]) -> list[str]:
    """Return all tags, those of a label beside each other."""
    return [OUTSIDE, *(f"{begin}-{label}" for label in labels for begin in "BI")]


def left_out_lines(own: ReleasedText, left_out: Sequence[LeftOutMark]) -> list[str]:
    """Return a line for each mark that tags do not hold, or one for a text that nobody answered."""
    if own.spans is None:
        return [line_of({"id": own.id, "why": "not answered"})]
    return [line_of(_left_out(own, mark)) for mark in left_out]


def _left_out(own: ReleasedText, mark: LeftOutMark) -> JsonObject:
    span = mark.span
    return {"id": own.id, **span.to_json(), "words": own.text[span.start : span.end], "why": mark.why,
            "kept": mark.kept.to_json()}  # fmt: skip
