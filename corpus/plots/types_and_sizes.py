"""How many instances there are of each type, by the number of their entities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

TYPES = ("person", "location", "organization")
SIZES = (2, 3, 4, 5, 6)


def spec(counts: Mapping[tuple[str, int], int]) -> dict[str, Any]:
    """Return a row of bars for each type, empty sizes included."""
    values = [{"type": t, "size": str(n), "instances": counts.get((t, n), 0)} for t in TYPES for n in SIZES]
    says = drawing.says(type="type", entities="size", instances="instances|,")
    bar = {
        "mark": {"type": "bar", "color": drawing.ACCENT, "width": {"band": 0.7}, **says},
        "encoding": {"y": {"field": "instances", "type": "quantitative", "axis": None}},
    }
    number = {
        "mark": {"type": "text", "baseline": "bottom", "dy": -3, "color": drawing.INK, "fontSize": 12},
        "encoding": {
            "y": {"field": "instances", "type": "quantitative"},
            "text": {"field": "instances", "type": "quantitative", "format": ","},
        },
    }
    size_axis = {"title": "entities", "labelAngle": 0, "ticks": False}
    return {
        "data": {"values": values},
        "facet": {
            "column": {
                "field": "type",
                "sort": list(TYPES),
                "header": {"title": None, "labelColor": drawing.INK, "labelFontSize": 13},
            }
        },
        "spacing": 30,
        "spec": {
            "width": 180,
            "height": 90,
            "encoding": {"x": {"field": "size", "type": "ordinal", "axis": size_axis}},
            "layer": [bar, number],
        },
    }


def plot(counts: Mapping[tuple[str, int], int]) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(spec(counts), "Instances by type and by number of entities") if any(counts.values()) else None
