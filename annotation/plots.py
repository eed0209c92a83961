"""The plots: a campaign's progress, how far its people agree, and a release beside the published dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.task_types.comparing import AnswerWords
from annotation.task_types.releases import HistogramRow
from kernel.plots import drawing
from kernel.plots.drawing import Plot

Rows = Sequence[Mapping[str, Any]]
WIDTH, HEIGHT = 280, 140  # beside each other on a page, whole on a phone
FILE_WIDTH = 620
MOST_BINS = 30
SPARSE = {"labelAngle": 0, "labelOverlap": "greedy", "labelSeparation": 8}  # labels of an axis with many bars
OURS, THEIRS = "this release", "published"


def _share(field: str, title: str) -> dict[str, Any]:
    """Return an axis from 0 to 100 %."""
    axis = {"title": title, "format": ".0%", "tickCount": 5}
    return {"field": field, "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": axis}


# ---- A campaign -----------------------------------------------------------------------------------


def answers_over_time(rows: Sequence[tuple[datetime, int]], *, width: int = WIDTH) -> Plot | None:
    """Return a bar for each stretch of time."""
    if not rows:
        return None
    values = [{"from": start.isoformat(), "answers": number} for start, number in rows]
    lines = ", ".join(f"utcFormat(toDate(datum.label), '{line}')" for line in _lines([start for start, _ in rows]))
    axis = {"title": None, **SPARSE, "labelExpr": f"[{lines}]"}
    says = drawing.says(**{"from": "utcFormat(toDate(datum.from), '%-d %b %H:%M')"}, answers="answers|,")
    return _bars(values, "from", axis, "answers", "Answers over time", width, says)


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
    axis, says = {"title": "answers", "labelAngle": 0}, drawing.says(answers="has", tasks="tasks|,")
    return _bars(values, "has", axis, "tasks", "Tasks by number of answers", width, says)


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
    says = drawing.says(from_second="seconds", answers="answers|,")
    return _bars(values, "seconds", axis, "answers", "Time for one answer", width, says)


def _bars(
    values: Rows, x: str, x_axis: dict[str, Any], y: str, title: str, width: int, says: Mapping[str, Any]
) -> Plot:
    y_axis = {"title": y, "format": "d", "tickMinStep": 1, "tickCount": 4}
    spec = {
        "width": width,
        "height": HEIGHT,
        "data": {"values": values},
        "mark": {"type": "bar", "width": {"band": 0.8}, "color": drawing.ACCENT, **says},
        "encoding": {
            "x": {"field": x, "type": "ordinal", "axis": x_axis},
            "y": {"field": y, "type": "quantitative", "axis": y_axis},
        },
    }
    return Plot(spec, title)


# ---- Agreement ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AgreementTexts:
    """What plots of agreement say."""

    worker_axis: str
    alpha_axis: str
    day_axis: str
    day_lines: Mapping[str, str]  # column → line
    titles: Mapping[str, str]
    captions: Mapping[str, str]


def by_worker(rows: Rows, texts: AgreementTexts) -> dict[str, Any]:
    """Return a dot for each worker: how often they agree with the others, against how much they did."""
    says = drawing.says(answers="answers|,", agree="same|.0%")
    return {
        "width": 560,
        "height": 220,
        "data": {"values": [dict(row) for row in rows]},
        "mark": {"type": "point", "filled": True, "size": 60, "color": drawing.ACCENT, "opacity": 0.8, **says},
        "encoding": {
            "x": {"field": "answers", "type": "quantitative", "axis": {"title": "answers", "format": "d"}},
            "y": _share("same", texts.worker_axis),
        },
    }


def by_type(rows: Rows, texts: AgreementTexts) -> dict[str, Any]:
    """Return a dot with its interval for each category; the dashed line is chance, 0."""
    y = {"field": "type", "type": "nominal", "axis": {"title": None, "minExtent": 90}}
    says = drawing.says(category="type", alpha="alpha|.3f", interval=drawing.INTERVAL)
    x_axis = {"title": texts.alpha_axis, "tickCount": 6}
    return {
        "width": 360,
        "height": {"step": 44},
        "data": {"values": [dict(row) for row in rows]},
        "layer": [
            {
                "data": {"values": [{"chance": 0}]},
                "mark": {"type": "rule", "color": drawing.MUTED, "strokeDash": [4, 4], "aria": False},
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
                "mark": {"type": "point", "filled": True, "size": 80, "color": drawing.ACCENT, **says},
                "encoding": {"y": y, "x": {"field": "alpha", "type": "quantitative", "axis": x_axis}},
            },
        ],
    }


def by_day(rows: Rows, texts: AgreementTexts) -> dict[str, Any]:
    """Return lines over the days: shares of pairs who agree on the label and on a unit, or how close answers are."""
    lines = texts.day_lines
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
        "mark": {"type": "line", "point": drawing.says(day="day", what="what", share="share|.0%")},
        "encoding": {
            "x": {
                "field": "day",
                "type": "ordinal",
                "axis": {"title": None, "labelAngle": 0, "labelOverlap": "parity"},
            },
            "y": _share("share", texts.day_axis),
            "color": {
                "field": "what",
                "type": "nominal",
                "scale": {"domain": [*lines.values()], "range": [drawing.WAIT, drawing.ACCENT][-len(lines) :]},
                "legend": {"title": None, "orient": "top", "columnPadding": 28},
            },
        },
    }


AGREEMENT = {"worker": by_worker, "type": by_type, "day": by_day}
AGREEMENT_TITLES = {
    "worker": "How often each participant gives the {same_unit} as the others",
    "type": "Agreement on {whether}, by type, with 95% intervals",
    "day": "Pairs of people who agree, by day",
}
AGREEMENT_CAPTIONS = {
    "worker": "Each dot is a participant: how often they give the {same_unit} as the others, by number of answers.",
    "type": "Agreement on {whether}, by {category}, with 95% intervals. The dashed line is chance.",
    "day": "Pairs of people who agree, by the day of an instance’s last answer.",
}
CLOSENESS_TITLES = {
    "worker": "How close each participant’s answers are to the others’",
    "type": "Agreement on “{part}”, by type, with 95% intervals",
    "day": "How close answers are, by day",
}
CLOSENESS_CAPTIONS = {
    "worker": "Each dot is a participant: how close their answers are to the others’ on average, by number of answers.",
    "type": "Agreement on “{part}”, by {category}, with 95% intervals. The dashed line is chance.",
    "day": "How close two people’s answers are on average, by the day of an instance’s last answer.",
}


def texts_of_units(words: AnswerWords) -> AgreementTexts:
    """Return the texts for a type whose units are compared."""
    return AgreementTexts(
        worker_axis=f"{words.same_unit} as the others",
        alpha_axis=f"Krippendorff's alpha, {words.labels_axis}",
        day_axis="pairs who agree",
        day_lines={"label_share": words.labels, "same": f"the {words.same_unit}"},
        titles={kind: title.format(**vars(words)) for kind, title in AGREEMENT_TITLES.items()},
        captions={kind: caption.format(**vars(words)) for kind, caption in AGREEMENT_CAPTIONS.items()},
    )


def texts_of_series(words: AnswerWords, part: str, measure: str) -> AgreementTexts:
    """Return the texts for a type that names scales; `part` leads, and `measure` is its first."""
    return AgreementTexts(
        worker_axis="closeness to the others’ answers",
        alpha_axis=f"{measure}: {part}",
        day_axis="closeness",
        day_lines={"same": "two people’s answers"},
        titles={kind: title.format(part=part) for kind, title in CLOSENESS_TITLES.items()},
        captions={
            kind: caption.format(part=part, category=words.category) for kind, caption in CLOSENESS_CAPTIONS.items()
        },
    )


def agreement_plot(kind: str, rows: Rows, texts: AgreementTexts) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(AGREEMENT[kind](rows, texts), texts.titles[kind]) if rows else None


# ---- A release ------------------------------------------------------------------------------------


def _histograms(rows: Sequence[HistogramRow]) -> dict[str, Any]:
    """Return histograms of a release beside those of the published dataset: shares, because the sizes differ."""
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
        "width": 155,
        "height": 130,
        "transform": [{"filter": {"field": "panel", "equal": panel}}],
        "mark": {
            "type": "bar",
            **drawing.says(what="panel", value="value", whose="whose", number="number|,", share="share|.0%"),
        },
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


def release_plot(rows: Sequence[HistogramRow], title: str) -> Plot | None:
    """Return the plot, or None while there is nothing to show."""
    return Plot(_histograms(rows), title) if rows else None
