"""Addresses of the API that answer with a file."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView


class AsItIs(DefaultContentNegotiation):
    """The file has the type it has, whatever types are asked for; errors come as JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type or ""


class FileApi(APIView):
    """Answers GET with a file."""

    content_negotiation_class = AsItIs
