"""Approving, rejecting and bonuses: what requesters do with submitted assignments."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F

from marketplace import fees
from marketplace.errors import MarketError, missing, parameter, request_error, wrong_state
from marketplace.models import HIT, Assignment, Bonus, Requester, Worker
from marketplace.services import changing, money, request_tokens
from marketplace.states import OVERRIDE, SEEN, AssignmentState


@transaction.atomic(durable=True)
def approve(requester: Requester, assignment_id: str, feedback: str | None, now: datetime, *, override: bool) -> None:
    """Pay an assignment. With `override` a rejection of the last 30 days is reversed and paid from the balance."""
    hit, assignment = changing.lock_assignment(requester, assignment_id)
    if assignment.state == AssignmentState.REJECTED and override:
        if hit.is_disposed:
            raise wrong_state("HIT", hit.status, "Assignable, Unassignable, Reviewable, Reviewing")
        if assignment.submitted_at is None or now - assignment.submitted_at > OVERRIDE:
            message = f"A rejection can be reversed until {OVERRIDE.days} days after the submission."
            raise request_error("InvalidAssignmentState", message)
        assignment.state, assignment.approved_at = AssignmentState.APPROVED, now
        assignment.feedback = assignment.feedback if feedback is None else feedback
        assignment.save()
        _count(assignment, approved=1, rejected=-1)
        _spend(assignment)
        return
    _check_submitted(assignment, now)
    assignment.feedback = feedback or ""
    pay(hit, assignment, now)


def pay(hit: HIT, assignment: Assignment, now: datetime) -> None:
    """Approve a submitted assignment whose HIT is locked too."""
    assignment.state, assignment.approved_at, assignment.due_at = AssignmentState.APPROVED, now, None
    assignment.save()
    price = assignment.reward_cents + assignment.fee_cents
    _leave_review(hit, price)
    _count(assignment, approved=1)
    changing.refresh(hit, spent=price, fee=assignment.fee_cents, reference=assignment.assignment_id)


@transaction.atomic(durable=True)
def reject(requester: Requester, assignment_id: str, feedback: str, now: datetime) -> None:
    hit, assignment = changing.lock_assignment(requester, assignment_id)
    _check_submitted(assignment, now)
    assignment.state, assignment.rejected_at, assignment.due_at = AssignmentState.REJECTED, now, None
    assignment.feedback = feedback
    assignment.save()
    _leave_review(hit, assignment.reward_cents + assignment.fee_cents)
    _count(assignment, rejected=1)
    changing.refresh(hit)


@transaction.atomic(durable=True)
def send_bonus(
    requester: Requester, assignment_id: str, *, worker_id: str, amount: str, reason: str, token: str | None,
    request_id: str, now: datetime,
) -> Bonus:  # fmt: skip
    """Pay a bonus for an assignment that this worker submitted."""
    _, assignment = changing.lock_assignment(requester, assignment_id)
    request_tokens.use(requester, "SendBonus", token, request_id, now)
    if not is_visible(assignment, now):
        raise missing("Assignment", assignment_id)
    if assignment.worker is None or assignment.worker.worker_id != worker_id:
        raise parameter(f"The worker {worker_id} did not submit the assignment {assignment_id}.")
    cents = fees.cents_of(amount)
    if cents == 0:
        raise parameter("BonusAmount must be at least 0.01.")
    fee = fees.bonus_fee(cents)
    money.move(requester.pk, -(cents + fee), kind="bonus", reference=assignment_id, fee=fee)
    return Bonus.objects.create(
        assignment=assignment, worker=assignment.worker, cents=cents, fee_cents=fee, reason=reason, at=now
    )


def is_visible(assignment: Assignment, now: datetime) -> bool:
    """Return whether the requester can see the assignment: submitted, and not a moment ago."""
    return assignment.state in SEEN and assignment.visible_at is not None and assignment.visible_at <= now


def _check_submitted(assignment: Assignment, now: datetime) -> None:
    if assignment.state in (AssignmentState.ACCEPTED, AssignmentState.FREE):
        raise _wrong("null")
    if not is_visible(assignment, now):
        raise missing("Assignment", assignment.assignment_id)
    if assignment.state != AssignmentState.SUBMITTED:
        raise _wrong("Submitted")


def _wrong(allowed: str) -> MarketError:
    return request_error("InvalidAssignmentState", f"This operation can be called with a status of: {allowed}")


def _leave_review(hit: HIT, price: int) -> None:
    hit.submitted -= 1
    hit.completed += 1
    hit.held_cents -= price


def _count(assignment: Assignment, *, approved: int = 0, rejected: int = 0) -> None:
    Worker.objects.filter(pk=assignment.worker_id or 0).update(
        approved=F("approved") + approved, rejected=F("rejected") + rejected
    )


def _spend(assignment: Assignment) -> None:
    price = assignment.reward_cents + assignment.fee_cents
    money.move(
        assignment.requester_id, -price, kind="reward", reference=assignment.assignment_id, fee=assignment.fee_cents
    )
