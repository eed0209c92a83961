"""Who may open a page, who is signed in, and from which address a request comes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address
from typing import cast

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from kernel.models import User

View = Callable[..., HttpResponseBase]


def requires(permission: str = "") -> Callable[[View], View]:
    """Let a view answer people with this permission; others get the sign-in page or the 403 page."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            if permission and not request.user.has_perm(permission):
                raise PermissionDenied(permission)
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def is_by_script(request: HttpRequest) -> bool:
    """Return whether a script of an open page sent the request, rather than the browser for a page to show."""
    return "HX-Request" in request.headers or request.headers.get("X-Requested-With") == "XMLHttpRequest"


def signed_in(request: HttpRequest | Request) -> User:
    """Return the user of a request that has passed `requires`, or the API's permission check."""
    return cast("User", request.user)


def client_address(request: HttpRequest) -> str | None:
    """Return the client's address: the one the trusted proxies report, or the connection's own; None if unreadable."""
    address = request.META.get("REMOTE_ADDR") or ""
    if settings.TRUSTED_PROXIES:
        chain = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",") if part.strip()]
        if len(chain) >= settings.TRUSTED_PROXIES:
            address = chain[-settings.TRUSTED_PROXIES]
    try:
        return str(ip_address(address))
    except ValueError:
        return None
