"""One shape for every error of the API."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_exception_handler

from tesa_site.kernel.errors import InvalidInput, TesaError


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return {"error": {"code", "message", "fields"}} for every error there is a sentence for."""
    if isinstance(error, TesaError):
        fields = {error.field: [error.problem]} if isinstance(error, InvalidInput) and error.field else {}
        return Response({"error": {"code": error.code, "message": error.message, "fields": fields}}, status=error.status)
    response = drf_exception_handler(error, context)
    if response is None:
        return None
    fields = {}
    if isinstance(error, exceptions.ValidationError):
        code, message = "invalid_input", "Some fields cannot be used as given."
        detail = error.detail
        fields = detail if isinstance(detail, dict) else {"": detail}
        response.status_code = 422
    elif isinstance(error, Http404):
        code, message = "not_found", "There is no such thing."
    elif isinstance(error, PermissionDenied):
        code, message = "not_allowed", "Your role may not do this."
    else:
        assert isinstance(error, exceptions.APIException)  # noqa: S101  (drf_exception_handler knows no other)
        code, message = str(error.get_codes()), str(error.detail)
    response.data = {"error": {"code": code, "message": message, "fields": fields}}
    return response
