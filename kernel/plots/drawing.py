"""Draw Vega-Lite specifications as SVG on the server. `views/plots.py` keeps the drawings in a cache."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kernel.plots.vega import VEGA
from kernel.values import canonical_json

# Vega draws with these colours; on a page each becomes its custom property, so that dark mode needs no second drawing.
INK, MUTED, RULE = "#1c1b1a", "#6b6762", "#dcd7cf"
ACCENT, GOOD, BAD, WAIT = "#9a3412", "#2f6f4f", "#b3261e", "#8a8580"
STEP, NARROWEST, WIDEST = 80, 400, 1120  # the stylesheet has a class for each step of a drawing's width
PHONE, PHONE_BESIDE_NAMES = 205, 105  # the most that a panel is wide on a phone, and one with names at its left
NARROW_PADDING = 10  # around a plot on a phone
FONT = "system-ui, sans-serif"
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED, "titleColor": MUTED, "titleFontWeight": "normal", "gridColor": RULE, "domainColor": RULE,
        "tickColor": RULE, "labelFontSize": 12, "titleFontSize": 12,
    },
    # Keep numbers at their tick and apart from each other: browsers draw wider letters than Vega expects.
    "axisXQuantitative": {"labelFlush": False, "labelOverlap": "greedy", "labelSeparation": 12},
    "legend": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontWeight": "normal"},
}  # fmt: skip
# Colours that colour-blind readers can tell apart; each series has its own shape too.
SERIES_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0578a", "#a67c00", "#56b4e9", WAIT, BAD)
PROPERTIES = {
    INK: "--ink", MUTED: "--ink-3", RULE: "--grid", ACCENT: "--data", GOOD: "--good", BAD: "--bad", WAIT: "--data-2",
    **{colour: f"--ent-{letter}" for colour, letter in zip(SERIES_COLOURS, "abcdef", strict=False)},
}  # fmt: skip
INTERVAL = "isValid(datum.low) ? format(datum.low, '.3f') + ' to ' + format(datum.high, '.3f') : '–'"
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
MOST_SERIES = len(SERIES_COLOURS)


@dataclass(frozen=True)
class Plot:
    """A plot that is not drawn yet: a Vega-Lite specification, and the title that screen readers announce."""

    spec: Mapping[str, Any]
    title: str

    @property
    def whole_spec(self) -> dict[str, Any]:
        return {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": CONFIG, **self.spec}

    def key(self, *, standalone: bool) -> str:
        """Return a hash that differs wherever the drawing does."""
        sizes = (STEP, PHONE, PHONE_BESIDE_NAMES, NARROW_PADDING)
        drawn_by = f"{canonical_json(self.whole_spec)}{self.title}{standalone}{sizes}{PROPERTIES}"
        return hashlib.sha256(drawn_by.encode()).hexdigest()


def draw(plot: Plot, *, standalone: bool) -> str:
    """Return the plot as SVG: in fixed colours for a file (standalone), else in those of the page around it.

    For a page it is drawn twice where a phone needs a narrower drawing; the stylesheet shows one of the two.
    """
    svg = VEGA.svg(plot.whole_spec)
    if standalone:
        return svg
    on_phone = narrow(plot.whole_spec)
    drawn = _on_page(svg, plot.title)
    if on_phone == plot.whole_spec:
        return drawn
    second = VEGA.svg(on_phone).replace('class="marks"', 'class="marks on-phone"', 1)
    return drawn + _on_page(second, plot.title)


def narrow(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a specification as a phone shows it: panels below one another, none wider than the screen."""
    changed = {name: _narrowed(name, value) for name, value in spec.items() if name != "hconcat"}
    if "hconcat" in spec:
        changed["vconcat"] = [{**narrow(panel), "width": PHONE} for panel in spec["hconcat"]]
    width = spec.get("width")
    if isinstance(width, int):
        changed["width"] = min(width, PHONE_BESIDE_NAMES if _has_names(spec) else PHONE)
    return changed


def _has_names(spec: Mapping[str, Any]) -> bool:
    parts = [spec, *spec.get("layer", ())]
    return any(part.get("encoding", {}).get("y", {}).get("type") in ("nominal", "ordinal") for part in parts)


def _narrowed(name: str, value: Any) -> Any:
    """Put legends above the plot, a name on each line; let every panel label its own scale; keep margins small."""
    if isinstance(value, list):
        return [_narrowed(name, part) for part in value]
    if not isinstance(value, Mapping) or name == "config":
        return value
    if name == "padding":
        return {side: min(space, NARROW_PADDING) for side, space in value.items()}
    if name == "legend":
        return {**value, "orient": "top", "columns": 1}
    narrowed = {key: _narrowed(key, part) for key, part in value.items()}
    if name == "y" and "axis" in narrowed:
        narrowed["axis"] = {key: part for key, part in narrowed["axis"].items() if key not in ("labels", "ticks")}
    return narrowed


def _on_page(svg: str, title: str) -> str:
    for colour, name in PROPERTIES.items():
        svg = re.sub(re.escape(colour), f"var({name})", svg, flags=re.IGNORECASE)
    svg = re.sub(r'\sstyle="[^"]*"', "", svg)  # the content security policy forbids them
    drawn = re.search(r'<svg [^>]*?width="(\d+)', svg)
    step = min(max(-(-int(drawn[1]) // STEP) * STEP, NARROWEST), WIDEST) if drawn else WIDEST
    svg = svg.replace('class="marks', f'class="marks wide-{step}', 1)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)


def says(**figures: str) -> dict[str, Any]:
    """Return what a mark says to screen readers and in its tooltip: “method: boosting; MAP: 0.554”.

    A figure is a field of its row, `field|format`, or an expression with brackets.
    """
    expressions = [f"'{name.replace('_', ' ')}: ' + {_expression(figure)}" for name, figure in figures.items()]
    return {"description": {"expr": " + '; ' + ".join(expressions)}}


def _expression(figure: str) -> str:
    field, _, pattern = figure.partition("|")
    if "(" in figure:
        return f"({figure})"
    return f"format(datum.{field}, '{pattern}')" if pattern else f"datum.{field}"


def colour_and_shape(field: str, series: Sequence[str], *, above: bool = False) -> dict[str, Any]:
    """Return the encodings of a series: one legend for both, at the right or above the plot."""
    place = {"orient": "top", "columns": 4, "columnPadding": 30} if above else {"orient": "right"}
    legend = {"title": None, "labelLimit": 220, "symbolOpacity": 1, **place}
    domain = [*series]
    base = {"field": field, "type": "nominal", "sort": domain, "legend": legend}
    return {
        "color": {**base, "scale": {"domain": domain, "range": [*SERIES_COLOURS[: len(domain)]]}},
        "shape": {**base, "scale": {"domain": domain, "range": [*SHAPES[: len(domain)]]}},
    }
