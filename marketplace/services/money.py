"""Every change of a balance: a conditional UPDATE and its Movement, in the transaction of what it pays for.

Locks are taken in one order: HIT, assignment, worker, request token, HIT type, requester.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from marketplace import fees
from marketplace.errors import request_error
from marketplace.models import Movement, Requester


@transaction.atomic
def deposit(requester_id: int, cents: int) -> None:
    """Add play money."""
    move(requester_id, cents, kind="deposit")


def move(requester_id: int, cents: int, *, kind: str, reference: str = "", hold: int = 0, fee: int = 0) -> None:
    """Add `cents` (negative = take) to the balance and `hold` to what is on hold; raise if there is too little."""
    if cents == hold == 0:
        return
    rows = Requester.objects.filter(pk=requester_id)
    if cents < 0:
        rows = rows.filter(balance_cents__gte=-cents)
    if not rows.update(balance_cents=F("balance_cents") + cents, on_hold_cents=F("on_hold_cents") + hold):
        has = Requester.objects.values_list("balance_cents", flat=True).get(pk=requester_id)
        raise request_error(
            "InsufficientFunds",
            f"This costs {fees.amount_of(-cents)} USD, and the account has {fees.amount_of(has)} USD.",
        )
    if cents:
        Movement.objects.create(requester_id=requester_id, kind=kind, cents=cents, fee_cents=fee, reference=reference)
