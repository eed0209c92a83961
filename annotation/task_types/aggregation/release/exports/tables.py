"""CSV for people and spreadsheets: one line for each aggregation, or one for each annotation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from annotation.releasing.building import CORRECT
from annotation.releasing.exports.base import Source
from annotation.releasing.facts import ReleaseRow
from tesa_site.kernel.csv_files import json_cell, write_csv

INSTANCE = ("key", "group", "corpus", "article_id", "date", "entity_type", "entities", "kind")


def _instance(row: ReleaseRow) -> tuple[object, ...]:
    return tuple(json_cell(row[name]) if name == "entities" else row[name] for name in INSTANCE)


class Aggregated:
    name: ClassVar[str] = "csv"
    label: ClassVar[str] = "CSV, aggregated"
    about: ClassVar[str] = (
        "One line for each instance and phrase: how many gave it, how many of them in a reviewer's words or simulated."
    )
    suffix: ClassVar[str] = ".csv"

    def write(self, source: Source, out: Path) -> None:
        columns = (
            *INSTANCE,
            "title",
            "context",
            "phrase",
            "display",
            "support",
            "annotators",
            "corrected",
            "simulated",
        )
        write_csv(
            out, columns, (line for row in source.rows_with_progress() for line in _aggregations(row)), mark=source.mark
        )


def _aggregations(row: ReleaseRow) -> Iterator[tuple[object, ...]]:
    instance = (*_instance(row), row["title"], row["context"])
    for one in row["aggregations"]:
        numbers = (one["support"], people(row), corrections(row, one["phrase"]), one.get("simulated", 0))
        yield (*instance, one["phrase"], one["display"], *numbers)


def people(row: ReleaseRow) -> int:
    """Return how many people annotated an instance; simulated participants are not people."""
    return sum(not one.get("simulated") for one in row["annotations"])


def corrections(row: ReleaseRow, phrase: str) -> int:
    """Return how many of those who support a phrase do so in a reviewer's words."""
    return sum(one.get("verdict") == CORRECT and phrase in one["cleaned"] for one in row["annotations"])


class PerAnnotation:
    name: ClassVar[str] = "annotations"
    label: ClassVar[str] = "CSV, per annotation"
    about: ClassVar[str] = "One line for each person's annotation: what was typed and what it was cleaned to."
    suffix: ClassVar[str] = "-annotations.csv"

    def write(self, source: Source, out: Path) -> None:
        columns = (*INSTANCE, "annotator", "answers", "cleaned", "not_aggregatable", "verdict", "simulated")
        write_csv(
            out, columns, (line for row in source.rows_with_progress() for line in _annotations(row)), mark=source.mark
        )


def _annotations(row: ReleaseRow) -> Iterator[tuple[object, ...]]:
    instance = _instance(row)
    for one in row["annotations"]:
        answers, cleaned = (json_cell(one[name]) for name in ("answers", "cleaned"))
        verdict, is_simulated = one.get("verdict", ""), int(one.get("simulated", False))
        yield (*instance, one["annotator"], answers, cleaned, int(one["not_aggregatable"]), verdict, is_simulated)


AGGREGATED, ANNOTATIONS = Aggregated(), PerAnnotation()
