"""Files that a page offers for download."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from kernel import csv_files


def attachment(content: str, name: str, content_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)


def wants_mark(request: HttpRequest) -> bool:
    """Return whether a CSV file starts with a byte-order mark; ?bom=no is for programs that cannot read it."""
    return request.GET.get("bom") != "no"


def csv_download(
    request: HttpRequest, name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> HttpResponse:
    """Return a table as a file for spreadsheets."""
    text = "".join(csv_files.csv_lines(columns, rows, mark=wants_mark(request)))
    return attachment(text, name, csv_files.MIME)


def csv_stream(
    request: HttpRequest, name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> StreamingHttpResponse:
    """Return a table as a file, written while its rows are read, so that memory does not grow with it."""
    lines = csv_files.csv_lines(columns, rows, mark=wants_mark(request))
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(lines, content_type=csv_files.MIME, headers=headers)
