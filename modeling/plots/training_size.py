"""How much more data would help: a method's validation MAP by the share of the training part it learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

TITLE = "Validation MAP by the share of the training part, mean over seeds"
Row = Mapping[str, Any]  # method, share, mean


def spec(rows: Sequence[Row]) -> dict[str, Any]:
    methods = list(dict.fromkeys(str(row["method"]) for row in rows))[: drawing.MOST_SERIES]
    encoding = drawing.colour_and_shape("method", methods)
    says = drawing.says(method="method", training_part="datum.share + ('%')", validation_MAP="mean|.3f")
    shares = sorted({row["share"] for row in rows})
    return {
        "width": 420,
        "height": 240,
        "padding": {"left": 10, "right": 40, "top": 10, "bottom": 5},
        "data": {"values": [dict(row) for row in rows if row["method"] in methods]},
        "encoding": {
            "x": {
                "field": "share",
                "type": "quantitative",
                "scale": {"domain": [0, 100]},
                "axis": {"title": "per cent of the training part", "values": shares, "grid": False},
            },
            "y": {
                "field": "mean",
                "type": "quantitative",
                "scale": {"zero": False, "nice": True},
                "axis": {"title": "validation MAP", "format": ".2f", "tickCount": 6, "titlePadding": 12},
            },
        },
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {"color": encoding["color"]}},
            {"mark": {"type": "point", "filled": True, "size": 50, "opacity": 1, **says}, "encoding": encoding},
        ],
    }


def plot(rows: Sequence[Row]) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(spec(rows), TITLE) if rows else None
