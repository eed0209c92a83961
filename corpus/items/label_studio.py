"""Tasks as Label Studio writes them: the data become columns, and the labels of a prediction suggested marks.

Annotations of a task are answers of other people, so they are not read.
"""

from __future__ import annotations

from typing import Any

from kernel.errors import InvalidInput
from kernel.json_fields import Row
from kernel.values import Json, counted

SUGGESTIONS = "suggestions"  # the column of the marks
OF_A_TASK = ("predictions", "annotations")


def is_task(row: Row) -> bool:
    return isinstance(row.get("data"), dict) and any(isinstance(row.get(name), list) for name in OF_A_TASK)


def row_of_task(row: Row) -> Row:
    """Return the columns of a task, or raise InvalidInput if it predicts something else than labels."""
    data: Any = row["data"]
    predictions: Any = row.get("predictions") or []
    if SUGGESTIONS in data and predictions:
        raise InvalidInput(f"has a field of the name “{SUGGESTIONS}”, which is kept for predictions", field="data")
    if len(predictions) > 1:
        why = f"are {counted(len(predictions), 'prediction')}: leave only the one that people start from"
        raise InvalidInput(why, field="predictions")
    results = predictions[0].get("result") if predictions and isinstance(predictions[0], dict) else []
    if not isinstance(results, list):
        raise InvalidInput("must have a list as its result", field="predictions")
    marks = [mark for number, result in enumerate(results, 1) for mark in _marks(result, f"result {number}")]
    return {**data, SUGGESTIONS: marks} if marks else dict(data)


def _marks(result: Any, where: str) -> list[Json]:
    value = result.get("value") if isinstance(result, dict) else None
    labels = value.get("labels") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(labels, list) or not labels or result.get("type") != "labels":
        raise InvalidInput("only results of the type labels can be suggested: remove the others", field=where)
    return [{**{name: value.get(name) for name in ("start", "end", "text")}, "label": label} for label in labels]
