"""Tables that a page hands out as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.http import HttpRequest, HttpResponse

from tesa_site.kernel import csv_files


def wants_mark(request: HttpRequest) -> bool:
    """Return whether the file starts with a byte-order mark; ?bom=no is for programs that stumble over it."""
    return request.GET.get("bom") != "no"


def csv_download(
    request: HttpRequest, name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> HttpResponse:
    """Return a table as a file for spreadsheets."""
    text = "".join(csv_files.csv_lines(columns, rows, mark=wants_mark(request)))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=csv_files.MIME, headers=headers)
