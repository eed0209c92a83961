"""The folder of one run. A killed run leaves it in a state from which it can continue.

spec.json          what to run; written once and never changed
metrics.jsonl      one JSON object per line: the learning curve, then the results
predictions.jsonl  the scores of every candidate, with labels: every figure can be recomputed from it
generations.jsonl  phrases that a generative ranker wrote itself, with marks; other rankers have no such file
log.txt            lines for people
model.json         what the ranker learned; for neural rankers it names the files of weights with their SHA-256
neural/            the folder of a neural run: checkpoints while it trains, then model/ with the weights
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kernel.atomic_files import read_lines, write_lines
from kernel.errors import InvalidInput, WrongState
from kernel.values import Json, canonical_json
from modeling.json_rows import read_rows

FILES = ("spec.json", "metrics.jsonl", "predictions.jsonl", "model.json", "log.txt")
GENERATIONS = "generations.jsonl"
OPTIONAL = (GENERATIONS,)  # not every ranker generates phrases
REPEATABLE = FILES[:-1]  # the log of an interrupted run says so
NEURAL = "neural"
WEIGHTS = "model"  # the folder of weight files, in the storage too


@dataclass(frozen=True)
class RunFolder:
    """Files are written completely or not at all. The log grows line by line; a torn last line is dropped."""

    path: Path

    @classmethod
    def open(cls, path: Path, spec: Mapping[str, Json]) -> RunFolder:
        """Return the folder of this specification, new or existing; raise WrongState if it belongs to another."""
        text = canonical_json(dict(spec))
        if (path / "spec.json").exists():
            if canonical_json(dict(_read_object(path / "spec.json"))) != text:
                raise WrongState(f"the folder {path} holds another run: choose an empty folder")
        else:
            write_lines(path / "spec.json", [text])
        return cls(path)

    def log(self, text: str) -> None:
        with _appending(self.path / "log.txt") as file:
            file.write(" ".join(text.split()).encode("utf-8", "replace") + b"\n")

    def write_metrics(self, rows: Iterable[Mapping[str, Json]]) -> None:
        """Replace all rows: first with the curve, later with the curve and the results."""
        write_lines(self.path / "metrics.jsonl", (canonical_json(dict(row)) for row in rows))

    def metrics(self) -> list[Mapping[str, Json]]:
        """Return the rows written so far."""
        file = self.path / "metrics.jsonl"
        return [row for _, row in read_rows(read_lines(file) if file.exists() else [], name=file.name)]

    @property
    def predictions_path(self) -> Path:
        return self.path / "predictions.jsonl"

    @property
    def generations_path(self) -> Path:
        return self.path / GENERATIONS

    def save_model(self, state: Mapping[str, Json]) -> None:
        write_lines(self.path / "model.json", [canonical_json(dict(state))])

    def model(self) -> Mapping[str, Json] | None:
        """Return what the ranker learned; None if the run was interrupted before."""
        file = self.path / "model.json"
        return _read_object(file) if file.exists() else None


def weight_files(folder: Path) -> list[Path]:
    """Return the files of the trained model in a run's folder; none for rankers whose model.json is all."""
    model = folder / NEURAL / WEIGHTS
    return sorted(path for path in model.iterdir() if path.is_file()) if model.is_dir() else []


def _appending(path: Path) -> IO[bytes]:
    """Open for appending to a new line, without the torn last line that a crash may leave."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("ab+")
    if size := file.seek(0, os.SEEK_END):
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
        file.seek(0, os.SEEK_END)
    return file


def _read_object(path: Path) -> Mapping[str, Json]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput("this is not JSON: the file was edited or damaged", where=str(path)) from error
    if not isinstance(value, dict):
        raise InvalidInput("this file should contain one JSON object", where=str(path))
    return value
