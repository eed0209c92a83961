"""How a run learned: validation MAP and loss, epoch by epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

TITLE = "Validation MAP and training loss by epoch"
LEAST_RANGE = 0.05
Row = Mapping[str, Any]  # epoch, and loss or valid_ap or both
PANELS = {"valid_ap": ("validation MAP", drawing.ACCENT), "loss": ("training loss", drawing.MUTED)}


def spec(rows: Sequence[Row]) -> dict[str, Any]:
    """Return a panel for each measure that the rows hold; the best validation MAP is marked."""
    held = [name for name in PANELS if any(name in row for row in rows)]
    return {
        "data": {"values": [dict(row) for row in rows]},
        "hconcat": [_panel(name, rows) for name in held],
        "spacing": 30,
        "padding": {"left": 10, "right": 20, "top": 10, "bottom": 5},
    }


def _panel(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    title, colour = PANELS[name]
    x = {
        "field": "epoch",
        "type": "quantitative",
        "scale": {"nice": False, "zero": False},
        "axis": {"title": "epoch", "format": "d", "tickMinStep": 1, "grid": False},
    }
    y = {
        "field": name,
        "type": "quantitative",
        "scale": {"zero": False, "nice": True, **_domain(name, rows)},
        "axis": {"title": title, "tickCount": 5, "titlePadding": 16},  # a browser's letters are wider
    }
    point = {"color": colour, "size": 18, **drawing.says(epoch="epoch", **{title: f"{name}|.3f"})}
    layers: list[dict[str, Any]] = [{"mark": {"type": "line", "color": colour, "strokeWidth": 2, "point": point}}]
    if name == "valid_ap":
        best = max((row for row in rows if name in row), key=lambda row: row[name])
        layers += [
            {
                "data": {"values": [{**best, "text": f"{best[name]:.3f}"}]},
                "mark": mark,
                "encoding": {"text": {"field": "text"}} if mark["type"] == "text" else {},
            }
            for mark in (
                {"type": "point", "filled": True, "size": 90, "color": colour, "opacity": 1, "aria": False},
                {"type": "text", "dy": -12, "color": drawing.INK, "aria": False},
            )
        ]
    return {"width": 440, "height": 180, "encoding": {"x": x, "y": y}, "layer": layers}


def _domain(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Return a domain for a MAP that hardly moves: a thousandth must not look like a leap."""
    values = [row[name] for row in rows if name in row]
    low, high = min(values), max(values)
    if name != "valid_ap" or high - low >= LEAST_RANGE:
        return {}
    middle = (low + high) / 2
    return {"domain": [max(middle - LEAST_RANGE / 2, 0), min(middle + LEAST_RANGE / 2, 1)]}


def plot(rows: Sequence[Row]) -> Plot | None:
    """Return the plot, or None where nothing was learned by steps."""
    return Plot(spec(rows), TITLE) if len(rows) > 1 else None
