"""What workers do to get a qualification: ask for it, and take its test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.db import transaction

from kernel.errors import NotFound, WrongState
from marketplace.models import QualificationRequest, QualificationType, Worker
from marketplace.qualification_tests.answers import BadAnswers, FormAnswer, answers_xml, read_answers
from marketplace.qualification_tests.form import QuestionForm
from marketplace.selectors.requests import form_of, is_under_way, request_of, standing, value_of
from marketplace.services import accounts
from marketplace.services.qualifications import grant
from marketplace.states import RequestState

WITHDRAWN = "The requester has withdrawn this qualification, so your answers were not saved."
LATE = "The time for this test ran out, so your answers were not saved."


@transaction.atomic(durable=True)
def request_qualification(worker: Worker, type_id: str) -> QualificationRequest:
    """Ask for a qualification: it is granted at once, waits for its requester, or the time for its test begins.

    Asking again returns the request that is still open.
    """
    types = QualificationType.objects.select_for_update()
    type_ = types.filter(type_id=type_id, is_active=True, deleted_at=None).first()
    if type_ is None or type_.requester.is_sandbox != worker.is_invented:
        raise NotFound("There is no such qualification.")
    moment = accounts.time_of(type_.requester)
    now_standing = standing(worker, type_, moment)
    if now_standing.last and (now_standing.is_under_way or now_standing.is_pending):
        return now_standing.last
    if now_standing.why_not:
        raise WrongState(now_standing.why_not)
    if now_standing.last and now_standing.last.state == RequestState.UNDER_WAY:
        _lapse(now_standing.last)
    request = QualificationRequest(type=type_, worker=worker, at=moment)
    if type_.test is not None:
        request.test, request.state = type_.test, RequestState.UNDER_WAY
        request.deadline = moment + timedelta(seconds=type_.test.seconds)
    elif type_.is_auto_granted:
        request.state, request.value = RequestState.GRANTED, type_.auto_value
        grant(type_, worker, type_.auto_value, moment)
    request.save()
    return request


def submit_test(worker: Worker, request_id: str, fields: Mapping[str, Sequence[str]]) -> QualificationRequest:
    """Store the answers of a test, and grant the qualification if a key scores them; repeating it changes nothing.

    Raise BadAnswers, and store nothing, if a question needs another answer.
    """
    request = request_of(worker, request_id)
    if request.state != RequestState.UNDER_WAY or request.test is None:
        return request
    if request.type.deleted_at:
        raise WrongState(WITHDRAWN)
    if not is_under_way(request, accounts.time_of(request.type.requester)):
        raise WrongState(LATE)
    form = form_of(request.test)
    answers, problems = read_answers(form, fields)
    if problems:
        raise BadAnswers(problems)
    return _store(request, form, answers, value_of(request.test, form, answers))


@transaction.atomic(durable=True)
def _store(
    request: QualificationRequest, form: QuestionForm, answers: Mapping[str, FormAnswer], value: int | None
) -> QualificationRequest:
    """Store the answers of a test that is still under way; whoever is second finds it stored."""
    type_ = QualificationType.objects.select_for_update().get(pk=request.type_id)
    locked = QualificationRequest.objects.select_for_update().get(pk=request.pk)
    moment = accounts.time_of(type_.requester)
    if locked.state != RequestState.UNDER_WAY:
        return locked
    if type_.deleted_at:
        raise WrongState(WITHDRAWN)
    if not is_under_way(locked, moment):
        raise WrongState(LATE)
    locked.answer, locked.at, locked.value = answers_xml(form, answers), moment, value
    locked.state = RequestState.PENDING if value is None else RequestState.GRANTED
    locked.save(update_fields=["answer", "at", "value", "state"])
    if value is not None:
        grant(type_, locked.worker, value, moment)
    return locked


def _lapse(request: QualificationRequest) -> None:
    """Close a test that was never sent. The delay until the next try counts from its end."""
    request.state, request.at = RequestState.LAPSED, request.deadline or request.at
    request.save(update_fields=["state", "at"])
