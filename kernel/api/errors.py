"""One shape for every error of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler as drf_exception_handler

from kernel.errors import InvalidInput, TesaError

NOT_FOUND = "Nothing was found at this URL."


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return {"error": {"code", "message", "fields"}}; None for errors without a message for people."""
    if isinstance(error, TesaError):
        fields = (
            {error.field: [error.problem, *error.others]} if isinstance(error, InvalidInput) and error.field else {}
        )
        return Response(body(error.code, error.message or NOT_FOUND, fields), status=error.status)
    response = drf_exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        detail: Any = error.detail
        fields = detail if isinstance(detail, dict) else {"": detail}
        response.data = body("invalid_input", "Some fields cannot be used as given.", fields)
        response.status_code = 422
    elif isinstance(error, Http404):
        response.data = body("not_found", NOT_FOUND)
    elif isinstance(error, PermissionDenied):
        response.data = body("not_allowed", "Your role may not do this.")
    elif isinstance(error, exceptions.APIException):
        response.data = body(str(error.get_codes()), str(error.detail))
    return response


def body(code: str, message: str, fields: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "fields": fields or {}}}
