"""What only sandbox accounts can ask for, beside the protocol: time, faults, money and invented workers.

Sent to the same address and signed in the same way; the target is `TesaSandbox.<Operation>`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kernel.errors import TesaError
from marketplace.errors import parameter, refused, request_error
from marketplace.models import Requester
from marketplace.services import accounts, money, people, settling

PREFIX = "TesaSandbox."
MOST_WORKERS = 200


def answer(requester: Requester, target: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    operation = OPERATIONS.get(target.removeprefix(PREFIX))
    if operation is None:
        raise refused("UnknownOperationException", f"There is no operation {target[:100]!r}.")
    if not requester.is_sandbox:
        raise request_error("PermissionDeniedException", "Only sandbox accounts can do this.")
    try:
        return operation(requester, body)
    except TesaError as error:
        raise parameter(str(error)) from None


def configure(requester: Requester, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Set the clock (seconds ahead of real time), the faults, and how long new HITs and submits are unsettled."""
    offset, rules = body.get("ClockOffsetSeconds"), body.get("Faults")
    if offset is not None and not isinstance(offset, int):
        raise parameter("ClockOffsetSeconds is a whole number.")
    if rules is not None and not (isinstance(rules, list) and all(isinstance(rule, dict) for rule in rules)):
        raise parameter("Faults is a list of objects.")
    delays = {"fresh_seconds": body.get("FreshSeconds"), "visible_seconds": body.get("VisibleSeconds")}
    for value in delays.values():
        if value is not None and (not isinstance(value, int) or not 0 <= value <= 3600):
            raise parameter("FreshSeconds and VisibleSeconds are from 0 to 3600.")
    accounts.configure_sandbox(requester.pk, clock_offset_seconds=offset, fault_rules=rules, **delays)
    requester.refresh_from_db()
    settling.settle(requester, accounts.time_of(requester))  # what is due by the new time has happened
    return {"ClockOffsetSeconds": requester.clock_offset_seconds, "Faults": requester.faults}


def deposit(requester: Requester, body: Mapping[str, Any]) -> Mapping[str, Any]:
    cents = body.get("Cents")
    if not isinstance(cents, int) or not 0 < cents <= 10**9:
        raise parameter("Cents is a whole number from 1 to 1000000000.")
    money.deposit(requester.pk, cents)
    return {}


def invent_workers(requester: Requester, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return new invented workers; each enters the worker site at /marketplace/enter/<Secret>/."""
    count = body.get("Count", 1)
    if not isinstance(count, int) or not 0 < count <= MOST_WORKERS:
        raise parameter(f"Count is a whole number from 1 to {MOST_WORKERS}.")
    return {"Workers": [{"WorkerId": w.worker_id, "Secret": w.secret} for w in people.invent_workers(count)]}


OPERATIONS: dict[str, Callable[[Requester, Mapping[str, Any]], Mapping[str, Any]]] = {
    "Configure": configure,
    "Deposit": deposit,
    "InventWorkers": invent_workers,
}
