"""Histograms of a release beside those of the published dataset: shares, because the sizes differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.task_types.releases import HistogramRow
from tesa_site.kernel.plots import drawing
from tesa_site.kernel.plots.drawing import Plot

OURS, THEIRS = "this release", "published"


def spec(rows: Sequence[HistogramRow]) -> dict[str, Any]:
    values = [{"panel": p, "value": v, "whose": w, "number": n, "share": s} for p, v, w, n, s in rows]
    panels = list(dict.fromkeys(row[0] for row in rows))
    colour = {
        "field": "whose",
        "type": "nominal",
        "scale": {"domain": [OURS, THEIRS], "range": [drawing.ACCENT, drawing.WAIT]},
        "legend": {"title": None, "orient": "top"},
    }
    return {"data": {"values": values}, "spacing": 30, "hconcat": [_panel(panel, colour) for panel in panels]}


def _panel(panel: str, colour: dict[str, Any]) -> dict[str, Any]:
    """Return one histogram. Side by side, not as facets: in those, offsets and own axes exclude one another."""
    return {
        "title": {"text": panel, "color": drawing.INK, "fontSize": 13, "fontWeight": "normal", "anchor": "start"},
        "width": 210,
        "height": 130,
        "transform": [{"filter": {"field": "panel", "equal": panel}}],
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "value", "type": "ordinal", "axis": {"title": None, "labelAngle": 0, "ticks": False}},
            "xOffset": {"field": "whose", "type": "nominal", "sort": [OURS, THEIRS]},
            "y": {
                "field": "share",
                "type": "quantitative",
                "scale": {"domain": [0, 1]},
                "axis": {"title": "instances", "format": "%", "tickCount": 4},
            },
            "color": colour,
        },
    }


def plot(rows: Sequence[HistogramRow], title: str) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(spec(rows), title) if rows else None
