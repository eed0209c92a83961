"""The folder of one neural run: states, progress, results and exit codes. README.md lists its files."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kernel.atomic_files import read_lines, write_lines
from kernel.errors import TesaError
from kernel.values import Json, canonical_json
from modeling.json_rows import read_rows

FINISHED, REFUSED, INTERRUPTED, STUCK, LOCKED = 0, 10, 11, 12, 13
STATES = ("starting", "training", "scoring", "generating", "finished", "interrupted", "failed")
BLOCK = 1024 * 1024
Phrases: TypeAlias = Sequence[tuple[str, float]]  # phrases with their scores, the best first


class Stuck(TesaError):
    """Training cannot continue here, but the folder can be taken up when the cause is gone."""

    code = "stuck"


class Locked(TesaError):
    """Another process works in this folder."""

    code = "locked"


@dataclass(frozen=True)
class State:
    state: str = ""  # "": not started yet
    sentence: str = ""
    process: int = 0


@dataclass(frozen=True)
class WorkFolder:
    path: Path

    # ---- For the caller ----------------------------------------------------------------------

    def ask(self, what: str) -> None:
        """Ask the command to `stop` after this epoch or to `cancel` now."""
        (self.path / what).touch()

    def state(self) -> State:
        value = self.read("state.json")
        return State(str(value.get("state", "")), str(value.get("sentence", "")), int(str(value.get("process", 0))))

    def is_running(self) -> bool:
        """Return whether a process works in the folder; false as soon as it is dead, however it died."""
        handle = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            return not _flock(handle, fcntl.LOCK_SH)
        finally:
            os.close(handle)

    def progress(self) -> list[Mapping[str, Json]]:
        """Return the reports, without those of updates that were repeated after an interruption."""
        rows: list[Mapping[str, Json]] = []
        for row in _whole_rows(self.path / "progress.jsonl"):
            if row.get("kind") == "resumed":
                at = _number(row, "update")
                rows = [old for old in rows if _number(old, "update") < at + (old.get("kind") != "valid")]
            rows.append(row)
        return rows

    def model(self) -> Mapping[str, Json]:
        """Return model.json; empty until the run is finished."""
        return self.read("model.json")

    def machine(self) -> Mapping[str, Json]:
        return self.read("machine.json")

    def scores(self) -> dict[tuple[str, str], list[float]]:
        """Return the scores of each task by part and key."""
        rows = read_rows(read_lines(self.path / "scores.jsonl"), name="scores.jsonl")
        return {(str(row["part"]), str(row["key"])): _floats(row["scores"]) for _, row in rows}

    def generations(self) -> dict[tuple[str, str], Phrases]:
        """Return the phrases that were generated for each task, by part and key; empty if none were asked for."""
        path = self.path / "generations.jsonl"
        rows = read_rows(read_lines(path) if path.exists() else [], name=path.name)
        return {(str(row["part"]), str(row["key"])): _phrases(row["phrases"]) for _, row in rows}

    # ---- For the command ---------------------------------------------------------------------

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock; raise Locked if another process does. The system frees it when a process dies."""
        handle = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            while not _flock(handle, fcntl.LOCK_EX):
                if not _flock(handle, fcntl.LOCK_SH):  # otherwise it was only `is_running`, which looks for a moment
                    raise Locked(f"another process works in {self.path}")
            yield
        finally:
            os.close(handle)

    def is_asked(self, what: str) -> bool:
        return (self.path / what).exists()

    def enter(self, state: str, sentence: str = "") -> None:
        value: dict[str, Json] = {"state": state, "sentence": " ".join(sentence.split()), "process": os.getpid()}
        write_lines(self.path / "state.json", [canonical_json(value)])

    def report(self, kind: str, **values: Json) -> None:
        line = canonical_json({"kind": kind, "time": round(time.time(), 3), **values})
        with (self.path / "progress.jsonl").open("ab") as file:
            file.write(b"\n" * _is_torn(self.path / "progress.jsonl") + line.encode() + b"\n")

    def write(self, name: str, value: Mapping[str, Json]) -> None:
        write_lines(self.path / name, [canonical_json(dict(value))])

    def write_scores(self, rows: Sequence[tuple[str, str, Sequence[float]]]) -> None:
        lines = (canonical_json({"part": part, "key": key, "scores": [*scores]}) for part, key, scores in rows)
        write_lines(self.path / "scores.jsonl", lines)

    def write_generations(self, rows: Sequence[tuple[str, str, Phrases]]) -> None:
        lines = (
            canonical_json({"part": part, "key": key, "phrases": [[*pair] for pair in phrases]})
            for part, key, phrases in rows
        )
        write_lines(self.path / "generations.jsonl", lines)

    def read(self, name: str) -> dict[str, Json]:
        """Return the object in one of the files; empty while the file is missing."""
        try:
            value = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}


def file_hashes(folder: Path) -> dict[str, Json]:
    """Return SHA-256 and size of each file in the folder, by name. Files are read in blocks."""
    hashes: dict[str, Json] = {}
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        hashes[path.name] = {"sha256": sha256_of(path), "size": path.stat().st_size}
    return hashes


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _flock(handle: int, how: int) -> bool:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _whole_rows(path: Path) -> Iterator[Mapping[str, Json]]:
    """Yield the objects of a file that grows; a line that a killed process left unfinished is skipped."""
    for line in path.read_bytes().split(b"\n") if path.exists() else []:
        with suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                yield value


def _is_torn(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _number(row: Mapping[str, Json], name: str) -> int:
    value = row.get(name, 0)
    return value if isinstance(value, int) else 0


def _floats(value: Json) -> list[float]:
    return [float(str(number)) for number in value] if isinstance(value, list) else []


def _phrases(value: Json) -> list[tuple[str, float]]:
    pairs = [pair for pair in value if isinstance(pair, list)] if isinstance(value, list) else []
    return [(str(phrase), float(str(score))) for phrase, score in pairs]
