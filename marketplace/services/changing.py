"""How a HIT changes: its counters, its state, its due date and the money it locks follow from one another."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F

from marketplace.errors import missing
from marketplace.models import HIT, Assignment, HITType, Requester
from marketplace.services import money
from marketplace.states import DISPOSAL, HITStatus, hit_status


def lock_hit(requester: Requester, hit_id: str) -> HIT:
    """Return the requester's HIT, locked until the transaction ends."""
    hit = HIT.objects.select_for_update().filter(hit_id=hit_id, requester=requester).first()
    if hit is None:
        raise missing("HIT", hit_id)
    return hit


def lock_assignment(requester: Requester, assignment_id: str) -> tuple[HIT, Assignment]:
    """Return the requester's assignment and its HIT, both locked, the HIT first."""
    row = Assignment.objects.filter(assignment_id=assignment_id, requester=requester).values_list("hit_id").first()
    if row is None:
        raise missing("Assignment", assignment_id)
    hit = HIT.objects.select_for_update().get(pk=row[0])
    return hit, Assignment.objects.select_for_update().get(assignment_id=assignment_id)


def refresh(hit: HIT, *, spent: int = 0, fee: int = 0, reference: str = "") -> None:
    """Save a HIT whose counters have changed; move what it locks more or less than before.

    `spent` of what was locked is paid out now; what is neither spent nor locked any more goes back to the balance.
    """
    before = hit.status
    hit.status = hit_status(
        is_disposed=hit.is_disposed,
        is_reviewing=hit.is_reviewing,
        is_expired=hit.is_expired,
        available=hit.available,
        pending=hit.pending,
    )
    hit.is_reviewing = hit.status == HITStatus.REVIEWING
    hit.due_at = None if hit.is_disposed else hit.expires_at + DISPOSAL if hit.is_expired else hit.expires_at
    is_open = not (hit.is_expired or hit.is_disposed)
    locked = hit.held_cents + (hit.unit_cents * hit.available if is_open else 0)
    hold = locked - hit.locked_cents
    hit.locked_cents = locked
    hit.save()
    if (before == HITStatus.ASSIGNABLE) != (hit.status == HITStatus.ASSIGNABLE):
        count_open(hit.hit_type_id, 1 if hit.status == HITStatus.ASSIGNABLE else -1)
    if hold < 0:  # first, so that what was locked can pay what is spent
        money.move(hit.requester_id, -hold, kind="release", reference=hit.hit_id, hold=hold)
    if spent:
        money.move(hit.requester_id, -spent, kind="reward", reference=reference or hit.hit_id, fee=fee)
    if hold > 0:
        money.move(hit.requester_id, -hold, kind="hold", reference=hit.hit_id, hold=hold)


def count_open(hit_type_id: int, change: int) -> None:
    HITType.objects.filter(pk=hit_type_id).update(open_hits=F("open_hits") + change)


def is_fresh(hit: HIT, requester: Requester, now: datetime) -> bool:
    """Return whether the HIT is so new that it cannot be changed yet."""
    return (now - hit.created_at).total_seconds() < requester.fresh_seconds
