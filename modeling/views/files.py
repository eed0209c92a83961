"""Numbers and drawings as files."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpResponse


def attachment(content: str, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def table_file(rows: Sequence[Mapping[str, Any]], name: str) -> HttpResponse:
    """Return rows as CSV, with the names of the first as its heading."""
    response = attachment("", name, "text/csv; charset=utf-8")
    heads = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.writer(response)
    writer.writerow(heads)
    writer.writerows([row.get(head, "") for head in heads] for row in rows)
    return response


def plot_file(rows: Sequence[Mapping[str, Any]], drawn: str, name: str, format: str) -> HttpResponse:
    """Return a plot as SVG, or the numbers behind it as CSV; not found where there is nothing to draw."""
    if not rows or (format == "svg" and not drawn):
        raise Http404
    if format == "csv":
        return table_file(rows, f"{name}.csv")
    return attachment(drawn, f"{name}.svg", "image/svg+xml")
