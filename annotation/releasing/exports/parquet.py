"""Parquet files, written by a process of its own: pyarrow keeps 40 MB or more of the process that loads it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kernel.child_process import ChildProcess
from kernel.fields import Field
from kernel.values import batches

ROWS = 1000  # a group of a file


def is_installed() -> bool:
    return find_spec("pyarrow") is not None


def write_parquet(tables: Sequence[tuple[Path, Path, Sequence[Field]]]) -> None:
    """Write files of JSON lines, each with the parquet file it becomes and its columns."""
    child = ChildProcess("annotation.releasing.exports.parquet:write_in_child", None)
    try:
        for table in tables:
            child.work(table)
    finally:
        child.stop()


def write_in_child(_: None, table: tuple[Path, Path, Sequence[Field]], count: Any) -> None:
    """Write one file, a group of rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    lines, out, fields = table
    schema = pa.schema([pa.field(field.name, _arrow(field)) for field in fields])
    with pq.ParquetWriter(out, schema) as writer, lines.open(encoding="utf-8") as file:
        for rows in batches(map(json.loads, file), ROWS):
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _arrow(field: Field) -> Any:
    import pyarrow as pa

    types = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}
    inner = [pa.field(sub.name, _arrow(sub)) for sub in field.fields]
    type_ = pa.struct(inner) if inner else types.get(field.type, pa.string())
    return pa.list_(type_) if field.many else type_
