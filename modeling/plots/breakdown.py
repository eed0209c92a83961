"""Where methods differ: MAP by type of entity, number of entities, and whether training knew one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

TITLE = "Mean average precision by type of entity, by number of entities, and by whether an entity is in training"
NAMES = {"type": "type of entity", "size": "number of entities", "seen": "an entity in training"}
LEAST_STEP = {"type": 92, "size": 56, "seen": 66}  # pixels a value: its name must fit
WIDE = 960  # the three panels together, in a card as wide as the page
A_METHOD, GAP = 9, 22  # pixels a method, and between the methods of one value and of the next
Row = Mapping[str, Any]  # by, value, n, method, mean, low, high


def spec(rows: Sequence[Row]) -> dict[str, Any]:
    """Return three panels side by side on one scale; the number of tasks stands under each value."""
    methods = list(dict.fromkeys(str(row["method"]) for row in rows))[: drawing.MOST_SERIES]
    shown = [row for row in rows if row["method"] in methods]
    least = sum(_step(by, methods) * len({row["value"] for row in shown if row["by"] == by}) for by in NAMES)
    wider = max(1.0, WIDE / least) if least else 1.0
    return {
        "hconcat": [_panel(shown, by, methods, wider, is_first=by == "type") for by in NAMES],
        "spacing": 18,
        "padding": {"left": 10, "right": 20, "top": 10, "bottom": 5},
        "resolve": {"scale": {"y": "shared"}},
    }


def _step(by: str, methods: Sequence[str]) -> int:
    return max(LEAST_STEP[by], A_METHOD * len(methods) + GAP)


def _panel(rows: Sequence[Row], by: str, methods: Sequence[str], wider: float, *, is_first: bool) -> dict[str, Any]:
    values = [{**row, "label": f"{row['value']}|{row['n']}"} for row in rows if row["by"] == by]
    labels = list(dict.fromkeys(str(row["label"]) for row in values))
    y_axis = {"title": "MAP" if is_first else None, "format": ".1f", "labels": is_first, "ticks": is_first}
    y = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {**y_axis, "values": [0, 0.2, 0.4, 0.6, 0.8, 1]}}
    x_axis = {"title": NAMES[by], "labelAngle": 0, "ticks": False, "labelExpr": "split(datum.label, '|')"}
    encoding = drawing.colour_and_shape("method", methods, above=True)
    says = drawing.says(method="method", group="value", MAP="mean|.3f", interval=drawing.INTERVAL, instances="n|,")
    drawn = A_METHOD * len(methods)
    step = int(_step(by, methods) * wider)
    scale = {"type": "band", "paddingInner": (step - drawn) / step, "paddingOuter": (step - drawn) / step / 2}
    return {
        "width": step * len(labels),
        "height": 200,
        "data": {"values": values},
        "encoding": {
            "x": {"field": "label", "type": "ordinal", "sort": labels, "axis": x_axis, "scale": scale},
            "xOffset": {"field": "method", "type": "nominal", "scale": {"type": "band", "domain": [*methods]}},
        },
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.6, "aria": False},
                "encoding": {
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    "color": encoding["color"],
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1, **says},
                "encoding": {"y": {**y, "field": "mean"}, **encoding},
            },
        ],
    }


def plot(rows: Sequence[Row]) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(spec(rows), TITLE) if rows else None
