"""How good each method is: the mean with its interval, validation beside test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

TITLE = "Mean average precision of each method with its 95% interval, on validation and test"
PARTS = ("validation", "test")
Row = Mapping[str, Any]  # method, part, mean, low, high


def spec(rows: Sequence[Row]) -> dict[str, Any]:
    """Return two dots with their intervals for each method, in the rows' order."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    y = {
        "field": "method",
        "type": "ordinal",
        "sort": methods,
        "axis": {"title": None, "labelLimit": 240, "ticks": False, "domain": False, "grid": True, "labelPadding": 10},
    }
    shift = {"field": "part", "type": "nominal", "scale": {"domain": [*PARTS]}}
    legend = {"title": None, "orient": "top", "columnPadding": 24}
    colours = {"domain": [*PARTS], "range": [drawing.MUTED, drawing.ACCENT]}
    colour = {"field": "part", "type": "nominal", "scale": colours, "legend": legend}
    shapes = {"domain": [*PARTS], "range": ["diamond", "circle"]}
    shape = {"field": "part", "type": "nominal", "scale": shapes, "legend": legend}
    axis = {"title": "MAP", "format": ".1f", "values": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": axis}
    says = drawing.says(method="method", part="part", MAP="mean|.3f", interval=drawing.INTERVAL)
    return {
        "width": 430,
        "padding": {"left": 30, "right": 20, "top": 5, "bottom": 5},  # a browser's letters are wider than Vega thinks
        "height": {"step": 30, "for": "position"},
        "data": {"values": [dict(row) for row in rows]},
        "encoding": {"y": y, "yOffset": shift},
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 2, "aria": False},
                "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1, **says},
                "encoding": {"x": {**x, "field": "mean"}, "color": colour, "shape": shape},
            },
        ],
    }


def plot(rows: Sequence[Row]) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(spec(rows), TITLE) if rows else None
