"""Operations on HITs and HIT types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from marketplace import fees, qualifying
from marketplace.api.calls import Call, Handler, listed
from marketplace.errors import missing
from marketplace.models import HIT, QualificationType
from marketplace.services import hits


def create_hit_type(call: Call) -> Mapping[str, Any]:
    return {"HITTypeId": hits.create_hit_type(call.requester, call.parameters).type_id}


def create_hit(call: Call) -> Mapping[str, Any]:
    return {"HIT": described(hits.create_hit(call.requester, call.parameters, call.now))}


def get_hit(call: Call) -> Mapping[str, Any]:
    return {"HIT": described(_named(call))}


def list_hits(call: Call) -> Mapping[str, Any]:
    return listed(call, _mine(call), "HITs", described)


def list_reviewable(call: Call) -> Mapping[str, Any]:
    rows = HIT.objects.filter(requester=call.requester, status=call.get("Status", "Reviewable"))
    if "HITTypeId" in call.parameters:
        rows = rows.filter(hit_type__type_id=call["HITTypeId"])
    return listed(call, rows.select_related("hit_type"), "HITs", described)


def list_for_qualification_type(call: Call) -> Mapping[str, Any]:
    type_id = call["QualificationTypeId"]
    is_known = QualificationType.objects.filter(type_id=type_id, deleted_at=None).exists()
    if type_id not in qualifying.SYSTEM and not is_known:
        raise missing("QualificationType", type_id)
    return listed(call, _mine(call).filter(hit_type__named__qualification=type_id), "HITs", described)


def update_review_status(call: Call) -> Mapping[str, Any]:
    hits.update_review_status(call.requester, call["HITId"], revert=call.get("Revert", False), now=call.now)
    return {}


def update_hit_type(call: Call) -> Mapping[str, Any]:
    hits.update_hit_type(call.requester, call["HITId"], call["HITTypeId"], call.now)
    return {}


def update_expiration(call: Call) -> Mapping[str, Any]:
    hits.update_expiration(call.requester, call["HITId"], call["ExpireAt"], call.now)
    return {}


def add_assignments(call: Call) -> Mapping[str, Any]:
    more, token = call["NumberOfAdditionalAssignments"], call.get("UniqueRequestToken")
    hits.add_assignments(call.requester, call["HITId"], more, token, call.request_id, call.now)
    return {}


def delete_hit(call: Call) -> Mapping[str, Any]:
    hits.delete_hit(call.requester, call["HITId"], call.now)
    return {}


def list_policy_results(call: Call) -> Mapping[str, Any]:
    """Answer with nothing: this marketplace has no review policies, because only people reject."""
    return {"HITId": _named(call).hit_id}


def _mine(call: Call) -> QuerySet[HIT]:
    return HIT.objects.filter(requester=call.requester, is_disposed=False).select_related("hit_type")


def _named(call: Call) -> HIT:
    rows = HIT.objects.filter(requester=call.requester, hit_id=call["HITId"]).select_related("hit_type")
    hit = rows.first()
    if hit is None:
        raise missing("HIT", call["HITId"])
    return hit


def described(hit: HIT) -> dict[str, Any]:
    kind = hit.hit_type
    return {
        "HITId": hit.hit_id,
        "HITTypeId": kind.type_id,
        "HITGroupId": kind.group_id,
        "CreationTime": hit.created_at,
        "Title": kind.title,
        "Description": kind.description,
        "Question": hit.question,
        "Keywords": kind.keywords or None,
        "HITStatus": hit.status,
        "MaxAssignments": hit.max_assignments,
        "Reward": fees.amount_of(kind.reward_cents),
        "AutoApprovalDelayInSeconds": kind.auto_approval_seconds,
        "Expiration": hit.expires_at,
        "AssignmentDurationInSeconds": kind.duration_seconds,
        "RequesterAnnotation": hit.annotation or None,
        "QualificationRequirements": kind.requirements,
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": hit.pending,
        "NumberOfAssignmentsAvailable": hit.available,
        "NumberOfAssignmentsCompleted": hit.completed,
    }


OPERATIONS: dict[str, Handler] = {
    "CreateHITType": create_hit_type,
    "CreateHIT": create_hit,
    "CreateHITWithHITType": create_hit,
    "GetHIT": get_hit,
    "ListHITs": list_hits,
    "ListReviewableHITs": list_reviewable,
    "ListHITsForQualificationType": list_for_qualification_type,
    "UpdateHITReviewStatus": update_review_status,
    "UpdateHITTypeOfHIT": update_hit_type,
    "UpdateExpirationForHIT": update_expiration,
    "CreateAdditionalAssignmentsForHIT": add_assignments,
    "DeleteHIT": delete_hit,
    "ListReviewPolicyResultsForHIT": list_policy_results,
}
