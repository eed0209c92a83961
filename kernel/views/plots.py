"""Plots on pages and as files. Drawings are kept: the first one of a process takes a second."""

from __future__ import annotations

from django.core.cache import caches
from django.http import HttpResponse

from kernel.plots import drawing
from kernel.plots.drawing import Plot
from kernel.views.downloads import attachment


def svg(plot: Plot | None, *, standalone: bool = False) -> str:
    """Return the plot as SVG, "" if there is nothing to show. Standalone: in fixed colours, for a file."""
    if plot is None:
        return ""
    key = plot.key(standalone=standalone)
    return str(caches["plots"].get_or_set(key, lambda: drawing.draw(plot, standalone=standalone)))


def kept_svg(plot: Plot) -> str:
    """Return the plot's drawing for a page if it was drawn before, else ""."""
    return str(caches["plots"].get(plot.key(standalone=False), ""))


def svg_file(plot: Plot | None, name: str) -> HttpResponse:
    return attachment(svg(plot, standalone=True), f"{name}.svg", "image/svg+xml")
