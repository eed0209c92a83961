"""The part of a task type that releases ask: what a row holds, what is counted, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from annotation.releasing.describing import Describing, StoredStatistics
from annotation.releasing.exports.base import Format
from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer
from annotation.task_types.consensus_rules import NO_ESTIMATES, Estimates
from kernel.values import Json

JsonObject: TypeAlias = dict[str, Json]
HistogramRow: TypeAlias = tuple[str, str, str, int, float]  # panel, value, whose, number, share


@dataclass(frozen=True)
class FigureLine:
    """A line of a table of figures: a label, the figure of each release, and the published figure if there is one."""

    label: str
    figures: tuple[str, ...]
    published: str = ""


class ReleaseFigures(Protocol):
    """Collects the figures that only this task type has, row by row."""

    def add_row(self, row: Mapping[str, Any]) -> None: ...

    def to_json(self) -> JsonObject: ...


class ReleaseFacet(Describing, Protocol):
    """What a task type knows about releases of its answers. Holds no state."""

    categories: Sequence[str]  # what items can be filtered by
    sizes: Sequence[int]

    @property
    def formats(self) -> Mapping[str, Format]:
        """By name, in the order of the page."""

    def category_and_size(self, row: Mapping[str, Any]) -> tuple[str, int]:
        """Return what a list of items filters this row by."""

    def title(self, row: Mapping[str, Any]) -> str:
        """Return a short name of the row's item for headings and links."""

    def annotation(self, answer: Mapping[str, Any], cleaned: CleanedAnswer, verdict: str) -> JsonObject:
        """Return an annotation of a row: what was answered, what became of it, and the reviewers' verdict."""

    def outcome(self, annotation: Mapping[str, Any]) -> AnswerOutcome:
        """Return what became of a released annotation."""

    def consensus(
        self, annotations: Iterable[tuple[CleanedAnswer, bool]], estimates: Estimates = NO_ESTIMATES
    ) -> JsonObject:
        """Return what the annotations say together, as fields of the row. Each comes with whether it is simulated.

        `estimates` are what rules that look at all tasks found for this one.
        """

    def settlement(self, cleaned: CleanedAnswer | None) -> JsonObject:
        """Return the task's own answer, as fields of the row; none where tasks have no answer of their own."""

    def collect(self) -> ReleaseFigures:
        """Return an empty collector."""

    def lines(self, *statistics: StoredStatistics) -> Iterator[FigureLine]:
        """Yield the table of figures for one or more releases."""

    def histograms(self, statistics: StoredStatistics) -> list[HistogramRow]:
        """Return the bars of the plot; an empty list means that there is none."""
