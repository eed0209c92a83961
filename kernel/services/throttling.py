"""Limits on sign-ins, sign-ups and password mails.

Sign-ins are counted for a name in a network, for a network, and for a name over all networks. The last would let
strangers lock somebody out, so a browser that has signed in to the account before is counted apart.

An attempt is stored before it is made. Of parallel attempts, the nth sees the n - 1 stored before it, so no more than
the limit get through. A refused attempt is deleted again and does not prolong the wait.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias

from django.conf import settings

from kernel.clock import now
from kernel.models import Attempt, AttemptKind, User

Limits: TypeAlias = Sequence[tuple[int, Mapping[str, str | None]]]  # how many attempts, of rows with these values


def begin_sign_in(username: str, address: str | None, *, is_known: bool = False) -> int:
    """Count a sign-in and return 0; if there were too many, return the minutes to wait.

    `is_known`: the browser has signed in to this account before. Its attempts are counted apart from everybody else's.
    """
    key, network = _sign_in_key(username, is_known=is_known), network_of(address)
    limits: Limits = [(settings.SIGN_IN_TRIES, {"key": key})]
    if not is_known:
        limits = [
            (settings.SIGN_IN_TRIES, {"key": key, "address": network}),
            (settings.SIGN_IN_TRIES_PER_ACCOUNT, {"key": key}),
            (settings.SIGN_IN_TRIES_PER_ADDRESS, {"address": network}),
        ]
    attempt = Attempt(kind=AttemptKind.SIGN_IN, key=key, address=network)
    return _begin(attempt, limits, settings.SIGN_IN_WINDOW_MINUTES)


def end_sign_in(username: str, address: str | None, *, is_known: bool = False) -> None:
    """Delete the attempts of this name from this network or known browser: the password was correct."""
    rows = Attempt.objects.filter(kind=AttemptKind.SIGN_IN, key=_sign_in_key(username, is_known=is_known))
    (rows if is_known else rows.filter(address=network_of(address))).delete()


def begin_sign_up(address: str | None) -> int:
    """Count a new account and return 0, or the minutes this network has to wait; sign-ins are counted apart."""
    attempt = Attempt(kind=AttemptKind.SIGN_UP, address=network_of(address))
    limits: Limits = [(settings.SIGN_UPS_PER_ADDRESS, {"address": attempt.address})]
    return _begin(attempt, limits, settings.SIGN_IN_WINDOW_MINUTES)


def begin_reset(address: str | None) -> int:
    """Count a request for a password mail and return 0, or the minutes this network has to wait."""
    attempt = Attempt(kind=AttemptKind.RESET_REQUEST, address=network_of(address))
    limits: Limits = [(settings.RESET_REQUESTS_PER_ADDRESS, {"address": attempt.address})]
    return _begin(attempt, limits, settings.RESET_WINDOW_MINUTES)


def begin_reset_mail(user: User) -> bool:
    """Count a password mail to this account; return whether it may be sent."""
    attempt = Attempt(kind=AttemptKind.RESET_MAIL, key=str(user.pk))
    limits: Limits = [(settings.RESET_MAILS_PER_ACCOUNT, {"key": attempt.key})]
    return not _begin(attempt, limits, settings.RESET_WINDOW_MINUTES)


def network_of(address: str | None) -> str | None:
    """Return the address to count by: an IPv4 address, or the /64 of an IPv6 one, which is one customer's at least."""
    if address is None:
        return None
    parsed = ip_address(address)
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> 64 << 64))


def name_key(username: str) -> str:
    return hashlib.sha256(username.strip().casefold().encode("utf-8", "replace")).hexdigest()


def _sign_in_key(username: str, *, is_known: bool) -> str:
    return name_key(f"{username.strip()}\0known browser") if is_known else name_key(username)


def _begin(attempt: Attempt, limits: Limits, minutes: int) -> int:
    """Store the attempt; return 0, or the minutes to wait if the others of its kind reach one of the limits."""
    attempt.save()
    window, wait = timedelta(minutes=minutes), timedelta()
    others = Attempt.objects.filter(kind=attempt.kind, at__gt=now() - window).exclude(pk=attempt.pk).order_by("-at")
    for limit, fields in limits:
        times = list(others.filter(**fields).values_list("at", flat=True)[:limit])
        if len(times) == limit:
            wait = max(wait, times[-1] + window - now())
    if wait > timedelta():
        attempt.delete()
    return max(0, -(-int(wait.total_seconds()) // 60))
