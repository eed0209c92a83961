"""Numbers and drawings, on pages and as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from tesa_site.kernel.plots import drawing
from tesa_site.kernel.views.downloads import csv_download

Rows = Sequence[Mapping[str, Any]]
Draw = Callable[..., str]  # a plot's `svg`: the rows, and whether it stands alone


def attachment(content: str, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def table_file(request: HttpRequest, rows: Rows, name: str) -> HttpResponse:
    """Return rows as CSV; its heading holds every name that a row has."""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    return csv_download(request, name, heads, ([row.get(head, "") for head in heads] for row in rows))


@dataclass(frozen=True)
class Plot:
    """A drawing on a page: at once where it was drawn before, else the page asks for it when it is there."""

    svg: str
    address: str  # of the file, as SVG
    data: str  # as CSV


def plot_on_page(draw: Draw, rows: Rows, address: str) -> Plot | None:
    """Return the drawing for a page, without drawing; nothing where there is nothing to draw."""
    try:
        with drawing.only_kept():
            svg = draw(rows)
    except drawing.NotDrawn:
        svg = ""
    else:
        if not svg:
            return None
    return Plot(svg, address, address.replace(".svg", ".csv"))


def plot_file(request: HttpRequest, draw: Draw, rows: Rows, name: str, format: str) -> HttpResponse:
    """Return a plot as SVG, or the numbers behind it as CSV; not found where there is nothing to draw.

    A page that asks by itself gets the drawing in its own colours.
    """
    if rows and format == "csv":
        return table_file(request, rows, f"{name}.csv")
    is_page = bool(request.htmx)  # type: ignore[attr-defined]
    svg = draw(rows, standalone=not is_page) if rows else ""
    if not svg:
        raise Http404
    response = HttpResponse(svg) if is_page else attachment(svg, f"{name}.svg", "image/svg+xml")
    response["Vary"] = "HX-Request"
    return response
