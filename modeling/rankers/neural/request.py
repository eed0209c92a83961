"""What the command is asked to do: request.json and tasks.jsonl of its folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from kernel.atomic_files import read_lines, write_lines
from kernel.errors import InvalidInput, UnknownPlugin, WrongState
from kernel.json_fields import Row, list_field, number_field, object_value, text_field
from kernel.values import Json, canonical_json
from modeling.dataset import RankingTask
from modeling.json_rows import check_schema, located, read_rows
from modeling.rankers.neural.settings import SETTINGS, NeuralSettings
from modeling.rankers.settings import settings_from
from modeling.text_formats import FORMATS, format_item

REQUEST_SCHEMA = 1
REQUEST, TASKS = "request.json", "tasks.jsonl"


@dataclass(frozen=True, slots=True)
class TaskText:
    """A ranking task as text. `text` ends with `names`, the entity names, which are never cut."""

    part: str
    key: str
    text: str
    names: str
    candidates: tuple[tuple[str, int], ...]

    @property
    def labels(self) -> list[int]:
        return [label for _, label in self.candidates]


@dataclass(frozen=True)
class Request:
    """Which ranker to train with which settings, from which weights, where."""

    ranker: str
    settings: NeuralSettings
    checkpoint: str
    device: str = "auto"
    seed: int = 1

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": REQUEST_SCHEMA,
            "ranker": self.ranker,
            "settings": asdict(self.settings),
            "checkpoint": self.checkpoint,
            "device": self.device,
            "seed": self.seed,
        }


def make_request(
    ranker: str, parameters: Mapping[str, Json], checkpoint: str, *, device: str = "auto", seed: int = 1
) -> Request:
    """Return the request; raise InvalidInput or UnknownPlugin if it cannot be run anywhere."""
    if ranker not in SETTINGS:
        raise UnknownPlugin(f"unknown neural method {ranker!r}; known: {', '.join(SETTINGS)}")
    if not checkpoint:
        raise InvalidInput("choose the weights to start from", field="checkpoint")
    return Request(ranker, settings_from(SETTINGS[ranker], parameters), checkpoint, device, seed)


def task_row(task: RankingTask, part: str, text_format: str) -> TaskText:
    """Return the task as text in one of the text formats."""
    text = format_item(task.item, text_format)
    mark = (FORMATS[text_format].marks or ("", "", ""))[2]
    tail = [f"{mark} {name}" for name in task.item.entities] if mark else [", ".join(task.item.entities)]
    pairs = tuple((candidate.phrase, candidate.label) for candidate in task.candidates)
    return TaskText(part, task.key, text, " ".join(" ".join(tail).split()), pairs)


def write_request(folder: Path, request: Request, rows: Sequence[TaskText]) -> None:
    """Write both files, or find the same ones there; raise WrongState if the folder holds another request."""
    lines = [canonical_json({**asdict(row), "candidates": [list(pair) for pair in row.candidates]}) for row in rows]
    digest = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
    sizes: dict[str, Json] = {
        part: sum(row.part == part for row in rows) for part in dict.fromkeys(r.part for r in rows)
    }
    text = canonical_json({**request.to_json(), "tasks": {"sha256": digest, "parts": sizes}})
    if (folder / REQUEST).exists():
        if read_lines(folder / REQUEST) != [text]:
            raise WrongState(f"the folder {folder} holds another request: choose an empty folder")
        return
    write_lines(folder / TASKS, lines)
    write_lines(folder / REQUEST, [text])  # last: a folder with a request is complete


def read_request(folder: Path) -> tuple[Request, tuple[TaskText, ...]]:
    """Return what `write_request` wrote; raise InvalidInput if it is missing, damaged or of another version."""
    path = folder / REQUEST
    if not path.exists():
        raise InvalidInput(f"{folder} has no {REQUEST}: this is not a folder of a neural run")
    with located(REQUEST):
        try:
            row = object_value(json.loads(path.read_text(encoding="utf-8")), "request")
        except ValueError as error:
            raise InvalidInput("this is not JSON: the file was edited or damaged") from error
        check_schema(row, REQUEST_SCHEMA)
        parameters = object_value(row.get("settings"), "settings")
        names = {name: text_field(row, name) for name in ("ranker", "checkpoint", "device")}
        request = make_request(
            names["ranker"],
            parameters,
            names["checkpoint"],
            device=names["device"],
            seed=number_field(row, "seed") or 0,
        )
        expected = text_field(object_value(row.get("tasks"), "tasks"), "sha256")
    tasks = folder / TASKS
    if not tasks.exists() or hashlib.sha256(tasks.read_bytes()).hexdigest() != expected:
        raise InvalidInput("the file is missing or was changed after it was written", where=TASKS)
    return request, tuple(_rows(tasks))


def _rows(path: Path) -> Iterator[TaskText]:
    for where, row in read_rows(read_lines(path), name=TASKS):
        with located(where):
            fields = {name: text_field(row, name) for name in ("part", "key", "text", "names")}
            yield TaskText(**fields, candidates=tuple(_candidates(row)))


def _candidates(row: Row) -> Iterator[tuple[str, int]]:
    for pair in list_field(row, "candidates"):
        match pair:
            case [str(phrase), int(label)] if label in (0, 1) and phrase.strip():
                yield phrase, int(label)
            case _:
                raise InvalidInput(f"{pair!r} is not a candidate: it should read [phrase, 0 or 1]")
