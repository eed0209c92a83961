"""Qualification types, and who holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from annotation.marketplace import qualifying, selectors
from annotation.marketplace.errors import missing, parameter, request_error
from annotation.marketplace.models import (
    HITType,
    Qualification,
    QualificationRequest,
    QualificationType,
    Requester,
    Worker,
)
from annotation.marketplace.services import people
from tesa_site.kernel.clock import now as real_now
from tesa_site.kernel.errors import NotFound, WrongState

TESTS = ("Test", "AnswerKey", "TestDurationInSeconds")


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
    found = lock_own_type(requester, type_id)
    found.is_auto_granted = values.get("AutoGranted", found.is_auto_granted)
    _check_auto_value(values, is_auto=found.is_auto_granted)
    found.description = values.get("Description", found.description)
    if "QualificationTypeStatus" in values:
        found.is_active = values["QualificationTypeStatus"] == "Active"
    found.retry_seconds = values.get("RetryDelayInSeconds", found.retry_seconds)
    found.auto_value = values.get("AutoGrantedValue", found.auto_value)
    found.save()
    return found


@transaction.atomic(durable=True)
def delete_type(requester: Requester, type_id: str, now: datetime) -> None:
    """Delete the type and the HIT types that name it; their HITs stay."""
    found = lock_own_type(requester, type_id)
    found.deleted_at = now
    found.save()
    HITType.objects.filter(requester=requester, named__qualification=type_id, deleted_at=None).update(deleted_at=now)


def lock_own_type(requester: Requester, type_id: str) -> QualificationType:
    """Return the requester's own type, locked."""
    found = QualificationType.objects.select_for_update().filter(type_id=type_id, deleted_at=None).first()
    if type_id in qualifying.SYSTEM or (found and found.requester_id != requester.pk):
        raise request_error("PermissionDeniedException", f"The qualification type {type_id} is not yours.")
    if found is None:
        raise missing("QualificationType", type_id)
    return found


@transaction.atomic(durable=True)
def associate(requester: Requester, type_id: str, worker_id: str, value: int, now: datetime, *, notify: bool) -> None:
    """Grant a qualification, or change its score."""
    found = lock_own_type(requester, type_id)
    if not found.is_active:
        message = "This QualificationType is currently in the state 'Inactive'; it must be Active."
        raise request_error("InvalidQualificationTypeState", message)
    worker = selectors.worker_named(worker_id, is_sandbox=requester.is_sandbox)
    _grant(found, worker, value, now)
    QualificationRequest.objects.filter(type=found, worker=worker, state="Pending").update(state="Granted")
    if notify:
        people.write_to(requester, worker, f"You received the qualification {found.name}", f"Score: {value}.", now)


@transaction.atomic(durable=True)
def disassociate(requester: Requester, type_id: str, worker_id: str, reason: str, now: datetime) -> None:
    """Revoke a qualification."""
    found = lock_own_type(requester, type_id)
    worker = selectors.worker_named(worker_id, is_sandbox=requester.is_sandbox)
    held = Qualification.objects.filter(type=found, worker=worker).first()
    if held is None:
        raise missing("Qualification", f"{type_id} of {worker_id}")
    if not held.is_granted:
        raise request_error("InvalidQualificationState", "This qualification was already revoked.")
    Qualification.objects.filter(pk=held.pk).update(is_granted=False)
    if reason:
        people.write_to(requester, worker, f"Your qualification {found.name} was revoked", reason, now)


@transaction.atomic(durable=True)
def decide_request(
    requester: Requester, request_id: str, now: datetime, *, value: int | None, reason: str = ""
) -> None:
    """Grant a pending request with this score; None rejects it."""
    found = QualificationRequest.objects.filter(request_id=request_id).select_related("type", "worker").first()
    if found is None or found.type.deleted_at or found.type.requester_id != requester.pk:
        raise missing("QualificationRequest", request_id)
    lock_own_type(requester, found.type.type_id)
    state = "Rejected" if value is None else "Granted"
    if not QualificationRequest.objects.filter(pk=found.pk, state="Pending").update(state=state, reason=reason):
        found.refresh_from_db()
        message = f"This request is currently in the state '{found.state}'; it must be Pending."
        raise request_error("InvalidQualificationRequestState", message)
    if value is not None:
        _grant(found.type, found.worker, value, now)
    elif reason:
        subject = f"Your request for the qualification {found.type.name} was not granted"
        people.write_to(requester, found.worker, subject, reason, now)


@transaction.atomic(durable=True)
def request_qualification(worker: Worker, type_id: str) -> QualificationRequest:
    """Ask for a qualification; it is granted at once if its type says so."""
    types = QualificationType.objects.select_for_update()
    found = types.filter(type_id=type_id, is_active=True, deleted_at=None).first()
    if found is None or found.requester.is_sandbox != worker.is_invented:
        raise NotFound("There is no such qualification.")
    if Qualification.objects.filter(type=found, worker=worker, is_granted=True).exists():
        raise WrongState("You have this qualification already.")
    last = QualificationRequest.objects.filter(type=found, worker=worker).order_by("-pk").first()
    if last and last.state == "Pending":
        return last
    if last and found.retry_seconds is None:
        raise WrongState("This qualification can be requested once only.")
    if last and real_now() < last.at + timedelta(seconds=found.retry_seconds or 0):
        raise WrongState("It is too early to request this qualification again.")
    state = "Granted" if found.is_auto_granted else "Pending"
    request = QualificationRequest.objects.create(type=found, worker=worker, state=state)
    if found.is_auto_granted:
        _grant(found, worker, found.auto_value, request.at)
    return request


def _grant(found: QualificationType, worker: Worker, value: int, now: datetime) -> None:
    given = {"value": value, "is_granted": True, "granted_at": now}
    Qualification.objects.update_or_create(type=found, worker=worker, defaults=given)


def _refuse_tests(values: Mapping[str, Any]) -> None:
    for name in TESTS:
        if name in values:
            raise parameter(f"{name} is not supported. This marketplace has no qualification tests.")


def _check_auto_value(values: Mapping[str, Any], *, is_auto: bool) -> None:
    if "AutoGrantedValue" in values and not is_auto:
        raise parameter("AutoGrantedValue needs AutoGranted.")
