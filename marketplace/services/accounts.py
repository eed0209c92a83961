"""Requester accounts and their keys."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from kernel.clock import now
from kernel.errors import InvalidInput, NotFound, WrongState
from marketplace import faults, keys
from marketplace.models import AccessKey, Requester
from marketplace.services import money

FIRST_DEPOSIT_CENTS = 10_000_00
OWN = {"main": "This installation", "sandbox": "Rehearsals of this installation"}
LONGEST_OFFSET = 10 * 365 * 24 * 3600


def time_of(requester: Requester) -> datetime:
    """Return the time by which this account lives."""
    return now() + timedelta(seconds=requester.clock_offset_seconds)


@transaction.atomic
def create_requester(name: str, *, is_sandbox: bool = False, own: str | None = None) -> Requester:
    """Open an account with play money."""
    requester = Requester.objects.create(name=name, is_sandbox=is_sandbox, own=own)
    money.deposit(requester.pk, FIRST_DEPOSIT_CENTS)
    return requester


@transaction.atomic
def ensure_own_accounts() -> None:
    """Make the two accounts that this installation uses itself, and their keys. Safe to repeat."""
    for own, name in OWN.items():
        requester = Requester.objects.filter(own=own).first()
        requester = requester or create_requester(name, is_sandbox=own == "sandbox", own=own)
        key_id = keys.own_key_id(settings.SECRET_KEY, own)
        AccessKey.objects.get_or_create(key_id=key_id, defaults={"requester": requester, "label": "made by prepare"})


def create_key(requester_id: int, label: str = "") -> tuple[AccessKey, str]:
    """Return a new key and its secret, which is shown this once."""
    key_id, salt = keys.new_key_id()
    key = AccessKey.objects.create(requester_id=requester_id, key_id=key_id, salt=salt, label=label)
    return key, secret_of(key)


def secret_of(key: AccessKey) -> str:
    return keys.derive_secret(settings.SECRET_KEY, key.key_id, key.salt)


def revoke_key(key_pk: int) -> AccessKey:
    """Stop a key from working; repeating it has no effect."""
    AccessKey.objects.filter(pk=key_pk, revoked_at=None).update(revoked_at=now())
    key = AccessKey.objects.select_related("requester").filter(pk=key_pk).first()
    if key is None:
        raise NotFound
    return key


def configure_sandbox(
    requester_id: int,
    *,
    clock_offset_seconds: int | None = None,
    fault_rules: list[dict[str, Any]] | None = None,
    fresh_seconds: int | None = None,
    visible_seconds: int | None = None,
) -> None:
    """Move the clock of a sandbox account forward, set its faults, or how long new HITs and submits are unsettled."""
    requester = Requester.objects.get(pk=requester_id)
    if not requester.is_sandbox:
        raise WrongState("Only a sandbox account can move its clock or ask for faults.")
    before = requester.clock_offset_seconds
    if clock_offset_seconds is not None and not before <= clock_offset_seconds <= LONGEST_OFFSET:
        raise InvalidInput("The clock moves forward only, by at most ten years.", field="clock_offset_seconds")
    if fault_rules is not None:
        faults.read_faults(fault_rules)
    values = {
        "clock_offset_seconds": clock_offset_seconds,
        "faults": fault_rules,
        "fresh_seconds": fresh_seconds,
        "visible_seconds": visible_seconds,
    }
    changes = {name: value for name, value in values.items() if value is not None}
    Requester.objects.filter(pk=requester_id).update(**changes)
