"""Long pages travel compressed; short ones and files do not."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from django.http import FileResponse, HttpRequest, HttpResponse
from django.test import RequestFactory

from tesa_site.middleware import LONG_PAGE, compressed_pages

LONG = b"<p>phrase</p>" * LONG_PAGE


def answer(response: Any, encodings: str = "gzip, br") -> Any:
    request: HttpRequest = RequestFactory().get("/", headers={"Accept-Encoding": encodings})
    return compressed_pages(lambda _: response)(request)


def test_a_long_page_is_compressed_for_a_browser_that_reads_it():
    response = answer(HttpResponse(LONG))

    assert response["Content-Encoding"] == "gzip"
    assert response["Vary"] == "Accept-Encoding"
    assert len(response.content) < LONG_PAGE
    assert gzip.decompress(response.content) == LONG


@pytest.mark.parametrize(
    ("response", "encodings"),
    [
        (HttpResponse(b"short"), "gzip"),
        (HttpResponse(LONG), ""),
        (HttpResponse(LONG, content_type="text/csv"), "gzip"),
        (FileResponse([LONG]), "gzip"),
    ],
)
def test_short_pages_files_and_plain_readers_get_the_bytes_as_they_are(response, encodings):
    assert not answer(response, encodings).has_header("Content-Encoding")
