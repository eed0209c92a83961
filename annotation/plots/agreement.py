"""How far people agree: by worker, by type, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tesa_site.kernel.plots import drawing
from tesa_site.kernel.plots.drawing import Plot

Rows = Sequence[Mapping[str, Any]]
SHARE = {"domain": [0, 1]}
PERCENT = {"format": ".0%", "tickCount": 5}


def by_worker(rows: Rows) -> dict[str, Any]:
    """Return a dot a worker: how often they agree with the others, against how much they did."""
    return {
        "width": 560,
        "height": 220,
        "data": {"values": [dict(row) for row in rows]},
        "mark": {"type": "point", "filled": True, "size": 60, "color": drawing.ACCENT, "opacity": 0.8},
        "encoding": {
            "x": {"field": "answers", "type": "quantitative", "axis": {"title": "answers", "format": "d"}},
            "y": {
                "field": "same",
                "type": "quantitative",
                "scale": SHARE,
                "axis": {"title": "same phrase as the others", **PERCENT},
            },
        },
    }


def by_type(rows: Rows) -> dict[str, Any]:
    """Return a dot with its interval for each type; the dashed line is chance, 0."""
    y = {"field": "type", "type": "nominal", "axis": {"title": None, "minExtent": 90}}
    x_axis = {"title": "Krippendorff's alpha, answered or not", "tickCount": 6}
    return {
        "width": 560,
        "height": {"step": 44},
        "data": {"values": [dict(row) for row in rows]},
        "layer": [
            {
                "data": {"values": [{"chance": 0}]},
                "mark": {"type": "rule", "color": drawing.MUTED, "strokeDash": [4, 4]},
                "encoding": {"x": {"field": "chance", "type": "quantitative", "axis": x_axis}},
            },
            {
                "mark": {"type": "rule", "color": drawing.MUTED, "aria": False},
                "encoding": {
                    "y": y,
                    "x": {"field": "low", "type": "quantitative", "axis": x_axis},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 80, "color": drawing.ACCENT},
                "encoding": {"y": y, "x": {"field": "alpha", "type": "quantitative", "axis": x_axis}},
            },
        ],
    }


def by_day(rows: Rows) -> dict[str, Any]:
    """Return two lines over the days: who agrees on whether a phrase exists, and on the phrase."""
    values = [
        {"day": row["day"], "what": what, "share": row[name]}
        for row in rows
        for name, what in (("label_share", "phrase or none"), ("same", "the same phrase"))
        if row[name] is not None
    ]
    return {
        "width": 560,
        "height": 180,
        "data": {"values": values},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {
                "field": "day",
                "type": "ordinal",
                "axis": {"title": None, "labelAngle": 0, "labelOverlap": "parity"},
            },
            "y": {
                "field": "share",
                "type": "quantitative",
                "scale": SHARE,
                "axis": {"title": "pairs who agree", **PERCENT},
            },
            "color": {
                "field": "what",
                "type": "nominal",
                "scale": {
                    "domain": ["phrase or none", "the same phrase"],
                    "range": [drawing.WAIT, drawing.ACCENT],
                },
                "legend": {"title": None, "orient": "top", "columnPadding": 28},
            },
        },
    }


SPECS = {"worker": by_worker, "type": by_type, "day": by_day}
TITLES = {
    "worker": "How often each worker gives the same phrase as the others",
    "type": "Agreement on whether there is a phrase, by type, with 95 % intervals",
    "day": "Pairs of people who agree, by day",
}


def plot(kind: str, rows: Rows) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(SPECS[kind](rows), TITLES[kind]) if rows else None
