"""How a neural ranker is training: loss, learning rate and validation MAP, update by update."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kernel.plots import drawing
from kernel.plots.drawing import Plot

TITLE = "Loss, learning rate and validation MAP by update"
PANELS = {
    "loss": ("training loss", drawing.MUTED, ".3f"),
    "learning_rate": ("learning rate", drawing.WAIT, ".1e"),
    "valid_ap": ("validation MAP", drawing.ACCENT, ".3f"),
}
Row = Mapping[str, Any]  # update, and one or more of the panels


def plot(rows: Sequence[Row]) -> Plot | None:
    """Return a panel for each measure that two rows hold; None before that."""
    held = [name for name in PANELS if sum(name in row for row in rows) > 1]
    if not held:
        return None
    panels = [_panel(name, [row for row in rows if name in row]) for name in held]
    padding = {"left": 10, "right": 20, "top": 10, "bottom": 5}
    return Plot({"hconcat": panels, "spacing": 30, "padding": padding}, TITLE)


def _panel(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    title, colour, form = PANELS[name]
    x = {
        "field": "update",
        "type": "quantitative",
        "scale": {"nice": False, "zero": False},
        "axis": {"title": "update", "format": "d", "tickCount": 4, "grid": False},
    }
    y = {
        "field": name,
        "type": "quantitative",
        "scale": {"zero": False, "nice": True},
        "axis": {"title": title, "tickCount": 5, "titlePadding": 16, **({"format": form} if form == ".1e" else {})},
    }
    point = {"color": colour, "size": 18, **drawing.says(update="update", **{title: f"{name}|{form}"})}
    return {
        "data": {"values": [{"update": row["update"], name: row[name]} for row in rows]},
        "width": 230,
        "height": 160,
        "encoding": {"x": x, "y": y},
        "mark": {"type": "line", "color": colour, "strokeWidth": 2, "point": point},
    }
