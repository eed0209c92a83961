"""How far people agree: by worker, by type, over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.task_types.comparing import AnswerWords
from tesa_site.kernel.plots import drawing
from tesa_site.kernel.plots.drawing import Plot

Rows = Sequence[Mapping[str, Any]]
SHARE = {"domain": [0, 1]}
PERCENT = {"format": ".0%", "tickCount": 5}


def by_worker(rows: Rows, words: AnswerWords) -> dict[str, Any]:
    """Return a dot for each worker: how often they agree with the others, against how much they did."""
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
                "axis": {"title": f"{words.same_unit} as the others", **PERCENT},
            },
        },
    }


def by_type(rows: Rows, words: AnswerWords) -> dict[str, Any]:
    """Return a dot with its interval for each category; the dashed line is chance, 0."""
    y = {"field": "type", "type": "nominal", "axis": {"title": None, "minExtent": 90}}
    x_axis = {"title": f"Krippendorff's alpha, {words.labels_axis}", "tickCount": 6}
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


def by_day(rows: Rows, words: AnswerWords) -> dict[str, Any]:
    """Return two lines over the days: the shares of pairs who agree on the label, and on a unit."""
    lines = {"label_share": words.labels, "same": f"the {words.same_unit}"}
    values = [
        {"day": row["day"], "what": line, "share": row[name]}
        for row in rows
        for name, line in lines.items()
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
                    "domain": [*lines.values()],
                    "range": [drawing.WAIT, drawing.ACCENT],
                },
                "legend": {"title": None, "orient": "top", "columnPadding": 28},
            },
        },
    }


SPECS = {"worker": by_worker, "type": by_type, "day": by_day}
TITLES = {
    "worker": "How often each worker gives the {same_unit} as the others",
    "type": "Agreement on {whether}, by type, with 95 % intervals",
    "day": "Pairs of people who agree, by day",
}
CAPTIONS = {
    "worker": "Each dot is a person: how often they give the {same_unit} as the others, and how much they did.",
    "type": "Agreement on {whether}, by {category}; the dashed line is chance.",
    "day": "Pairs of people who agree, by the day of an instance’s last answer.",
}


def plot(kind: str, rows: Rows, words: AnswerWords) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(SPECS[kind](rows, words), TITLES[kind].format(**vars(words))) if rows else None


def caption(kind: str, words: AnswerWords) -> str:
    return CAPTIONS[kind].format(**vars(words))
