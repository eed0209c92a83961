"""Qualification types, and who holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from marketplace import qualifying
from marketplace.errors import missing, parameter, refused, request_error, wrong_state
from marketplace.models import (
    HITType,
    Qualification,
    QualificationRequest,
    QualificationTest,
    QualificationType,
    Requester,
    Worker,
)
from marketplace.qualification_tests.form_reading import read_form
from marketplace.qualification_tests.keys import read_key
from marketplace.qualification_tests.reading import BadTest
from marketplace.selectors.workers import worker_named
from marketplace.services import people
from marketplace.states import OPEN_REQUEST, RequestState


@transaction.atomic(durable=True)
def create_type(requester: Requester, values: Mapping[str, Any], now: datetime) -> QualificationType:
    """Add a type. A TestDurationInSeconds without a Test means nothing and is ignored."""
    is_auto = values.get("AutoGranted", False)
    _check_auto_value(values, is_auto=is_auto)
    test = _new_test(values, now)
    _check_test_or_auto(has_test=test is not None, is_auto=is_auto)
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
                test=test,
                created_at=now,
            )
    except IntegrityError:
        message = f"You have already created a QualificationType with this name: {values['Name']}"
        raise request_error("QualificationTypeAlreadyExists", message) from None


@transaction.atomic(durable=True)
def update_type(requester: Requester, type_id: str, values: Mapping[str, Any], now: datetime) -> QualificationType:
    """Change a type. A test is replaced as a whole; workers who have begun the old one finish it."""
    type_ = lock_own_type(requester, type_id)
    if type_.test_id and "Test" not in values and "TestDurationInSeconds" in values:
        raise parameter("TestDurationInSeconds needs Test: a test is replaced as a whole, with its duration and key.")
    type_.is_auto_granted = values.get("AutoGranted", type_.is_auto_granted)
    _check_auto_value(values, is_auto=type_.is_auto_granted)
    type_.test = _new_test(values, now) or type_.test
    _check_test_or_auto(has_test=type_.test is not None, is_auto=type_.is_auto_granted)
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
    grant(type_, worker, value, now)
    requests = QualificationRequest.objects.filter(type=type_, worker=worker, state__in=OPEN_REQUEST)
    requests.update(state=RequestState.GRANTED, value=value)
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
    sent = QualificationRequest.objects.exclude(state__in=(RequestState.UNDER_WAY, RequestState.LAPSED))
    request = sent.filter(request_id=request_id).select_related("type", "worker").first()
    if request is None or request.type.deleted_at or request.type.requester_id != requester.pk:
        raise missing("QualificationRequest", request_id)
    lock_own_type(requester, request.type.type_id)
    state = RequestState.REJECTED if value is None else RequestState.GRANTED
    pending = QualificationRequest.objects.filter(pk=request.pk, state=RequestState.PENDING)
    if not pending.update(state=state, reason=reason, value=value):
        request.refresh_from_db()
        raise wrong_state("QualificationRequest", request.state, RequestState.PENDING)
    if value is not None:
        grant(request.type, request.worker, value, now)
    elif reason:
        subject = f"Your request for the qualification {request.type.name} was not granted"
        people.write_to(requester, request.worker, subject, reason, now)


def grant(type_: QualificationType, worker: Worker, value: int, now: datetime) -> None:
    """Give a worker the qualification with this value, also in the place of another value."""
    values = {"value": value, "is_granted": True, "granted_at": now}
    Qualification.objects.update_or_create(type=type_, worker=worker, defaults=values)


def _new_test(values: Mapping[str, Any], now: datetime) -> QualificationTest | None:
    """Store the test that a call describes, once it and its key were read; None if the call describes none."""
    if "Test" not in values:
        if "AnswerKey" in values:
            raise parameter("AnswerKey needs Test, the questions that it scores.")
        return None
    if "TestDurationInSeconds" not in values:
        raise parameter("Test needs TestDurationInSeconds, the time that workers have for it.")
    try:
        form = read_form(values["Test"])
        if "AnswerKey" in values:
            read_key(values["AnswerKey"], form)
    except BadTest as error:
        raise refused("ParameterValidationError", str(error)) from None
    return QualificationTest.objects.create(
        form=values["Test"],
        answer_key=values.get("AnswerKey", ""),
        seconds=values["TestDurationInSeconds"],
        created_at=now,
    )


def _check_auto_value(values: Mapping[str, Any], *, is_auto: bool) -> None:
    if "AutoGrantedValue" in values and not is_auto:
        raise parameter("AutoGrantedValue needs AutoGranted.")


def _check_test_or_auto(*, has_test: bool, is_auto: bool) -> None:
    if has_test and is_auto:
        raise parameter("A type with a Test cannot be AutoGranted: workers have to take the test.")
