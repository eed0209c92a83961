"""Limits on sign-ins and password mails.

An attempt is stored before it is made. Of parallel attempts, the nth sees the n - 1 stored before it, so no more than
the limit get through. A refused attempt is deleted again and does not prolong the wait.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings

from tesa_site.kernel.clock import now
from tesa_site.kernel.models import Attempt, AttemptKind, User


def begin_sign_in(username: str, address: str | None) -> int:
    """Count a sign-in and return 0; if there were too many, return the minutes to wait."""
    key = _name_key(username)
    limits = {
        settings.SIGN_IN_TRIES: {"key": key, "address": address},
        settings.SIGN_IN_TRIES_PER_ADDRESS: {"address": address},
    }
    attempt = Attempt(kind=AttemptKind.SIGN_IN, key=key, address=address)
    return _begin(attempt, limits, settings.SIGN_IN_WINDOW_MINUTES)


def end_sign_in(username: str, address: str | None) -> None:
    """Delete the attempts of this name from this address: the password was correct."""
    Attempt.objects.filter(kind=AttemptKind.SIGN_IN, key=_name_key(username), address=address).delete()


def begin_reset(address: str | None) -> int:
    """Count a request for a password mail and return 0, or the minutes this address has to wait."""
    attempt = Attempt(kind=AttemptKind.RESET_REQUEST, address=address)
    return _begin(attempt, {settings.RESET_REQUESTS_PER_ADDRESS: {"address": address}}, settings.RESET_WINDOW_MINUTES)


def begin_reset_mail(user: User) -> bool:
    """Count a password mail to this account; return whether it may be sent."""
    attempt = Attempt(kind=AttemptKind.RESET_MAIL, key=str(user.pk))
    return not _begin(attempt, {settings.RESET_MAILS_PER_ACCOUNT: {"key": attempt.key}}, settings.RESET_WINDOW_MINUTES)


def _begin(attempt: Attempt, limits: Mapping[int, Mapping[str, str | None]], minutes: int) -> int:
    """Store the attempt; return 0, or the minutes to wait if the others of its kind reach one of the limits."""
    attempt.save()
    window, wait = timedelta(minutes=minutes), timedelta()
    others = Attempt.objects.filter(kind=attempt.kind, at__gt=now() - window).exclude(pk=attempt.pk).order_by("-at")
    for limit, fields in limits.items():
        times = list(others.filter(**fields).values_list("at", flat=True)[:limit])
        if len(times) == limit:
            wait = max(wait, times[-1] + window - now())
    if wait > timedelta():
        attempt.delete()
    return max(0, -(-int(wait.total_seconds()) // 60))


def _name_key(username: str) -> str:
    return hashlib.sha256(username.strip().casefold().encode("utf-8", "replace")).hexdigest()
