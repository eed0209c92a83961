"""Qualification types, and who holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from kernel.clock import now as real_now
from kernel.errors import NotFound, WrongState
from marketplace import qualifying
from marketplace.errors import missing, parameter, request_error, wrong_state
from marketplace.models import (
    HITType,
    Qualification,
    QualificationRequest,
    QualificationType,
    Requester,
    Worker,
)
from marketplace.selectors.workers import worker_named
from marketplace.services import people

TESTS = ("Test", "AnswerKey")  # a TestDurationInSeconds without them means nothing and is ignored


@transaction.atomic(durable=True)
def create_type(requester: Requester, values: Mapping[str, Any], now: datetime) -> QualificationType:
    _refuse_tests(values)
    is_auto = values.get("AutoGranted", False)
    _check_auto_value(values, is_auto=is_auto)
    try:
        with transaction.atomic():
            return QualificationType.objects.create(
                requester=requester,
                name=values["Name"],
                description=values["Description"],
                keywords=values.get("Keywords", ""),
                is_active=values["QualificationTypeStatus"] == "Active",
                retry_seconds=values.get("RetryDelayInSeconds"),
                is_auto_granted=is_auto,
                auto_value=values.get("AutoGrantedValue", 1),
                created_at=now,
            )
    except IntegrityError:
        message = f"You have already created a QualificationType with this name: {values['Name']}"
        raise request_error("QualificationTypeAlreadyExists", message) from None


@transaction.atomic(durable=True)
def update_type(requester: Requester, type_id: str, values: Mapping[str, Any]) -> QualificationType:
    _refuse_tests(values)
    type_ = lock_own_type(requester, type_id)
    type_.is_auto_granted = values.get("AutoGranted", type_.is_auto_granted)
    _check_auto_value(values, is_auto=type_.is_auto_granted)
    type_.description = values.get("Description", type_.description)
    if "QualificationTypeStatus" in values:
        type_.is_active = values["QualificationTypeStatus"] == "Active"
    type_.retry_seconds = values.get("RetryDelayInSeconds", type_.retry_seconds)
    type_.auto_value = values.get("AutoGrantedValue", type_.auto_value)
    type_.save()
    return type_


@transaction.atomic(durable=True)
def delete_type(requester: Requester, type_id: str, now: datetime) -> None:
    """Delete the type and the HIT types that name it; their HITs stay."""
    type_ = lock_own_type(requester, type_id)
    type_.deleted_at = now
    type_.save()
    HITType.objects.filter(requester=requester, named__qualification=type_id, deleted_at=None).update(deleted_at=now)


def lock_own_type(requester: Requester, type_id: str) -> QualificationType:
    """Return the requester's own type, locked."""
    type_ = QualificationType.objects.select_for_update().filter(type_id=type_id, deleted_at=None).first()
    if type_id in qualifying.SYSTEM or (type_ and type_.requester_id != requester.pk):
        raise request_error("PermissionDeniedException", f"The qualification type {type_id} is not yours.")
    if type_ is None:
        raise missing("QualificationType", type_id)
    return type_


@transaction.atomic(durable=True)
def associate(requester: Requester, type_id: str, worker_id: str, value: int, now: datetime, *, notify: bool) -> None:
    """Grant a qualification, or change its score."""
    type_ = lock_own_type(requester, type_id)
    if not type_.is_active:
        raise wrong_state("QualificationType", "Inactive", "Active")
    worker = worker_named(worker_id, is_sandbox=requester.is_sandbox)
    _grant(type_, worker, value, now)
    QualificationRequest.objects.filter(type=type_, worker=worker, state="Pending").update(state="Granted")
    if notify:
        people.write_to(requester, worker, f"You received the qualification {type_.name}", f"Score: {value}.", now)


@transaction.atomic(durable=True)
def disassociate(requester: Requester, type_id: str, worker_id: str, reason: str, now: datetime) -> None:
    """Revoke a qualification."""
    type_ = lock_own_type(requester, type_id)
    worker = worker_named(worker_id, is_sandbox=requester.is_sandbox)
    held = Qualification.objects.filter(type=type_, worker=worker).first()
    if held is None:
        raise missing("Qualification", f"{type_id} of {worker_id}")
    if not held.is_granted:
        raise wrong_state("Qualification", "Revoked", "Granted")
    Qualification.objects.filter(pk=held.pk).update(is_granted=False)
    if reason:
        people.write_to(requester, worker, f"Your qualification {type_.name} was revoked", reason, now)


@transaction.atomic(durable=True)
def decide_request(
    requester: Requester, request_id: str, now: datetime, *, value: int | None, reason: str = ""
) -> None:
    """Grant a pending request with this score; None rejects it."""
    request = QualificationRequest.objects.filter(request_id=request_id).select_related("type", "worker").first()
    if request is None or request.type.deleted_at or request.type.requester_id != requester.pk:
        raise missing("QualificationRequest", request_id)
    lock_own_type(requester, request.type.type_id)
    state = "Rejected" if value is None else "Granted"
    if not QualificationRequest.objects.filter(pk=request.pk, state="Pending").update(state=state, reason=reason):
        request.refresh_from_db()
        raise wrong_state("QualificationRequest", request.state, "Pending")
    if value is not None:
        _grant(request.type, request.worker, value, now)
    elif reason:
        subject = f"Your request for the qualification {request.type.name} was not granted"
        people.write_to(requester, request.worker, subject, reason, now)


@transaction.atomic(durable=True)
def request_qualification(worker: Worker, type_id: str) -> QualificationRequest:
    """Ask for a qualification; it is granted at once if its type says so."""
    types = QualificationType.objects.select_for_update()
    type_ = types.filter(type_id=type_id, is_active=True, deleted_at=None).first()
    if type_ is None or type_.requester.is_sandbox != worker.is_invented:
        raise NotFound("There is no such qualification.")
    if Qualification.objects.filter(type=type_, worker=worker, is_granted=True).exists():
        raise WrongState("You have this qualification already.")
    last = QualificationRequest.objects.filter(type=type_, worker=worker).order_by("-pk").first()
    if last and last.state == "Pending":
        return last
    if last and type_.retry_seconds is None:
        raise WrongState("This qualification can be requested only once.")
    if last and real_now() < last.at + timedelta(seconds=type_.retry_seconds or 0):
        raise WrongState("It is too early to request this qualification again.")
    state = "Granted" if type_.is_auto_granted else "Pending"
    request = QualificationRequest.objects.create(type=type_, worker=worker, state=state)
    if type_.is_auto_granted:
        _grant(type_, worker, type_.auto_value, request.at)
    return request


def _grant(type_: QualificationType, worker: Worker, value: int, now: datetime) -> None:
    values = {"value": value, "is_granted": True, "granted_at": now}
    Qualification.objects.update_or_create(type=type_, worker=worker, defaults=values)


def _refuse_tests(values: Mapping[str, Any]) -> None:
    for name in TESTS:
        if name in values:
            raise parameter(f"{name} is not supported. This marketplace has no qualification tests.")


def _check_auto_value(values: Mapping[str, Any], *, is_auto: bool) -> None:
    if "AutoGrantedValue" in values and not is_auto:
        raise parameter("AutoGrantedValue needs AutoGranted.")
