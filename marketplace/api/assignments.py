"""Operations on assignments and bonuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marketplace import fees
from marketplace.api import hits
from marketplace.api.calls import Call, Handler, listed
from marketplace.errors import missing, parameter
from marketplace.models import HIT, Assignment, Bonus
from marketplace.services import reviewing
from marketplace.states import SEEN


def get_assignment(call: Call) -> Mapping[str, Any]:
    rows = Assignment.objects.filter(requester=call.requester, assignment_id=call["AssignmentId"])
    assignment = rows.select_related("hit__hit_type", "worker").first()
    if assignment is None or not reviewing.is_visible(assignment, call.now):
        raise missing("Assignment", call["AssignmentId"])
    return {"Assignment": described(assignment), "HIT": hits.described(assignment.hit)}


def list_for_hit(call: Call) -> Mapping[str, Any]:
    hit = HIT.objects.filter(requester=call.requester, hit_id=call["HITId"]).first()
    if hit is None:
        raise missing("HIT", call["HITId"])
    states = call.get("AssignmentStatuses") or SEEN
    rows = hit.assignments.filter(state__in=states, visible_at__lte=call.now).select_related("hit", "worker")
    return listed(call, rows, "Assignments", described)


def approve(call: Call) -> Mapping[str, Any]:
    feedback, override = call.get("RequesterFeedback"), call.get("OverrideRejection", False)
    reviewing.approve(call.requester, call["AssignmentId"], feedback, call.now, override=override)
    return {}


def reject(call: Call) -> Mapping[str, Any]:
    reviewing.reject(call.requester, call["AssignmentId"], call["RequesterFeedback"], call.now)
    return {}


def send_bonus(call: Call) -> Mapping[str, Any]:
    reviewing.send_bonus(
        call.requester,
        call["AssignmentId"],
        worker_id=call["WorkerId"],
        amount=call["BonusAmount"],
        reason=call["Reason"],
        token=call.get("UniqueRequestToken"),
        request_id=call.request_id,
        now=call.now,
    )
    return {}


def list_bonuses(call: Call) -> Mapping[str, Any]:
    hit_id, assignment_id = call.get("HITId"), call.get("AssignmentId")
    if (hit_id is None) == (assignment_id is None):
        raise parameter("Name either a HITId or an AssignmentId.")
    rows = Bonus.objects.filter(assignment__requester=call.requester).select_related("assignment", "worker")
    if hit_id:
        if not HIT.objects.filter(requester=call.requester, hit_id=hit_id).exists():
            raise missing("HIT", hit_id)
        rows = rows.filter(assignment__hit__hit_id=hit_id)
    else:
        if not Assignment.objects.filter(requester=call.requester, assignment_id=assignment_id).exists():
            raise missing("Assignment", str(assignment_id))
        rows = rows.filter(assignment__assignment_id=assignment_id)
    return listed(call, rows, "BonusPayments", described_bonus)


def described(assignment: Assignment) -> dict[str, Any]:
    return {
        "AssignmentId": assignment.assignment_id,
        "WorkerId": assignment.worker.worker_id if assignment.worker else None,
        "HITId": assignment.hit.hit_id,
        "AssignmentStatus": assignment.state,
        "AutoApprovalTime": assignment.auto_approval_at,
        "AcceptTime": assignment.accepted_at,
        "SubmitTime": assignment.submitted_at,
        "ApprovalTime": assignment.approved_at,
        "RejectionTime": assignment.rejected_at,
        "Deadline": assignment.deadline,
        "Answer": assignment.answer,
        "RequesterFeedback": assignment.feedback or None,
    }


def described_bonus(bonus: Bonus) -> dict[str, Any]:
    return {
        "WorkerId": bonus.worker.worker_id,
        "BonusAmount": fees.amount_of(bonus.cents),
        "AssignmentId": bonus.assignment.assignment_id,
        "Reason": bonus.reason,
        "GrantTime": bonus.at,
    }


OPERATIONS: dict[str, Handler] = {
    "GetAssignment": get_assignment,
    "ListAssignmentsForHIT": list_for_hit,
    "ApproveAssignment": approve,
    "RejectAssignment": reject,
    "SendBonus": send_bonus,
    "ListBonusPayments": list_bonuses,
}
