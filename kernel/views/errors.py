"""The error page, and the same error as JSON under /api/."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from kernel.api.errors import body
from kernel.logs import request_id

TEXTS = {
    400: ("bad_request", "That request could not be read", "The link or the form is incomplete or damaged."),
    403: (
        "not_allowed",
        "You may not open this page",
        "Your role or your permissions do not include it. An administrator can change both.",
    ),
    404: ("not_found", "There is no such page", "It may have been deleted, or the link is wrong."),
    413: ("too_large", "That is too large", "The file or form is over this installation's limit of {limit} MB."),
    503: (
        "unavailable",
        "TESA cannot save or read right now",
        "The database is busy or being restarted. Wait a moment and try again: nothing you typed is lost.",
    ),
    500: ("server_error", "Something broke on our side", "It has been logged. Nothing you had saved before is lost."),
}


def respond(request: HttpRequest, status: int, *, message: str = "", code: str = "") -> HttpResponse:
    """Return the error as a page, or as JSON to an API client."""
    default_code, title, text = TEXTS.get(status, TEXTS[400])
    text = message or text.format(limit=settings.MAX_UPLOAD_BYTES // 1024 // 1024)
    if request.path_info.startswith("/api/"):
        return JsonResponse(body(code or default_code, text), status=status)
    context = {"status": status, "title": title if not message else "That did not work", "text": text}
    context["request_id"] = request_id.get()
    return render(request, "error.html", context, status=status)
