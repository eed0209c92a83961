"""Several people's marks in one text: the marks that all of them made, and the differences between the others.

A difference is a group of marks about the same piece of the text: they overlap, and they have the same label or the
same edges, or could not stand together in one answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.parts.span_marks import MarkedSpan, colliding
from kernel.values import canonical_json


@dataclass(frozen=True)
class SharedMark:
    """A mark with the answers that have it, by their place among all answers."""

    span: MarkedSpan
    answers: tuple[int, ...]


@dataclass(frozen=True)
class SpanDifference:
    """Marks about one piece of the text, none of which is in every answer."""

    marks: tuple[SharedMark, ...]  # in the order of the text

    @property
    def start(self) -> int:
        return self.marks[0].span.start

    @property
    def end(self) -> int:
        return max(mark.span.end for mark in self.marks)

    def of(self, answer: int) -> tuple[MarkedSpan, ...]:
        """Return the marks that one answer has here."""
        return tuple(mark.span for mark in self.marks if answer in mark.answers)


@dataclass(frozen=True)
class SpanComparison:
    """Every mark of every answer, once: agreed, or in one difference."""

    agreed: tuple[MarkedSpan, ...]
    differences: tuple[SpanDifference, ...]


def compare_spans(answers: Sequence[Sequence[MarkedSpan]], overlap: str) -> SpanComparison:
    """Compare the marks of several answers; `overlap` is what the description allows within one answer."""
    makers: dict[str, dict[int, MarkedSpan]] = defaultdict(dict)  # by all that a mark says
    for number, spans in enumerate(answers):
        for span in spans:
            makers[canonical_json(span.to_json())][number] = span
    shared = [SharedMark(own[min(own)], tuple(own)) for own in makers.values()]
    shared.sort(key=_place)
    differing = [mark for mark in shared if len(mark.answers) < len(answers)]
    return SpanComparison(
        tuple(mark.span for mark in shared if len(mark.answers) == len(answers)),
        tuple(SpanDifference(tuple(group)) for group in _groups(differing, overlap)),
    )


def _groups(marks: Sequence[SharedMark], overlap: str) -> list[list[SharedMark]]:
    """Return groups of marks, in the order of the text; two about the same piece are in one group."""
    group_of: dict[SharedMark, list[SharedMark]] = {}
    before: list[SharedMark] = []  # those that may reach as far as the present mark
    for mark in marks:
        before = [other for other in before if other.span.end > mark.span.start]
        group = group_of[mark] = [mark]
        for other in before:
            if group_of[other] is not group and _are_rivals(mark.span, other.span, overlap):
                group += group_of[other]
                for member in group_of[other]:
                    group_of[member] = group
        before.append(mark)
    groups = {id(group): sorted(group, key=_place) for group in group_of.values()}
    return sorted(groups.values(), key=lambda group: _place(group[0]))


def _are_rivals(left: MarkedSpan, right: MarkedSpan, overlap: str) -> bool:
    """Tell whether two marks that overlap are about the same piece."""
    same_edges = (left.start, left.end) == (right.start, right.end)
    return same_edges or left.label == right.label or colliding([left, right], overlap) is not None


def _place(mark: SharedMark) -> tuple[MarkedSpan, tuple[int, ...]]:
    """Return the order: by the text, and the first person first."""
    return mark.span, mark.answers
