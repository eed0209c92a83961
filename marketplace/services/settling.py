"""What happens by itself when its time comes: expiry, abandonment, automatic approval, disposal.

Called before every read and by the scheduler. Each HIT is settled in a transaction of its own.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from kernel import clock
from marketplace.models import HIT, Assignment, Requester, Worker
from marketplace.services import accounts, changing, request_tokens, reviewing
from marketplace.states import AssignmentState

CHUNK = 200


def settle(requester: Requester, now: datetime) -> None:
    """Make every change of this account that is due."""
    while due := _due_hits(Q(requester=requester), now):
        for hit_pk in due:
            settle_hit(hit_pk, now)


def settle_worker(worker: Worker) -> None:
    """Make the changes that are due to what this worker holds."""
    mine = Assignment.objects.filter(worker=worker, due_at__isnull=False).select_related("requester")
    for assignment in mine:
        moment = accounts.time_of(assignment.requester)
        if assignment.due_at and assignment.due_at <= moment:
            settle_hit(assignment.hit_id, moment)


def sweep() -> None:
    """Settle all accounts. The scheduler calls this every few seconds."""
    for requester in Requester.objects.all():
        settle(requester, accounts.time_of(requester))
    request_tokens.forget_old(clock.now())


def settle_hit(hit_pk: int, now: datetime) -> None:
    """Make the changes of one HIT that are due."""
    due = Assignment.objects.filter(hit=hit_pk, due_at__lte=now).order_by("due_at", "pk")
    for assignment_pk in due.values_list("pk", flat=True):
        _settle_assignment(hit_pk, assignment_pk, now)
    if HIT.objects.filter(pk=hit_pk, due_at__lte=now).exists():
        _settle_dates(hit_pk, now)


@transaction.atomic(durable=True)
def _settle_assignment(hit_pk: int, assignment_pk: int, now: datetime) -> None:
    hit = HIT.objects.select_for_update().get(pk=hit_pk)
    assignment = Assignment.objects.select_for_update().get(pk=assignment_pk)
    if assignment.due_at is None or assignment.due_at > now:
        return
    if assignment.state == AssignmentState.ACCEPTED:
        release(hit, assignment)
    else:
        reviewing.pay(hit, assignment, assignment.due_at)


@transaction.atomic(durable=True)
def _settle_dates(hit_pk: int, now: datetime) -> None:
    """Expire the HIT, or dispose of it once nothing of it is in progress or waits for a review."""
    hit = HIT.objects.select_for_update().get(pk=hit_pk)
    if hit.due_at is None or hit.due_at > now:
        return
    if not hit.is_expired:
        hit.is_expired = True
    elif last := hit.assignments.filter(due_at__isnull=False).order_by("-due_at").first():
        HIT.objects.filter(pk=hit.pk).update(due_at=last.due_at)
        return
    else:
        hit.is_disposed = True
    changing.refresh(hit)


def release(hit: HIT, assignment: Assignment) -> None:
    """Give back a place that a worker returned or let lapse; both rows are locked."""
    Worker.objects.filter(pk=assignment.worker_id or 0).update(returned=F("returned") + 1)
    assignment.state, assignment.due_at, assignment.worker = AssignmentState.FREE, None, None
    assignment.save()
    hit.pending -= 1
    hit.available += 1
    hit.held_cents -= assignment.reward_cents + assignment.fee_cents
    changing.refresh(hit)


def _due_hits(rows: Q, now: datetime) -> list[int]:
    """Return up to CHUNK HITs with something due, in the order of their keys."""
    hits = HIT.objects.filter(rows, due_at__lte=now).order_by("due_at").values_list("pk", flat=True)[:CHUNK]
    assignments = Assignment.objects.filter(rows, due_at__lte=now).order_by("due_at").values_list("hit_id", flat=True)
    return sorted({*hits, *assignments[:CHUNK]})
