"""What workers do: accept, submit, return."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import F

from kernel.errors import InvalidInput, NotAllowed, NotFound, WrongState
from marketplace import answers, ids, qualifying
from marketplace.models import HIT, Assignment, HITType, Worker
from marketplace.selectors.workers import check_not_blocked, holdings_of
from marketplace.services import accounts, changing, settling
from marketplace.states import LIVE, QUEUE, SEEN, AssignmentState, HITStatus


def accept(worker: Worker, hit_id: str) -> Assignment:
    """Give the worker a place in the HIT; a worker who has one already gets the same again."""
    hit = HIT.objects.select_related("requester", "hit_type").filter(hit_id=hit_id).first()
    if hit is None or hit.requester.is_sandbox != worker.is_invented:
        raise NotFound("There is no such HIT.")
    check_may_accept(worker, hit.hit_type)
    moment = accounts.time_of(hit.requester)
    settling.settle_worker(worker)
    settling.settle_hit(hit.pk, moment)
    with transaction.atomic(durable=True):
        hit = HIT.objects.select_for_update().get(pk=hit.pk)
        Worker.objects.select_for_update().get(pk=worker.pk)  # two tabs cannot fill the queue beyond its limit
        mine = hit.assignments.filter(worker=worker, state__in=LIVE).first()
        if mine and mine.state == AssignmentState.ACCEPTED:
            return mine
        if mine:
            raise WrongState("You have already worked on this HIT.")
        if hit.status != HITStatus.ASSIGNABLE or hit.expires_at <= moment:
            raise WrongState("This HIT is no longer available: it has expired, or others have taken it.")
        if Assignment.objects.filter(worker=worker, state=AssignmentState.ACCEPTED).count() >= QUEUE:
            raise WrongState(f"You hold {QUEUE} HITs. Submit or return one before you accept another.")
        assignment = hit.assignments.select_for_update().filter(state=AssignmentState.FREE).order_by("pk").first()
        assignment = assignment or Assignment(hit=hit, requester_id=hit.requester_id)
        assignment.worker, assignment.state, assignment.token = worker, AssignmentState.ACCEPTED, ids.secret()
        assignment.accepted_at = moment
        assignment.deadline = assignment.due_at = moment + timedelta(seconds=hit.hit_type.duration_seconds)
        assignment.reward_cents, assignment.fee_cents = hit.unit_cents - hit.unit_fee_cents, hit.unit_fee_cents
        assignment.save()
        hit.available -= 1
        hit.pending += 1
        hit.held_cents += hit.unit_cents
        changing.refresh(hit)
        return assignment


def check_may_accept(worker: Worker, hit_type: HITType) -> None:
    """Raise unless the worker has every qualification and is not blocked."""
    check_not_blocked(worker, hit_type.requester_id)
    if not qualifying.may(qualifying.ACCEPT, hit_type.requirements, holdings_of(worker)):
        raise NotAllowed("You lack a qualification that this HIT requires.")


def submit(token: str, assignment_id: str, fields: Sequence[tuple[str, str]]) -> Assignment:
    """Store the answer of one acceptance; repeating it changes nothing. The token is the worker's only credential."""
    mine = _acceptance(token, assignment_id)
    if mine.state in SEEN:
        return mine
    try:
        answer = answers.answer_xml(fields)
    except answers.BadForm as error:
        raise InvalidInput(str(error)) from None
    moment = accounts.time_of(mine.requester)
    settling.settle_hit(mine.hit_id, moment)
    with transaction.atomic(durable=True):
        hit = HIT.objects.select_for_update(of=("self",)).select_related("hit_type", "requester").get(pk=mine.hit_id)
        assignment = Assignment.objects.select_for_update().get(pk=mine.pk)
        if assignment.state in SEEN and assignment.token == token:
            return assignment
        if assignment.state != AssignmentState.ACCEPTED or assignment.token != token:
            raise WrongState("The time for this HIT ran out, so other workers can accept it now. Nothing was saved.")
        assignment.state, assignment.answer, assignment.submitted_at = AssignmentState.SUBMITTED, answer, moment
        assignment.visible_at = moment + timedelta(seconds=hit.requester.visible_seconds)
        assignment.auto_approval_at = moment + timedelta(seconds=hit.hit_type.auto_approval_seconds)
        assignment.due_at = assignment.auto_approval_at
        assignment.save()
        hit.pending -= 1
        hit.submitted += 1
        Worker.objects.filter(pk=assignment.worker_id or 0).update(submitted=F("submitted") + 1)
        changing.refresh(hit)
        return assignment


def _acceptance(token: str, assignment_id: str) -> Assignment:
    """Return the assignment that a form was sent for."""
    mine = Assignment.objects.select_related("requester").filter(token=token).first()
    if mine is not None and not assignment_id:
        raise InvalidInput(
            "The form has no assignmentId, so nothing was saved. "
            "Tell the requester that their form must send the assignmentId of the frame's address."
        )
    if mine is None or mine.assignment_id != assignment_id:
        raise NotAllowed("This assignment is not yours any more: it was returned, or its time ran out.")
    return mine


def give_back(worker: Worker, assignment_id: str) -> Assignment:
    """Return an accepted HIT to the others."""
    mine = Assignment.objects.filter(assignment_id=assignment_id, worker=worker).first()
    if mine is None:
        raise NotFound("You do not hold this HIT.")
    with transaction.atomic(durable=True):
        hit = HIT.objects.select_for_update().get(pk=mine.hit_id)
        assignment = Assignment.objects.select_for_update().get(pk=mine.pk)
        if assignment.worker_id != worker.pk or assignment.state != AssignmentState.ACCEPTED:
            raise WrongState("You do not hold this HIT any more.")
        settling.release(hit, assignment)
    return assignment
