"""Ranking tasks as files: reading and writing JSON lines and the original's CSV files; writing files for fairseq."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TextIO

from kernel.atomic_files import write_lines
from kernel.errors import InvalidInput
from modeling.dataset import PARTS, Dataset, RankingTask, read_dataset
from modeling.fairseq_files import write_classification, write_generation
from modeling.original_csv import read_ranking_csv, write_dataset_csv, write_ranking_csv

LABELS = {"jsonl": "JSON lines", "csv": "the original’s CSV files", "fairseq": "files for fairseq"}
JSONL = "tasks.jsonl"
CSV_NAMES = tuple(f"ranking_task_{part}.csv" for part in PARTS)
PART_WORDS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("valid", "validation", "val", "dev"), "valid"),
    **dict.fromkeys(("test", "testing"), "test"),
}
_WORD = re.compile("[a-z]+")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that archives of the same files have the same bytes


def write_task_files(dataset: Dataset, folder: Path, format: str, *, text_format: str = "v0", seed: int = 1) -> None:
    """Write the files of a format into a folder. `text_format` and `seed` (for the order of lines) are for fairseq."""
    if format == "fairseq":
        write_generation(dataset, folder / "generation", text_format=text_format, seed=seed)
        write_classification(dataset, folder / "classification", text_format=text_format, seed=seed)
    elif format == "csv":
        _write_csv(dataset, folder)
    else:
        write_lines(folder / JSONL, dataset.to_lines())


def _write_csv(dataset: Dataset, folder: Path) -> None:
    """Write dataset.csv and ranking_task_{train,valid,test}.csv with the published columns."""
    folder.mkdir(parents=True, exist_ok=True)
    items = [task.item for part in PARTS for task in dataset[part]]
    with (folder / "dataset.csv").open("w", encoding="utf-8", newline="") as file:
        write_dataset_csv(items, file)
    for part, name in zip(PARTS, CSV_NAMES, strict=True):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            write_ranking_csv(dataset[part], file)


def read_task_files(paths: Sequence[Path]) -> Dataset:
    """Return the dataset of one JSONL file, of three CSV files, or of a folder with either.

    The names of the CSV files say which part they are, in any order (a shell sorts test first); if no name says
    anything, they are train, valid and test. Raises InvalidInput if a part has no task, or if a task appears twice: it
    would count double, or be known before the test.
    """
    if len(paths) == 1 and paths[0].is_dir():
        paths = _found_in(paths[0])
    match paths:
        case [path]:
            with _opened(path) as file:
                dataset = read_dataset(file, name=path.name)
            names = dict.fromkeys(PARTS, path.name)
        case [_, _, _]:
            by_part = _by_part(paths)
            dataset = Dataset({"source": "csv"}, {part: _csv_tasks(by_part[part]) for part in PARTS})
            names = {part: by_part[part].name for part in PARTS}
        case _:
            raise InvalidInput("give one JSONL file, one folder, or three CSV files: train, valid, test")
    return _checked(dataset, names)


def _found_in(folder: Path) -> list[Path]:
    if (folder / JSONL).is_file():
        return [folder / JSONL]
    missing = [name for name in CSV_NAMES if not (folder / name).is_file()]
    if missing:
        problem = f"there is neither {JSONL} nor all of {', '.join(CSV_NAMES)}"
        raise InvalidInput(f"{problem} (missing: {', '.join(missing)})", where=str(folder))
    return [folder / name for name in CSV_NAMES]


def _by_part(paths: Sequence[Path]) -> dict[str, Path]:
    named = [{PART_WORDS[word] for word in _WORD.findall(path.stem.lower()) if word in PART_WORDS} for path in paths]
    if not any(named):
        return dict(zip(PARTS, paths, strict=True))
    by_part = {part: path for path, parts in zip(paths, named, strict=True) for part in parts if len(parts) == 1}
    if len(by_part) < len(PARTS):
        names = ", ".join(path.name for path in paths)
        raise InvalidInput(f"which is train, valid and test? Each name should contain one of these words: {names}")
    return by_part


def _csv_tasks(path: Path) -> tuple[RankingTask, ...]:
    with _opened(path) as file:
        return read_ranking_csv(file, name=path.name)


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    try:
        file = path.open(encoding="utf-8-sig", newline="")
    except OSError as error:
        raise InvalidInput(f"cannot read the file ({error.strerror})", where=str(path)) from error
    with file:
        try:
            yield file
        except UnicodeDecodeError as error:
            raise InvalidInput(f"this is not UTF-8 text ({error.reason})", where=path.name) from error


def _checked(dataset: Dataset, names: Mapping[str, str]) -> Dataset:
    first: dict[str, str] = {}
    for part in PARTS:
        if not dataset.parts.get(part):
            raise InvalidInput(f"there is no task for {part}", where=names[part])
        for number, task in enumerate(dataset[part], start=1):
            place = f"{part}, task {number}"
            if task.key in first:
                problem = f"{', '.join(task.item.entities)}: this task repeats {first[task.key]}"
                raise InvalidInput(problem, where=f"{names[part]}, {place}")
            first[task.key] = place
    return dataset


def pack(folder: Path, file: IO[bytes]) -> None:
    """Write every file under a folder into one ZIP archive, sorted by name."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(str(path.relative_to(folder)), _LONG_AGO)
                entry.compress_type = zipfile.ZIP_DEFLATED
                with path.open("rb") as source, archive.open(entry, "w") as target:
                    shutil.copyfileobj(source, target)
