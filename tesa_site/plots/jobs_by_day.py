"""How many jobs ended each day, and how."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from tesa_site.kernel.clock import now
from tesa_site.plots import drawing

DAYS = 14
COLOURS = {
    "succeeded": drawing.GOOD,
    "failed": drawing.BAD,
    "lost": drawing.ACCENT,
    "cancelled": drawing.WAIT,
}


def spec(rows: Sequence[tuple[date, str, int]], today: date) -> dict[str, Any]:
    """Return a stacked bar a day, empty days included."""
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    return {
        "width": 620,
        "height": 120,
        "data": {"values": [{"day": str(day), "status": status, "jobs": number} for day, status, number in rows]},
        "mark": {"type": "bar", "width": {"band": 0.7}},
        "encoding": {
            "x": {
                "field": "day",
                "type": "ordinal",
                "scale": {"domain": [str(day) for day in days]},
                "axis": {"title": None, "labelAngle": 0, "labelExpr": "slice(datum.label, 8) + '.' + slice(datum.label, 5, 7)"},
            },
            "y": {"field": "jobs", "type": "quantitative", "axis": {"title": "jobs ended", "tickMinStep": 1, "tickCount": 4}},
            "color": {
                "field": "status",
                "type": "nominal",
                "scale": {"domain": [*COLOURS], "range": [*COLOURS.values()]},
                "legend": {"title": None, "orient": "top"},
            },
        },
    }


def svg(rows: Sequence[tuple[date, str, int]], *, standalone: bool = False) -> str:
    """Return the drawing, or nothing while there is nothing to show."""
    if not rows:
        return ""
    title = f"Jobs that ended in the last {DAYS} days, by outcome"
    return drawing.draw(spec(rows, now().date()), title=title, standalone=standalone)
