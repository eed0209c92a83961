"""The part of a task type that releases ask: what a row holds, what is counted, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from annotation.releasing.exports.base import Format
from annotation.task_types.cleaned import CleanedAnswer
from kernel.values import Json

JsonObject: TypeAlias = dict[str, Json]
StoredStatistics: TypeAlias = Mapping[str, Any]  # a release's statistics as they were stored
HistogramRow: TypeAlias = tuple[str, str, str, int, float]  # panel, value, whose, number, share
TEXT, NUMBER, TRUTH, DATE = "string", "int64", "bool", "date"


@dataclass(frozen=True)
class Field:
    """A column, for the dataset card, the parquet schema and the Croissant file: its type, or the fields of the objects
    it holds; `many`: a list of them."""

    name: str
    about: str
    type: str = TEXT
    fields: tuple[Field, ...] = ()
    many: bool = False


Fields: TypeAlias = tuple[Field, ...]


@dataclass(frozen=True)
class Line:
    """A line of a table of figures: a label, the figure of each release, and the published figure if there is one."""

    label: str
    figures: tuple[str, ...]
    published: str = ""


@dataclass(frozen=True)
class ReleaseWords:
    """The words with which pages, dataset card and datasheet speak of a release of this type."""

    item: str  # heading of the column that names an item
    cleanings: str  # help for choosing a cleaning
    nothing_fits: str  # "not aggregatable"
    top: str  # heading of the most frequent answers
    histograms: str  # title of the plot
    published_note: str  # caption of the plot: how the published figures were counted; "" without any
    description: str  # of a release that nobody described
    tables: str  # what the two tables hold
    composition: str  # what an item is
    agreement: str  # the question on which agreement is measured
    measured: str  # the same in a few words, stored with each measure
    reviewed: str  # what reviewers decided; a format string over the counts
    hub_tasks: tuple[str, ...]  # task categories of the Hugging Face hub


class Figures(Protocol):
    """Collects the figures that only this task type has, row by row."""

    def add_row(self, row: Mapping[str, Any]) -> None: ...

    def to_json(self) -> JsonObject: ...


class ReleaseFacet(Protocol):
    """What a task type knows about releases of its answers. Holds no state."""

    words: ReleaseWords
    formats: Mapping[str, Format]  # by name, in the order of the page
    nothing_fits: str  # the field, the verdict and the count of annotations that say nothing fits
    categories: Sequence[str]  # what items can be filtered by
    sizes: Sequence[int]

    def category_and_size(self, row: Mapping[str, Any]) -> tuple[str, int]:
        """Return what a list of items filters this row by."""

    def title(self, row: Mapping[str, Any]) -> str:
        """Return a short name of the row's item for headings and links."""

    def answer_fields(self, answer: Mapping[str, Any]) -> JsonObject:
        """Return what the annotator answered, as fields of the annotation in the row."""

    def consensus(self, annotations: Iterable[tuple[CleanedAnswer, bool]]) -> JsonObject:
        """Return what the annotations say together, as fields of the row. Each comes with whether it is simulated."""

    def tables(self, schema: int) -> Mapping[str, Fields]:
        """Return the fields of the tables `instances` and `annotations` in rows of this schema."""

    def collect(self) -> Figures:
        """Return an empty collector."""

    def lines(self, *statistics: StoredStatistics) -> Iterator[Line]:
        """Yield the table of figures for one or more releases."""

    def markdown(self, statistics: StoredStatistics) -> str:
        """Return the table of figures in Markdown, for card and datasheet."""

    def histograms(self, statistics: StoredStatistics) -> list[HistogramRow]:
        """Return the bars of the plot; an empty list means that there is none."""
