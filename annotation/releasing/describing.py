"""How a task type describes its releases: in words, fields and figures, for cards, datasheets and schemas of files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from kernel.fields import Fields

StoredStatistics: TypeAlias = Mapping[str, Any]  # a release's statistics as they were stored


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


class Describing(Protocol):
    """What files say about the releases of one task type."""

    words: ReleaseWords
    schema: int  # of the rows of new releases
    language: str  # of the texts, as the Hugging Face hub names it; "" if they can be in any
    quotes_articles: bool  # its items quote news articles, and have backgrounds with licences of their own
    nothing_fits: str  # the count of annotations that say nothing fits; in schema 2 also their field and verdict

    def tables(self, schema: int, statistics: StoredStatistics) -> Mapping[str, Fields]:
        """Return the fields of the tables `instances` and `annotations` in rows of this schema.

        The statistics of the release know what differs from release to release, such as the columns of its rows.
        """

    def markdown(self, statistics: StoredStatistics) -> str:
        """Return the table of figures in Markdown, for card and datasheet."""
