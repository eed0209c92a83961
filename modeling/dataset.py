"""Ranking tasks for training, validation and test, as JSON lines with a schema number and a hash."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kernel.errors import InvalidInput
from kernel.json_fields import Row, list_field, object_value, text_field, texts_field
from kernel.values import Json, canonical_json
from modeling.items import Item, item_from_row
from modeling.json_rows import check_schema, located, read_rows

DATASET_SCHEMA = 1
PARTS = ("train", "valid", "test")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A phrase to rank. The label is 1 for a gold and 0 for a distractor."""

    phrase: str
    label: int


@dataclass(frozen=True, slots=True)
class RankingTask:
    """One item and the phrases to rank for it, in no meaningful order."""

    item: Item
    candidates: tuple[Candidate, ...]

    @property
    def key(self) -> str:
        return self.item.key

    @property
    def phrases(self) -> tuple[str, ...]:
        return tuple(candidate.phrase for candidate in self.candidates)

    @property
    def labels(self) -> tuple[int, ...]:
        return tuple(candidate.label for candidate in self.candidates)

    @property
    def gold_phrases(self) -> frozenset[str]:
        return frozenset(candidate.phrase for candidate in self.candidates if candidate.label)

    def to_json(self) -> dict[str, Json]:
        return {
            "item": self.item.to_json(),
            "candidates": [[candidate.phrase, candidate.label] for candidate in self.candidates],
        }


@dataclass(frozen=True)
class Dataset:
    """Ranking tasks by part. `spec` says how they were drawn: release, split, candidates, seeds."""

    spec: Mapping[str, Json]
    parts: Mapping[str, tuple[RankingTask, ...]]

    def __getitem__(self, part: str) -> tuple[RankingTask, ...]:
        if part not in self.parts:
            raise InvalidInput(f"this dataset has no part {part!r}; it has {', '.join(self.parts)}")
        return self.parts[part]

    def content_hash(self) -> str:
        """Return 64 hexadecimal digits that change with any byte of `to_lines`."""
        return _lines_hash(self._body())

    def to_lines(self) -> Iterator[str]:
        """Yield JSON lines: a heading with the hash of the other lines, the specification, then one task per line."""
        yield canonical_json({"schema": DATASET_SCHEMA, "kind": "ranking dataset", "hash": self.content_hash()})
        yield from self._body()

    def _body(self) -> Iterator[str]:
        sizes: dict[str, Json] = {part: len(tasks) for part, tasks in self.parts.items()}
        yield canonical_json({"spec": dict(self.spec), "parts": [*self.parts], "sizes": sizes})
        for part, tasks in self.parts.items():
            for task in tasks:
                yield canonical_json({"part": part, **task.to_json()})


def tasks_hash(tasks: Iterable[RankingTask]) -> str:
    """Return a hash of the tasks and their order."""
    return _lines_hash(canonical_json(task.to_json()) for task in tasks)


def _lines_hash(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def read_dataset(lines: Iterable[str], *, name: str = "dataset") -> Dataset:
    """Return the dataset that `Dataset.to_lines` wrote; raise InvalidInput if it was changed since."""
    rows = read_rows(lines, name=name)
    (first, heading), (second, opening) = next(rows, ("", None)), next(rows, ("", None))
    if heading is None or opening is None:
        raise InvalidInput("the file is empty: it should begin with a heading line", where=name)
    with located(first):
        check_schema(heading, DATASET_SCHEMA)
    with located(second):
        spec = object_value(opening.get("spec"), "spec")
        parts: dict[str, list[RankingTask]] = {part: [] for part in texts_field(opening, "parts")}
    for where, row in rows:
        with located(where):
            part = text_field(row, "part")
            if part not in parts:
                raise InvalidInput(f"the part {part!r} is not named in the heading ({', '.join(parts)})")
            task = _task(row)
        parts[part].append(check_task(task, where))
    dataset = Dataset(spec, {part: tuple(tasks) for part, tasks in parts.items()})
    if dataset.content_hash() != text_field(heading, "hash"):
        raise InvalidInput("the file was changed or cut after it was written: export it again", where=name)
    return dataset


def check_task(task: RankingTask, where: str) -> RankingTask:
    """Return the task; raise InvalidInput if it has no gold or has a phrase twice."""
    if not any(candidate.label > 0 for candidate in task.candidates):
        raise InvalidInput("no candidate is a gold, so there is nothing to rank first", where=where)
    repeated = [phrase for phrase, count in Counter(task.phrases).items() if count > 1]
    if repeated:
        raise InvalidInput(f"the candidate {repeated[0]!r} appears twice", where=where)
    return task


def _task(row: Row) -> RankingTask:
    candidates = []
    for pair in list_field(row, "candidates"):
        match pair:
            case [str(phrase), int(label)] if label in (0, 1):
                candidates.append(Candidate(phrase, int(label)))
            case _:
                raise InvalidInput(f"{pair!r} is not a candidate: it should read [phrase, 0 or 1]")
    return RankingTask(item_from_row(object_value(row.get("item"), "item")), tuple(candidates))
