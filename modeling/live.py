"""What a run's page shows while a neural ranker trains, made of the command's reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernel.values import Json

MOST_POINTS = 200
SHOWN = ("update", "updates", "epoch", "loss", "learning_rate", "samples_per_second", "tokens_per_second",
         "seconds_left", "memory", "busy")  # fmt: skip
CURVE = ("update", "epoch", "loss", "learning_rate")
VALID = ("update", "epoch", "loss", "valid_ap")


def summary(reports: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Return the last figures, the curves with at most 200 points, and the seconds that were spent training."""
    kinds = ("update", "valid", "score")
    updates, valid, scores = ([row for row in reports if row.get("kind") == kind] for kind in kinds)
    return {
        "last": _fields(updates[-1], SHOWN) if updates else {},
        "curve": [_fields(row, CURVE) for row in thinned(updates)],
        "valid": [_fields(row, VALID) for row in valid],
        "scored": _fields(scores[-1], ("done", "total")) if scores else {},
        "seconds": round(_busy_seconds(reports), 1),
    }


def thinned(rows: Sequence[Mapping[str, Json]]) -> list[Mapping[str, Json]]:
    """Return at most 200 of the rows, evenly, with the last one."""
    step = -(-len(rows) // MOST_POINTS) or 1
    return [*rows[:-1:step], *rows[-1:]]


def _fields(row: Mapping[str, Json], names: Sequence[str]) -> dict[str, Json]:
    return {name: row[name] for name in names if row.get(name) is not None}


def _busy_seconds(reports: Sequence[Mapping[str, Json]]) -> float:
    """Return the time between reports; a gap in which nothing ran ends at `resumed` and does not count."""
    total, before = 0.0, None
    for row in reports:
        at = row.get("time")
        if isinstance(at, int | float):
            total += at - before if before is not None and row.get("kind") != "resumed" else 0.0
            before = at
    return max(total, 0.0)
