"""Error pages in the look of all others, and the same errors as JSON under /api/."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from tesa_site.kernel.errors import TesaError
from tesa_site.kernel.logs import request_id
from tesa_site.kernel.roles import Role

TEXTS = {
    400: ("bad_request", "That request could not be read", "The address or the form was damaged on its way here."),
    403: (
        "not_allowed",
        "This page is not for your role",
        "Ask an administrator if it should be.",
    ),
    404: (
        "not_found",
        "There is no such page",
        "It may have been deleted, or the address has a typing error.",
    ),
    413: ("too_large", "That is too large", "The file or form is over this installation's limit of {limit} MB."),
    500: ("server_error", "Something broke on our side", "It has been logged. Nothing you had saved before is lost."),
}

NOT_EVEN_ADMINISTRATORS = "Administrators may not do this either: no role may."


def respond(request: HttpRequest, status: int, *, message: str = "", code: str = "") -> HttpResponse:
    """Return the error as a page, or as JSON where a program asked."""
    default_code, title, text = TEXTS.get(status, TEXTS[400])
    text = message or text.format(limit=settings.MAX_UPLOAD_BYTES // 1024 // 1024)
    if request.path_info.startswith("/api/"):
        return JsonResponse({"error": {"code": code or default_code, "message": text, "fields": {}}}, status=status)
    context = {"status": status, "title": title if not message else "That did not work", "text": text}
    context["request_id"] = request_id.get()
    return render(request, "error.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return respond(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Send people to an administrator, but not an administrator to themselves."""
    user = getattr(request, "user", None)
    if user is not None and user.groups.filter(name=Role.ADMINISTRATOR).exists():
        return respond(request, 403, message=NOT_EVEN_ADMINISTRATORS, code="not_allowed")
    return respond(request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    text = "The form was open for too long, or cookies are off. Go back, reload the page and send it again."
    return respond(request, 403, message=text, code="csrf_failed")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return respond(request, 404)


def too_large(request: HttpRequest) -> HttpResponse:
    return respond(request, 413)


def kind(request: HttpRequest, error: TesaError) -> HttpResponse:
    return respond(request, error.status, message=error.message, code=error.code)


def server_error(request: HttpRequest) -> HttpResponse:
    """The last resort: must work when nearly nothing else does."""
    try:
        return respond(request, 500)
    except Exception:
        return HttpResponse("Something broke on our side.", status=500, content_type="text/plain")
