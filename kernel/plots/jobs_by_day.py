"""How many jobs ended each day, by outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from kernel.clock import now
from kernel.plots import drawing
from kernel.plots.drawing import Plot

DAYS = 14
COLOURS = {
    "succeeded": drawing.GOOD,
    "failed": drawing.BAD,
    "lost": drawing.INK,
    "cancelled": drawing.WAIT,
}


def spec(rows: Sequence[tuple[date, str, int]], today: date) -> dict[str, Any]:
    """Return a stacked bar for each day, days without jobs included."""
    totals = Counter[date]()
    for day, _, number in rows:
        totals[day] += number
    most = max(totals.values(), default=1)
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    day_axis = {
        "title": None,
        "labelAngle": 0,
        "labelOverlap": "parity",
        "labelSeparation": 12,
        "labelExpr": "utcFormat(toDate(datum.label), '%-d %b')",
    }
    jobs_axis = {"title": "jobs ended", "format": "d", "tickMinStep": 1, "tickCount": min(4, most)}
    return {
        "width": 540,
        "height": 120,
        "data": {"values": [{"day": str(day), "status": status, "jobs": number} for day, status, number in rows]},
        "mark": {"type": "bar", "width": {"band": 0.7}, **drawing.says(day="day", status="status", jobs="jobs|,")},
        "encoding": {
            "x": {"field": "day", "type": "ordinal", "scale": {"domain": [*map(str, days)]}, "axis": day_axis},
            "y": {"field": "jobs", "type": "quantitative", "axis": jobs_axis},
            "color": {
                "field": "status",
                "type": "nominal",
                "scale": {"domain": [*COLOURS], "range": [*COLOURS.values()]},
                "legend": {"title": None, "orient": "top"},
            },
        },
    }


def plot(rows: Sequence[tuple[date, str, int]]) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    title = f"Jobs that ended in the last {DAYS} days, by outcome"
    return Plot(spec(rows, now().date()), title) if rows else None
