"""Limits on sign-ins, sign-ups and password mails.

Sign-ins are counted for a name in a network, for a network, and for a name over all networks. The last would let
strangers lock somebody out, so two sorts of attempts are counted apart from theirs: those of a browser that has signed
in to the account before, and those from a network where the account was used within a month. Of one account, at most
45 passwords are tried in 15 minutes: 20 from unknown networks, 20 from known ones, and 5 in known browsers.

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

KNOWN_FOR = timedelta(days=30)  # a network, after the account was used there; then a clean-up forgets it
Limits: TypeAlias = Sequence[tuple[int, Mapping[str, str | None]]]  # how many attempts, of rows with these values


def begin_sign_in(username: str, address: str | None, *, is_known: bool = False) -> int:
    """Count a sign-in and return 0; if there were too many, return the minutes to wait.

    `is_known`: the browser has signed in to this account before. Its attempts are counted apart from everybody else's.
    """
    key, network = _sign_in_key(username, address, is_known=is_known), network_of(address)
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
    key = _sign_in_key(username, address, is_known=is_known)
    rows = Attempt.objects.filter(kind=AttemptKind.SIGN_IN, key=key)
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


def remember_network(username: str, address: str | None) -> None:
    """Record that this account was used from this network: what strangers elsewhere guess does not count there."""
    if address is not None:
        fields = _signed_in(username, address)
        if not Attempt.objects.filter(**fields).update(at=now()):
            Attempt.objects.create(**fields)


def _signed_in(username: str, address: str | None) -> dict[str, str | None]:
    return {"kind": AttemptKind.SIGNED_IN, "key": name_key(username), "address": network_of(address)}


def _sign_in_key(username: str, address: str | None, *, is_known: bool) -> str:
    if is_known:
        return name_key(f"{username.strip()}\0known browser")
    if Attempt.objects.filter(**_signed_in(username, address), at__gt=now() - KNOWN_FOR).exists():
        return name_key(f"{username.strip()}\0known network")
    return name_key(username)


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
