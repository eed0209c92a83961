"""Our middleware, besides Django's."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import GZipMiddleware
from django.urls import reverse

from kernel.databases import outages
from kernel.errors import TesaError
from kernel.logs import redacted
from kernel.logs import request_id as current_request_id
from kernel.security import content_security_policy
from kernel.views.access import is_by_script
from kernel.views.known_browsers import remember_session
from tesa_site.views import errors, health

Handler = Callable[[HttpRequest], HttpResponse]
access = logging.getLogger("tesa.access")
LONG_PAGE = 30_000  # bytes


def request_id(get_response: Handler) -> Handler:
    """Give each request an id (or keep the proxy's), log one line for it, and return the id in a header."""

    def middleware(request: HttpRequest) -> HttpResponse:
        identity = request.headers.get("X-Request-ID", "")
        identity = identity if re.fullmatch(r"[\w.-]{8,64}", identity) else secrets.token_hex(8)
        token = current_request_id.set(identity)
        started = time.perf_counter()
        try:
            response = get_response(request)
            response["X-Request-ID"] = identity
            if not request.path_info.startswith("/static/"):
                took = (time.perf_counter() - started) * 1000
                path = redacted(request.path)
                access.info("%s %s status=%s ms=%.0f", request.method, path, response.status_code, took)
            return response
        finally:
            current_request_id.reset(token)

    return middleware


def probes(get_response: Handler) -> Handler:
    """Answer /healthz and /readyz before the Host header is checked: probes use an IP address."""
    answers = {"/healthz": health.healthz, "/readyz": health.readyz}

    def middleware(request: HttpRequest) -> HttpResponse:
        return answers.get(request.path_info, get_response)(request)

    return middleware


def compressed_pages(get_response: Handler) -> Handler:
    """Compress pages that are long because plots are drawn in them. Short ones, as annotators read, go out at once.

    Secrets are safe: Django masks its tokens differently on each page, and pads what it compresses by a random length.
    """
    compress = GZipMiddleware(get_response).process_response

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_page = not response.streaming and response.get("Content-Type", "").startswith("text/html")
        if is_page and len(response.content) > LONG_PAGE:
            compress(request, response)
        return response

    return middleware


def security_headers(get_response: Handler) -> Handler:
    """Send the content security policy and forbid framing, unless the view has set its own."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", content_security_policy())
        if not getattr(response, "xframe_options_exempt", False):
            response.headers.setdefault("X-Frame-Options", "DENY")
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response

    return middleware


def upload_limit(get_response: Handler) -> Handler:
    """Refuse a body that is too large before reading it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        try:
            length = int(request.META.get("CONTENT_LENGTH") or 0)
        except ValueError:
            length = 0
        if length > settings.MAX_UPLOAD_BYTES:
            return errors.too_large(request)
        return get_response(request)

    return middleware


def sane_input(get_response: Handler) -> Handler:
    """Refuse NUL in a URL, which no database can store, and drop a session cookie that is not ours."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return errors.bad_request(request)
        key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if key is not None and not re.fullmatch(r"[a-z0-9]{32}", key):
            del request.COOKIES[settings.SESSION_COOKIE_NAME]
        return get_response(request)

    return middleware


def signed_out(get_response: Handler) -> Handler:
    """Answer 401 to a script that would be sent to the sign-in page: it would show that page as part of its own."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code == 302 and is_by_script(request) and not request.user.is_authenticated:
            leads_to = response.headers.get("Location", "").partition("?")[0]
            if leads_to in {reverse("sign-in"), reverse("admin:login")}:
                return errors.signed_out(request)
        return response

    return middleware


def known_browsers(get_response: Handler) -> Handler:
    """Remember the browser and the network of a session, for the limits on sign-ins. A page never fails for it."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        with suppress(DatabaseError):  # the next request tries again
            remember_session(request, response)
        return response

    return middleware


class friendly_errors:
    """Turn our own errors, and an unavailable database, into a page with an explanation."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if outages.is_outage(exception):
            return errors.unavailable(request, exception)
        return errors.tesa_error(request, exception) if isinstance(exception, TesaError) else None
