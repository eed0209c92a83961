"""Operations on qualifications."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from marketplace import qualifying
from marketplace.api.calls import Call, Handler, listed
from marketplace.errors import missing, request_error, wrong_state
from marketplace.models import Qualification, QualificationRequest, QualificationType, Requester
from marketplace.selectors.lists import qualification_types_seen
from marketplace.selectors.workers import worker_named
from marketplace.services import qualifications
from marketplace.states import RequestState

SINCE = datetime(2017, 1, 17, tzinfo=UTC)  # the system's own types are as old as the protocol


def create_type(call: Call) -> Mapping[str, Any]:
    type_ = qualifications.create_type(call.requester, call.parameters, call.now)
    return {"QualificationType": described(type_, call.requester)}


def update_type(call: Call) -> Mapping[str, Any]:
    type_ = qualifications.update_type(call.requester, call["QualificationTypeId"], call.parameters, call.now)
    return {"QualificationType": described(type_, call.requester)}


def get_type(call: Call) -> Mapping[str, Any]:
    type_id = call["QualificationTypeId"]
    if type_id in qualifying.SYSTEM:
        return {"QualificationType": _system(type_id)}
    seen = qualification_types_seen(call.requester.pk, is_sandbox=call.requester.is_sandbox)
    type_ = seen.filter(type_id=type_id).first()
    if type_ is None:
        raise missing("QualificationType", type_id)
    return {"QualificationType": described(type_, call.requester)}


def list_types(call: Call) -> Mapping[str, Any]:
    rows = qualification_types_seen(call.requester.pk, is_sandbox=call.requester.is_sandbox)
    if call.get("MustBeOwnedByCaller"):
        rows = rows.filter(requester=call.requester)
    if call["MustBeRequestable"]:
        rows = rows.filter(is_active=True)
    for word in call.get("Query", "").split():
        rows = rows.filter(Q(name__icontains=word) | Q(description__icontains=word) | Q(keywords__icontains=word))
    return listed(call, rows, "QualificationTypes", lambda type_: described(type_, call.requester))


def delete_type(call: Call) -> Mapping[str, Any]:
    qualifications.delete_type(call.requester, call["QualificationTypeId"], call.now)
    return {}


def associate(call: Call) -> Mapping[str, Any]:
    type_id, worker_id, value = call["QualificationTypeId"], call["WorkerId"], call.get("IntegerValue", 1)
    notify = call.get("SendNotification", True)
    qualifications.associate(call.requester, type_id, worker_id, value, call.now, notify=notify)
    return {}


def disassociate(call: Call) -> Mapping[str, Any]:
    reason = call.get("Reason", "")
    qualifications.disassociate(call.requester, call["QualificationTypeId"], call["WorkerId"], reason, call.now)
    return {}


def get_score(call: Call) -> Mapping[str, Any]:
    type_ = _own_type(call)
    worker = worker_named(call["WorkerId"], is_sandbox=call.requester.is_sandbox)
    held = Qualification.objects.filter(type=type_, worker=worker).select_related("type", "worker").first()
    if held is None:
        raise missing("Qualification", f"{type_.type_id} of {worker.worker_id}")
    if not held.is_granted:
        raise wrong_state("Qualification", "Revoked", "Granted")
    return {"Qualification": described_score(held)}


def list_workers(call: Call) -> Mapping[str, Any]:
    rows = Qualification.objects.filter(type=_own_type(call), is_granted=call.get("Status", "Granted") == "Granted")
    return listed(call, rows.select_related("type", "worker"), "Qualifications", described_score)


def list_requests(call: Call) -> Mapping[str, Any]:
    rows = QualificationRequest.objects.filter(
        type__requester=call.requester, type__deleted_at=None, state=RequestState.PENDING
    )
    if "QualificationTypeId" in call.parameters:
        rows = rows.filter(type=_own_type(call))
    return listed(call, rows.select_related("type", "worker", "test"), "QualificationRequests", described_request)


def accept_request(call: Call) -> Mapping[str, Any]:
    value = call.get("IntegerValue", 1)
    qualifications.decide_request(call.requester, call["QualificationRequestId"], call.now, value=value)
    return {}


def reject_request(call: Call) -> Mapping[str, Any]:
    request_id, reason = call["QualificationRequestId"], call.get("Reason", "")
    qualifications.decide_request(call.requester, request_id, call.now, value=None, reason=reason)
    return {}


def _own_type(call: Call) -> QualificationType:
    type_id = call["QualificationTypeId"]
    type_ = QualificationType.objects.filter(type_id=type_id, deleted_at=None).first()
    if type_id in qualifying.SYSTEM or (type_ and type_.requester_id != call.requester.pk):
        raise request_error("PermissionDeniedException", f"The qualification type {type_id} is not yours.")
    if type_ is None:
        raise missing("QualificationType", type_id)
    return type_


def _system(type_id: str) -> dict[str, Any]:
    name = qualifying.SYSTEM[type_id]
    return {
        "QualificationTypeId": type_id,
        "CreationTime": SINCE,
        "Name": name,
        "Description": f"{name}, kept by the marketplace.",
        "QualificationTypeStatus": "Active",
        "IsRequestable": False,
        "AutoGranted": False,
    }


def described(type_: QualificationType, reader: Requester) -> dict[str, Any]:
    """Return a type as the protocol has it. Only its owner reads the test and the key."""
    test, is_own = type_.test, type_.requester_id == reader.pk
    return {
        "QualificationTypeId": type_.type_id,
        "CreationTime": type_.created_at,
        "Name": type_.name,
        "Description": type_.description,
        "Keywords": type_.keywords or None,
        "QualificationTypeStatus": "Active" if type_.is_active else "Inactive",
        "RetryDelayInSeconds": type_.retry_seconds,
        "Test": test.form if test and is_own else None,
        "TestDurationInSeconds": test.seconds if test else None,
        "AnswerKey": test.answer_key or None if test and is_own else None,
        "IsRequestable": type_.is_active,
        "AutoGranted": type_.is_auto_granted,
        "AutoGrantedValue": type_.auto_value if type_.is_auto_granted else None,
    }


def described_score(held: Qualification) -> dict[str, Any]:
    return {
        "QualificationTypeId": held.type.type_id,
        "WorkerId": held.worker.worker_id,
        "GrantTime": held.granted_at,
        "IntegerValue": held.value,
        "Status": "Granted" if held.is_granted else "Revoked",
    }


def described_request(request: QualificationRequest) -> dict[str, Any]:
    return {
        "QualificationRequestId": request.request_id,
        "QualificationTypeId": request.type.type_id,
        "WorkerId": request.worker.worker_id,
        "SubmitTime": request.at,
        "Test": request.test.form if request.test else None,
        "Answer": request.answer if request.test else None,
    }


OPERATIONS: dict[str, Handler] = {
    "CreateQualificationType": create_type,
    "UpdateQualificationType": update_type,
    "GetQualificationType": get_type,
    "ListQualificationTypes": list_types,
    "DeleteQualificationType": delete_type,
    "AssociateQualificationWithWorker": associate,
    "DisassociateQualificationFromWorker": disassociate,
    "GetQualificationScore": get_score,
    "ListWorkersWithQualificationType": list_workers,
    "ListQualificationRequests": list_requests,
    "AcceptQualificationRequest": accept_request,
    "RejectQualificationRequest": reject_request,
}
