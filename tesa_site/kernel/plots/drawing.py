"""Vega-Lite specifications to SVG, on the server, in the colours of the page around it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.core.cache import caches

from tesa_site.kernel.values import canonical_json

# Stand-ins that Vega draws with; in a page each becomes the custom property, so that dark mode just works.
INK, MUTED, RULE = "#1c1b1a", "#6b6762", "#dcd7cf"
ACCENT, GOOD, BAD, WAIT = "#9a3412", "#2f6f4f", "#b3261e", "#8a8580"
PROPERTIES = {
    INK: "--ink", MUTED: "--muted", RULE: "--rule", ACCENT: "--accent", GOOD: "--good", BAD: "--bad", WAIT: "--wait",
}  # fmt: skip
STEP, NARROWEST, WIDEST = 80, 400, 1120  # the stylesheet has a class for each step of a drawing's width
FONT = "system-ui, sans-serif"
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED, "titleColor": MUTED, "titleFontWeight": "normal", "gridColor": RULE, "domainColor": RULE,
        "tickColor": RULE, "labelFontSize": 12, "titleFontSize": 12,
    },
    # Each number stands at its line, and far enough from the next: a browser's letters are wider than Vega's.
    "axisXQuantitative": {"labelFlush": False, "labelOverlap": "greedy", "labelSeparation": 12},
    "legend": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontWeight": "normal"},
}  # fmt: skip


class NotDrawn(Exception):
    """A drawing is not in the cache, and nobody wants to wait for it."""


_is_hurried: ContextVar[bool] = ContextVar("is_hurried", default=False)


@contextmanager
def only_kept() -> Iterator[None]:
    """Within, `draw` raises NotDrawn for what was not drawn before: the first drawing of a process takes a second."""
    token = _is_hurried.set(True)
    try:
        yield
    finally:
        _is_hurried.reset(token)


def draw(spec: Mapping[str, Any], *, title: str, standalone: bool = False) -> str:
    """Return the plot as SVG, from the cache when it was drawn before. Standalone: fixed colours, for a file."""
    spec = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "config": CONFIG, **spec}
    key = hashlib.sha256(f"{canonical_json(spec)}{title}{standalone}{STEP}".encode()).hexdigest()
    cache = caches["plots"]
    svg: str | None = cache.get(key)
    if svg is None:
        if _is_hurried.get():
            raise NotDrawn(title)
        svg = _finish(_render(spec), title, standalone)
        cache.set(key, svg)
    return svg


def _render(spec: Mapping[str, Any]) -> str:
    import vl_convert  # 60 MB of it: only a process that draws pays

    return str(vl_convert.vegalite_to_svg(dict(spec)))


def _finish(svg: str, title: str, standalone: bool) -> str:
    if standalone:
        return svg
    for colour, name in PROPERTIES.items():
        svg = re.sub(re.escape(colour), f"var({name})", svg, flags=re.IGNORECASE)
    svg = re.sub(r'\sstyle="[^"]*"', "", svg)  # the content security policy forbids them
    drawn = re.search(r'<svg [^>]*?width="(\d+)', svg)
    step = min(max(-(-int(drawn[1]) // STEP) * STEP, NARROWEST), WIDEST) if drawn else WIDEST
    svg = svg.replace('class="marks"', f'class="marks wide-{step}"', 1)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)
