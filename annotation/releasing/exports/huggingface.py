"""A folder that `datasets.load_dataset` reads: JSON lines, card, datasheet, Croissant; parquet where pyarrow is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from annotation.releasing import documents
from annotation.releasing.croissant import croissant
from annotation.releasing.describing import Field
from annotation.releasing.exports.base import PART_NAMES, ExportSource
from annotation.releasing.exports.jsonl import line_of
from kernel.values import batches

ROWS = 1000  # a group of a parquet file


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
        tables = source.facts.facet.tables(source.facts.schema)
        files = _write_lines(source, data, list(tables))
        suffix = "jsonl"
        if find_spec("pyarrow"):
            for file in files:
                write_parquet(data / f"{file.name}.jsonl", data / f"{file.name}.parquet", tables[file.table])
            suffix = "parquet"
        for name, text in texts(source, files, suffix).items():
            (out / name).write_text(text, encoding="utf-8")


def _write_lines(source: ExportSource, data: Path, tables: Sequence[str]) -> list[DataFile]:
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
                    line = line_of(table_row).encode("utf-8", "surrogatepass")
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


def write_parquet(lines: Path, out: Path, fields: Sequence[Field]) -> None:
    """Write JSON lines as parquet, a group of rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([pa.field(field.name, _arrow(field)) for field in fields])
    with pq.ParquetWriter(out, schema) as writer, lines.open(encoding="utf-8") as file:
        for rows in batches(map(json.loads, file), ROWS):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _arrow(field: Field) -> Any:
    import pyarrow as pa

    types = {"int64": pa.int64(), "bool": pa.bool_()}
    inner = [pa.field(sub.name, _arrow(sub)) for sub in field.fields]
    type_ = pa.struct(inner) if inner else types.get(field.type, pa.string())
    return pa.list_(type_) if field.many else type_


HUGGING_FACE = HuggingFace()
