"""API endpoints that return a file."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView


class AsItIs(DefaultContentNegotiation):
    """Returns the file in its own type, whatever type the client accepts; errors are JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type or ""


class FileApi(APIView):
    """A view that answers GET with a file."""

    content_negotiation_class = AsItIs
