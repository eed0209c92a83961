"""Django's error handlers: each answers with the page or JSON that `kernel.views.errors` makes."""

from __future__ import annotations

import logging
import sys
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Permission
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string

from kernel.api.errors import body
from kernel.databases import outages
from kernel.errors import TesaError
from kernel.logs import redacted, request_id
from kernel.roles import PERSONAL_PERMISSIONS, Role
from kernel.views.access import is_by_script
from kernel.views.errors import TEXTS, respond

RETRY_AFTER_SECONDS = 10
logger = logging.getLogger(__name__)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return respond(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Refer people to an administrator, but not an administrator to themselves."""
    user = getattr(request, "user", None)
    is_administrator = user is not None and user.groups.filter(name=Role.ADMINISTRATOR).exists()
    if str(exception) in PERSONAL_PERMISSIONS:
        app, codename = str(exception).split(".")
        name = Permission.objects.get(content_type__app_label=app, codename=codename).name
        who = "You can give it to yourself" if is_administrator else "An administrator can give it to you"
        text = f"This needs a permission that no role includes: “{name}”. {who} under Administration, Users."
        return respond(request, 403, message=text, code="not_allowed")
    if is_administrator:
        text = "No role may do this, not even administrators."
        return respond(request, 403, message=text, code="not_allowed")
    return respond(request, 403)


def signed_out(request: HttpRequest) -> HttpResponse:
    """Tell a script that the session of its page has ended; signing_in.js lets the person sign in over the page."""
    return HttpResponse("You were signed out.", status=401, content_type="text/plain")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Explain it; to a script it means that somebody signed in since its page was loaded, perhaps somebody else."""
    if is_by_script(request):
        return signed_out(request)
    text = "The form was open for too long, or cookies are off. Go back, reload the page and send it again."
    return respond(request, 403, message=text, code="csrf_failed")


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return respond(request, 404)


def too_large(request: HttpRequest) -> HttpResponse:
    return respond(request, 413)


def tesa_error(request: HttpRequest, error: TesaError) -> HttpResponse:
    return respond(request, error.status, message=error.message, code=error.code)


def unavailable(request: HttpRequest, error: BaseException) -> HttpResponse:
    """Answer while the database is unavailable: without the session, the user or anything else stored in it."""
    logger.warning("database unavailable path=%s error=%s", redacted(request.path), str(error).strip())
    code, title, text = TEXTS[503]
    response: HttpResponse
    if request.path_info.startswith("/api/"):
        response = JsonResponse(body(code, text), status=503)
    else:
        context = {"status": 503, "title": title, "text": text, "request_id": request_id.get()}
        context |= {"site_version": settings.VERSION} | way_back(request)
        response = HttpResponse(render_to_string("error.html", context), status=503)
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


def way_back(request: HttpRequest) -> dict[str, Any]:
    """Return what the page needs to repeat the request: its URL, and the form's fields unless one is secret."""
    if request.method in {"GET", "HEAD"}:
        return {"again": request.get_full_path()}
    try:
        fields = [(name, value) for name, values in request.POST.lists() for value in values]
        if fields and not request.FILES and not any("password" in name for name, _ in fields):
            return {"again": request.get_full_path(), "sent": fields}
    except (OSError, SuspiciousOperation, MultiPartParserError):  # the body could not be read
        pass
    return {"help": "Use your browser's Back button to return to the form."}


def server_error(request: HttpRequest) -> HttpResponse:
    """The last resort: it must work when almost nothing else does."""
    error = sys.exc_info()[1]
    try:
        return unavailable(request, error) if error and outages.is_outage(error) else respond(request, 500)
    except Exception:
        return HttpResponse("Something broke on our side.", status=500, content_type="text/plain")
