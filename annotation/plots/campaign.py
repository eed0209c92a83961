"""A campaign in three plots: answers over time, tasks by answers, and how long an answer takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tesa_site.kernel.plots import drawing
from tesa_site.kernel.plots.drawing import Plot

WIDTH, HEIGHT = 280, 140  # beside each other on a page, whole on a phone
FILE_WIDTH = 620
MOST_BINS = 30
SPARSE = {"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 8}  # labels of an axis with many bars


def answers_over_time(rows: Sequence[tuple[datetime, int]], *, width: int = WIDTH) -> Plot | None:
    """Return a bar for each stretch of time."""
    if not rows:
        return None
    values = [{"from": start.isoformat(), "answers": number} for start, number in rows]
    lines = ", ".join(f"utcFormat(toDate(datum.label), '{line}')" for line in _lines([start for start, _ in rows]))
    axis = {"title": None, **SPARSE, "labelExpr": f"[{lines}]"}
    encoding = {"x": {"field": "from", "type": "ordinal", "axis": axis}, "y": _counted("answers")}
    return _bars(values, encoding, "Answers over time", width)


def _lines(starts: Sequence[datetime]) -> list[str]:
    """Return the lines of a label as patterns: as many as tell every stretch from every other."""
    if all(start.time() == starts[0].time() for start in starts[1:]) and len(starts) > 1:
        return ["%-d %b", "%Y"] if starts[0].year < starts[-1].year else ["%-d %b"]
    return ["%H:%M", "%-d %b"] if starts[0].date() < starts[-1].date() else ["%H:%M"]


def tasks_by_answers(tasks: Mapping[int, int], *, width: int = WIDTH) -> Plot | None:
    """Return a bar for each number of answers a task may have."""
    if not tasks:
        return None
    values = [{"has": answers, "tasks": tasks.get(answers, 0)} for answers in range(max(tasks) + 1)]
    axis = {"title": "answers", "labelAngle": 0}
    encoding = {"x": {"field": "has", "type": "ordinal", "axis": axis}, "y": _counted("tasks")}
    return _bars(values, encoding, "Tasks by the number of their answers", width)


def seconds_histogram(seconds: Sequence[float]) -> list[tuple[int, int]]:
    """Return (first second of a bin, answers in it); what takes very long is gathered in the last bin."""
    if not seconds:
        return []
    usual = sorted(seconds)[min(len(seconds) - 1, len(seconds) * 98 // 100)]
    width = next((w for w in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600) if usual / w < MOST_BINS), 1800)
    last = int(usual // width)
    counts = Counter(min(int(second // width), last) for second in seconds)
    return [(number * width, counts[number]) for number in range(last + 1)]


def time_per_answer(seconds: Sequence[float], *, width: int = WIDTH) -> Plot | None:
    rows = seconds_histogram(seconds)
    if not rows:
        return None
    values = [{"seconds": start, "answers": number} for start, number in rows]
    axis = {"title": "seconds, and more in the last", **SPARSE}
    encoding = {"x": {"field": "seconds", "type": "ordinal", "axis": axis}, "y": _counted("answers")}
    return _bars(values, encoding, "Time for one answer", width)


def _counted(field: str) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "axis": {"title": field, "format": "d", "tickMinStep": 1, "tickCount": 4},
    }


def _bars(values: list[dict[str, Any]], encoding: dict[str, Any], title: str, width: int) -> Plot:
    spec = {
        "width": width,
        "height": HEIGHT,
        "data": {"values": values},
        "mark": {"type": "bar", "width": {"band": 0.8}, "color": drawing.ACCENT},
        "encoding": encoding,
    }
    return Plot(spec, title)
