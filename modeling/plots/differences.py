"""Two runs on the same tasks: how many tasks one ranks better, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

TITLE = "Tasks by the difference of their average precision between the two runs"
STEPS = 20  # bins from −1 to 1
Row = Mapping[str, Any]  # low, high, tasks


def bins(differences: Sequence[float]) -> list[dict[str, Any]]:
    """Return how many tasks fall in each tenth from −1 to 1; tasks without a difference are counted separately."""
    unequal = [difference for difference in differences if abs(difference) >= 1e-12]
    counts = Counter(min(int((difference + 1) * STEPS / 2), STEPS - 1) for difference in unequal)
    width = 2 / STEPS
    rows: list[dict[str, Any]] = [
        {"low": round(-1 + n * width, 6), "high": round(-1 + (n + 1) * width, 6), "tasks": counts[n]}
        for n in range(STEPS)
    ]
    return [*rows, {"low": 0.0, "high": 0.0, "tasks": len(differences) - len(unequal)}]


def spec(rows: Sequence[Row]) -> dict[str, Any]:
    drawn = [dict(row) for row in rows if row["low"] != row["high"]]
    most = max((row["tasks"] for row in drawn), default=1)
    colour = {"condition": {"test": "datum.high <= 0", "value": drawing.MUTED}, "value": drawing.ACCENT}
    says = drawing.says(difference="format(datum.low, '+.1f') + ' to ' + format(datum.high, '+.1f')", tasks="tasks|,")
    axis = {
        "title": "AP of the first run minus AP of the second",
        "format": "+.1f",
        "labelExpr": "datum.value == 0 ? '0.0' : datum.label",
    }
    return {
        "width": 980,
        "height": 150,
        "padding": {"left": 10, "right": 20, "top": 10, "bottom": 5},
        "data": {"values": drawn},
        "mark": {"type": "bar", "binSpacing": 1, **says},
        "encoding": {
            "x": {"field": "low", "bin": {"binned": True, "step": 0.1}, "type": "quantitative", "axis": axis},
            "x2": {"field": "high"},
            "y": {
                "field": "tasks",
                "type": "quantitative",
                "axis": {"title": "instances", "format": "d", "tickMinStep": 1, "tickCount": max(1, min(4, most))},
            },
            "color": colour,
        },
    }


def plot(rows: Sequence[Row]) -> Plot | None:
    """Return the plot, or None where the runs never differ."""
    differ = any(row["tasks"] for row in rows if row["low"] != row["high"])
    return Plot(spec(rows), TITLE) if differ else None
