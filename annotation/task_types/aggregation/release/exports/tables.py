"""CSV for people and spreadsheets: one line for each aggregation, or one for each annotation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import ClassVar

from annotation.releasing.building import CORRECT
from annotation.releasing.exports.base import ExportSource
from annotation.releasing.facts import ReleaseRow
from kernel.csv_files import json_cell, write_csv

NO_PHRASE = ("not_aggregatable", "rejected")  # two facts from schema 2 on; schema 1 called both not aggregatable
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

    def write(self, source: ExportSource, out: Path) -> None:
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
            *(() if source.facts.schema == 1 else NO_PHRASE),
        )
        write_csv(out, columns, chain.from_iterable(map(_aggregations, source.rows_with_progress())), mark=source.mark)


def _aggregations(row: ReleaseRow) -> Iterator[tuple[object, ...]]:
    instance = (*_instance(row), row["title"], row["context"])
    without = [] if row["schema"] == 1 else [sum(a[name] for a in row["annotations"]) for name in NO_PHRASE]
    for aggregation in row["aggregations"]:
        phrase = aggregation["phrase"]
        numbers = (aggregation["support"], people(row), corrections(row, phrase), aggregation.get("simulated", 0))
        yield (*instance, phrase, aggregation["display"], *numbers, *without)


def people(row: ReleaseRow) -> int:
    """Return how many people annotated an instance; simulated participants are not people."""
    return sum(not annotation.get("simulated") for annotation in row["annotations"])


def corrections(row: ReleaseRow, phrase: str) -> int:
    """Return how many of those who support a phrase do so in a reviewer's words."""
    return sum(
        annotation.get("verdict") == CORRECT and phrase in annotation["cleaned"] for annotation in row["annotations"]
    )


class PerAnnotation:
    name: ClassVar[str] = "annotations"
    label: ClassVar[str] = "CSV, per annotation"
    about: ClassVar[str] = "One line for each answer: what was typed and what it was cleaned to."
    suffix: ClassVar[str] = "-annotations.csv"

    def write(self, source: ExportSource, out: Path) -> None:
        rejected = () if source.facts.schema == 1 else ("rejected",)
        columns = (*INSTANCE, "annotator", "answers", "cleaned", "not_aggregatable", "verdict", "simulated", *rejected)
        write_csv(out, columns, chain.from_iterable(map(_annotations, source.rows_with_progress())), mark=source.mark)


def _annotations(row: ReleaseRow) -> Iterator[tuple[object, ...]]:
    instance = _instance(row)
    for annotation in row["annotations"]:
        answers, cleaned = (json_cell(annotation[name]) for name in ("answers", "cleaned"))
        flags = [
            int(annotation["not_aggregatable"]),
            annotation.get("verdict", ""),
            int(annotation.get("simulated", False)),
        ]
        rejected = [] if row["schema"] == 1 else [int(annotation["rejected"])]
        yield (*instance, annotation["annotator"], answers, cleaned, *flags, *rejected)


AGGREGATED, ANNOTATIONS = Aggregated(), PerAnnotation()
