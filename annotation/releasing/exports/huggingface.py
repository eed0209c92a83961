"""A folder that `datasets.load_dataset` reads: JSON lines, card, datasheet, Croissant; parquet where pyarrow is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from annotation.releasing import documents
from annotation.releasing.croissant import croissant
from annotation.releasing.exports.base import PART_NAMES, ExportSource
from annotation.releasing.exports.jsonl import line_of
from annotation.releasing.exports.parquet import is_installed, write_parquet
from kernel.fields import Fields, row_as_described


@dataclass(frozen=True)
class DataFile:
    """One file of JSON lines: a table, or one part of it."""

    table: str
    part: str
    name: str  # without its ending
    digest: str
    lines: int


class HuggingFace:
    name: ClassVar[str] = "huggingface"
    label: ClassVar[str] = "Hugging Face folder"
    about: ClassVar[str] = (
        "A folder for load_dataset, with dataset card, datasheet and Croissant metadata (zipped). "
        "For train, validation and test parts, use the page of a split."
    )
    suffix: ClassVar[str] = ""

    def write(self, source: ExportSource, out: Path) -> None:
        data = out / "data"
        data.mkdir(parents=True, exist_ok=True)
        tables = source.facts.tables
        files = _write_lines(source, data, tables)
        suffix = "jsonl"
        if is_installed():
            names = [(data / f"{file.name}.jsonl", data / f"{file.name}.parquet", file.table) for file in files]
            write_parquet([(lines, made, tables[table]) for lines, made, table in names])
            suffix = "parquet"
        for name, text in texts(source, files, suffix).items():
            (out / name).write_text(text, encoding="utf-8")


def _write_lines(source: ExportSource, data: Path, tables: Mapping[str, Fields]) -> list[DataFile]:
    """Write each table, or each part of it; without a split all instances are in the part train."""
    parts, split = (PART_NAMES, source.parts) if source.parts else (PART_NAMES[:1], None)
    names = {(table, part): f"{table}-{part}" if split else table for table in tables for part in parts}
    digests = {place: hashlib.sha256() for place in names}
    lines = dict.fromkeys(names, 0)
    with ExitStack() as stack:
        files = {place: stack.enter_context((data / f"{name}.jsonl").open("wb")) for place, name in names.items()}
        for row in source.rows_with_progress():
            part = split.part_of.get(row["key"]) if split else parts[0]
            if part is None:
                continue
            annotations = [{"key": row["key"], **annotation} for annotation in row["annotations"]]
            for table, rows in (("instances", [row]), ("annotations", annotations)):
                for table_row in rows:
                    line = line_of(row_as_described(table_row, tables[table])).encode("utf-8", "surrogatepass")
                    digests[table, part].update(line)
                    files[table, part].write(line)
                    lines[table, part] += 1
    return [DataFile(*place, name, digests[place].hexdigest(), lines[place]) for place, name in names.items()]


def texts(source: ExportSource, files: Sequence[DataFile], suffix: str) -> dict[str, str]:
    facts, parts = source.facts, source.parts
    hashes = {file.name: file.digest for file in files}
    counts = {(file.table, file.part): file.lines for file in files}
    return {
        "README.md": documents.card(facts, suffix, documents.Splits(parts.about, counts) if parts else None),
        "DATASHEET.md": documents.datasheet(facts),
        "croissant.json": _pretty(croissant(facts, hashes)),
        "recipe.json": _pretty(facts.recipe),
        "statistics.json": _pretty(facts.statistics),
        **({"split.json": _pretty(dict(parts.details))} if parts else {}),
    }


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


HUGGING_FACE = HuggingFace()
