"""What a ranker makes of each feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

TITLE = "Weight of each feature"
Row = Mapping[str, Any]  # feature, value


def spec(rows: Sequence[Row], unit: str) -> dict[str, Any]:
    """Return a bar for each feature, the largest first; for and against differ in colour and direction."""
    ordered = sorted(rows, key=lambda row: -abs(row["value"]))
    y = {
        "field": "feature",
        "type": "ordinal",
        "sort": [row["feature"] for row in ordered],
        "axis": {"title": None, "labelLimit": 240, "ticks": False, "domain": False, "labelPadding": 8},
    }
    x = {"field": "value", "type": "quantitative", "axis": {"title": unit, "tickCount": 6}}
    colour = {"condition": {"test": "datum.value < 0", "value": drawing.MUTED}, "value": drawing.ACCENT}
    return {
        "width": 760,
        "height": {"step": 22},
        "padding": {"left": 30, "right": 20, "top": 5, "bottom": 5},
        "data": {"values": [dict(row) for row in ordered]},
        "mark": {"type": "bar", "height": {"band": 0.7}, **drawing.says(feature="feature", value="value|.3f")},
        "encoding": {"y": y, "x": x, "color": colour},
    }


def plot(rows: Sequence[Row], *, unit: str) -> Plot | None:
    """Return the plot, or None where no features are weighed."""
    return Plot(spec(rows, unit), TITLE) if rows else None
