"""From predictions to the figures of a results table: means, intervals, breakdowns by type, size and seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from kernel.errors import InvalidInput
from kernel.json_fields import list_field, text_field
from kernel.values import Json, canonical_json
from modeling.dataset import RankingTask
from modeling.json_rows import check_schema, located, read_rows
from modeling.metrics import METRICS, Table, evaluate_table, tie_broken_table
from modeling.significance import MeanInterval, bootstrap_interval
from modeling.split_statistics import is_seen, known_entities

PREDICTION_SCHEMA = 1
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TaskScores:
    """One score per candidate, in the task's order."""

    part: str
    key: str
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Figure(MeanInterval):
    """A metric's mean over the tasks and its 95 % interval. Fewer than five tasks have no interval."""

    deviation: float

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


@dataclass(frozen=True)
class Evaluation:
    """Every metric's value for every task, in the order of `keys`; for tied scores, the mean over all orders.

    `tie_broken` holds the values for the order in which the candidates are listed.
    """

    keys: tuple[str, ...]
    values: Mapping[str, Floats]
    tie_broken: Mapping[str, Floats]
    groups: Mapping[str, Mapping[str, Sequence[int]]]  # breakdown → its value → positions of the tasks

    def figure(self, metric: str, positions: Sequence[int] | None = None) -> Figure:
        chosen = slice(None) if positions is None else np.asarray(positions, dtype=np.int64)
        values = self.values[metric][chosen]
        interval = bootstrap_interval(values)
        return Figure(interval.mean, interval.low, interval.high, float(values.std()))

    def figures(self) -> dict[str, Figure]:
        return {metric: self.figure(metric) for metric in METRICS}


def evaluate(
    tasks: Sequence[RankingTask], scores: Sequence[Sequence[float]], *, train: Iterable[RankingTask] = ()
) -> Evaluation:
    """Return the evaluation of scores in the tasks' order. Entities of `train` count as seen."""
    if not tasks:
        raise InvalidInput("there are no tasks to evaluate on")
    table = Table.of(scores, [task.labels for task in tasks])
    known = known_entities(task.item for task in train)
    return Evaluation(
        keys=tuple(task.key for task in tasks),
        values=evaluate_table(table),
        tie_broken=tie_broken_table(table),
        groups={
            "type": _positions(task.item.entity_type.value for task in tasks),
            "size": _positions(str(len(task.item.entities)) for task in tasks),
            "seen": _positions("seen" if is_seen(task.item, known) else "unseen" for task in tasks),
        },
    )


def prediction_lines(predictions: Iterable[TaskScores], tasks: Mapping[str, RankingTask]) -> Iterator[str]:
    """Yield one JSON line per prediction, with phrases and labels, so that every metric can be recomputed."""
    for prediction in predictions:
        task = tasks[prediction.key]
        yield canonical_json(
            {
                "schema": PREDICTION_SCHEMA,
                "part": prediction.part,
                "key": prediction.key,
                "candidates": list(task.phrases),
                "labels": list(task.labels),
                "scores": list(prediction.scores),
            }
        )


def read_predictions(lines: Iterable[str], *, name: str = "predictions.jsonl") -> tuple[TaskScores, ...]:
    predictions = []
    for where, row in read_rows(lines, name=name):
        with located(where):
            check_schema(row, PREDICTION_SCHEMA)
            scores = list_field(row, "scores")
            if not all(isinstance(score, int | float) and not isinstance(score, bool) for score in scores):
                raise InvalidInput("must be a list of numbers", field="scores")
            numbers = tuple(float(str(score)) for score in scores)
            predictions.append(TaskScores(text_field(row, "part"), text_field(row, "key"), numbers))
    return tuple(predictions)


def scores_for(tasks: Sequence[RankingTask], predictions: Collection[TaskScores], part: str) -> list[tuple[float, ...]]:
    """Return the scores of a part in the tasks' order; raise InvalidInput if a task has no prediction."""
    by_key = {prediction.key: prediction.scores for prediction in predictions if prediction.part == part}
    missing = next((task.key for task in tasks if task.key not in by_key), None)
    if missing is not None:
        raise InvalidInput(f"there is no prediction for the instance {missing[:12]}… of {part}")
    return [by_key[task.key] for task in tasks]


def _positions(values: Iterable[str]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for position, value in enumerate(values):
        positions.setdefault(value, []).append(position)
    return dict(sorted(positions.items()))
