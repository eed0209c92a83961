"""The browsers that an account has signed in with, by a signed cookie, and the networks in which they did so.

Their failed sign-ins are counted apart, so that strangers who guess a password cannot lock its owner out.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from kernel.services import throttling
from kernel.services.throttling import name_key
from kernel.views.access import client_address

COOKIE = "tesa_known"
REMEMBERED = "is_remembered"  # in a session: whose browser this is
A_YEAR = 365 * 24 * 3600
MOST_NAMES = 10  # people who share a browser


def is_known(request: HttpRequest | None, username: str) -> bool:
    """Return whether this browser has signed in to the account of this name."""
    return request is not None and name_key(username) in _keys(request)


def remember(request: HttpRequest, response: HttpResponseBase, username: str) -> None:
    """Let the browser remember that this account has signed in with it, and record the network."""
    throttling.remember_network(username, client_address(request))
    key = name_key(username)
    keys = [key, *(other for other in _keys(request) if other != key)][:MOST_NAMES]
    options: dict[str, Any] = {"httponly": True, "samesite": "Lax", "secure": settings.SESSION_COOKIE_SECURE}
    value = signing.dumps(keys, salt=COOKIE, compress=True)
    response.set_cookie(COOKIE, value, max_age=A_YEAR, path=reverse("account"), **options)


def remember_session(request: HttpRequest, response: HttpResponseBase) -> None:
    """Remember a signed-in person once a session: with the sign-in, or the next form in a session from before this.

    A page that is only read writes nothing.
    """
    if request.method != "POST":
        return
    session = request.session
    is_new = session.accessed and session.get(SESSION_KEY) and session.get(REMEMBERED) != session[SESSION_KEY]
    if is_new and request.user.is_authenticated:
        remember(request, response, request.user.get_username())
        session[REMEMBERED] = session[SESSION_KEY]


def _keys(request: HttpRequest) -> list[str]:
    try:
        return list(signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=A_YEAR))
    except signing.BadSignature:
        return []
