"""The funnel of a corpus beside the original study's: how much each step left, on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

HERE, ORIGINAL = "this corpus", "original study"
TITLE = "How much each step of the funnel left: this corpus beside the original study, on a logarithmic scale"

Row = tuple[str, int, int | None]  # step, number here, number of the original where it is known


def spec(rows: Sequence[Row]) -> dict[str, Any]:
    """Return a dot for each number and a line between the two; zero stands at the left edge."""
    values = [
        {"step": step, "number": number, "whose": whose, "at": max(number, 1), "text": f"{number:,}"}
        for step, here, original in rows
        for whose, number in ((HERE, here), (ORIGINAL, original))
        if number is not None
    ]
    y = {
        "field": "step",
        "type": "ordinal",
        "sort": [step for step, _, _ in rows],
        "axis": {"title": None, "labelLimit": 240, "ticks": False, "domain": False, "grid": True, "labelPadding": 10},
    }
    x = {
        "field": "at",
        "type": "quantitative",
        "scale": {"type": "log", "domainMin": 1, "nice": True},
        "axis": {"title": "count (log scale)", "format": "~s", "values": [10**n for n in range(8)]},
    }
    whose = {"field": "whose", "type": "nominal", "legend": {"title": None, "orient": "top"}}
    names = [HERE, ORIGINAL]
    says = drawing.says(step="step", whose="whose", number="text")
    return {
        "width": 420,
        "padding": {"left": 30, "right": 20, "top": 5, "bottom": 5},  # a browser's letters are wider than Vega thinks
        "height": {"step": 44},
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "rule", "color": drawing.RULE, "strokeWidth": 2},
                "encoding": {
                    "y": y,
                    "x": {**x, "aggregate": "min"},
                    "x2": {"field": "at", "aggregate": "max"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, **says},
                "encoding": {
                    "y": y,
                    "x": x,
                    "color": {**whose, "scale": {"domain": names, "range": [drawing.ACCENT, drawing.MUTED]}},
                    "shape": {**whose, "scale": {"domain": names, "range": ["circle", "diamond"]}},
                },
            },
            *(
                {
                    "transform": [{"filter": {"field": "whose", "equal": name}}],
                    "mark": {"type": "text", "dy": dy, "fontSize": 11, "color": drawing.INK},
                    "encoding": {"y": y, "x": x, "text": {"field": "text"}},
                }
                for name, dy in ((HERE, -12), (ORIGINAL, 13))  # above and below: equal numbers stand at one place
            ),
        ],
    }


def plot(rows: Sequence[Row]) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(spec(rows), TITLE) if rows else None
