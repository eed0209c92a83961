"""Numbers and drawings, on pages and as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from kernel.plots.drawing import Plot
from kernel.views.downloads import csv_download
from kernel.views.plots import kept_svg, svg, svg_file

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class PlotOnPage:
    """A plot on a page: its drawing if it was drawn before; else the page asks for it by its address."""

    svg: str
    address: str  # of the file, as SVG
    data: str  # as CSV


def plot_on_page(plot: Plot | None, address: str) -> PlotOnPage | None:
    """Return the plot for a page without drawing it; None where there is nothing to draw."""
    return PlotOnPage(kept_svg(plot), address, address.replace(".svg", ".csv")) if plot else None


def plot_file(request: HttpRequest, plot: Plot | None, rows: Rows, name: str, format: str) -> HttpResponse:
    """Return a plot as SVG, or the numbers behind it as CSV; not found where there is nothing to draw.

    A page that asks for the plot (by htmx) gets it in the page's colours.
    """
    if rows and format == "csv":
        heads = list(dict.fromkeys(key for row in rows for key in row))  # every name that a row has
        return csv_download(request, f"{name}.csv", heads, ([row.get(head, "") for head in heads] for row in rows))
    if not rows or plot is None:
        raise Http404
    is_page = bool(request.htmx)  # type: ignore[attr-defined]
    response = HttpResponse(svg(plot)) if is_page else svg_file(plot, name)
    response["Vary"] = "HX-Request"
    return response
