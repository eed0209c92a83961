"""CSV for people and spreadsheets: one line for each aggregation, or one for each annotation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from annotation.releasing.exports.base import Source, write_csv
from annotation.releasing.facts import ReleaseRow

INSTANCE = ("key", "group", "corpus", "article_id", "date", "entity_type", "entities", "kind")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _instance(row: ReleaseRow) -> tuple[object, ...]:
    entities = json.dumps(row["entities"], ensure_ascii=False)
    return tuple(entities if name == "entities" else _cell(row[name]) for name in INSTANCE)


def _cell(value: object) -> object:
    """Return a text that a spreadsheet does not take for a formula: an apostrophe stands before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


class Aggregated:
    name: ClassVar[str] = "csv"
    label: ClassVar[str] = "CSV, aggregated"
    about: ClassVar[str] = "One line for each instance and phrase, with how many people gave it."
    suffix: ClassVar[str] = ".csv"

    def write(self, source: Source, out: Path) -> None:
        columns = (*INSTANCE, "title", "context", "phrase", "display", "support", "annotators")
        write_csv(out, columns, (line for row in source.told() for line in _aggregations(row)))


def _aggregations(row: ReleaseRow) -> Iterator[tuple[object, ...]]:
    instance = (*_instance(row), _cell(row["title"]), _cell(row["context"]))
    for one in row["aggregations"]:
        yield (*instance, _cell(one["phrase"]), _cell(one["display"]), one["support"], len(row["annotations"]))


class PerAnnotation:
    name: ClassVar[str] = "annotations"
    label: ClassVar[str] = "CSV, per annotation"
    about: ClassVar[str] = "One line for each person's annotation: what was typed and what it was cleaned to."
    suffix: ClassVar[str] = "-annotations.csv"

    def write(self, source: Source, out: Path) -> None:
        columns = (*INSTANCE, "annotator", "answers", "cleaned", "not_aggregatable")
        write_csv(out, columns, (line for row in source.told() for line in _annotations(row)))


def _annotations(row: ReleaseRow) -> Iterator[tuple[object, ...]]:
    instance = _instance(row)
    for one in row["annotations"]:
        answers, cleaned = (json.dumps(one[name], ensure_ascii=False) for name in ("answers", "cleaned"))
        yield (*instance, one["annotator"], answers, cleaned, int(one["not_aggregatable"]))


AGGREGATED, ANNOTATIONS = Aggregated(), PerAnnotation()
