"""A folder that `datasets.load_dataset` reads: JSON lines, card, datasheet, Croissant; parquet where pyarrow is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from annotation.releasing import documents
from annotation.releasing.croissant import croissant
from annotation.releasing.exports.base import Source
from annotation.releasing.exports.jsonl import line_of
from annotation.releasing.facts import Facts
from annotation.releasing.features import TABLES, Field, annotation_rows

ROWS = 1000  # a group of a parquet file


class HuggingFace:
    name: ClassVar[str] = "huggingface"
    label: ClassVar[str] = "Hugging Face folder"
    about: ClassVar[str] = "A folder for load_dataset, with dataset card, datasheet and Croissant metadata (zipped)."
    suffix: ClassVar[str] = ""

    def write(self, source: Source, out: Path) -> None:
        data = out / "data"
        data.mkdir(parents=True, exist_ok=True)
        hashes = self._json_lines(source, data)
        suffix = "jsonl"
        if find_spec("pyarrow"):
            for table, fields in TABLES.items():
                write_parquet(data / f"{table}.jsonl", data / f"{table}.parquet", fields)
            suffix = "parquet"
        for name, text in texts(source.facts, hashes, suffix).items():
            (out / name).write_text(text, encoding="utf-8")

    def _json_lines(self, source: Source, data: Path) -> dict[str, str]:
        digests = {table: hashlib.sha256() for table in TABLES}
        with ExitStack() as stack:
            files = {table: stack.enter_context((data / f"{table}.jsonl").open("wb")) for table in TABLES}
            for row in source.told():
                for table, rows in (("instances", [row]), ("annotations", annotation_rows(row))):
                    for one in rows:
                        line = line_of(one).encode("utf-8", "surrogatepass")
                        digests[table].update(line)
                        files[table].write(line)
        return {table: digest.hexdigest() for table, digest in digests.items()}


def texts(facts: Facts, hashes: dict[str, str], suffix: str) -> dict[str, str]:
    return {
        "README.md": documents.card(facts, suffix),
        "DATASHEET.md": documents.datasheet(facts),
        "croissant.json": _pretty(croissant(facts, hashes)),
        "recipe.json": _pretty(facts.recipe),
        "statistics.json": _pretty(facts.statistics),
    }


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def write_parquet(lines: Path, out: Path, fields: Sequence[Field]) -> None:
    """Write JSON lines as parquet, a group of rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([pa.field(field.name, _arrow(field)) for field in fields])
    with pq.ParquetWriter(out, schema) as writer, lines.open(encoding="utf-8") as file:
        for rows in _groups(file):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _groups(file: Any) -> Iterator[list[Any]]:
    while some := list(islice(file, ROWS)):
        yield [json.loads(line) for line in some]


def _arrow(field: Field) -> Any:
    import pyarrow as pa

    types = {"int64": pa.int64(), "bool": pa.bool_()}
    inner = [pa.field(sub.name, _arrow(sub)) for sub in field.fields]
    type_ = pa.struct(inner) if inner else types.get(field.type, pa.string())
    return pa.list_(type_) if field.many else type_


HUGGING_FACE = HuggingFace()
