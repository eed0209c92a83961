"""What a worker has of a qualification type, and what they can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet
from django.utils.timezone import localtime

from kernel.clock import now
from kernel.errors import NotFound, WrongState
from marketplace.models import (
    Qualification,
    QualificationRequest,
    QualificationTest,
    QualificationType,
    Requester,
    Worker,
)
from marketplace.qualification_tests.answers import FormAnswer, read_answers_xml
from marketplace.qualification_tests.form import QuestionForm
from marketplace.qualification_tests.form_reading import read_form
from marketplace.qualification_tests.keys import read_key
from marketplace.qualification_tests.reading import BadTest
from marketplace.qualification_tests.showing import ShownAnswer, shown_answers
from marketplace.states import ON_ITS_WAY, RequestState

MOST_ROWS = 50


@dataclass(frozen=True)
class Standing:
    """A worker and a type at a moment of the requester's clock, which a sandbox account moves."""

    type: QualificationType
    held: Qualification | None
    last: QualificationRequest | None
    moment: datetime

    @property
    def is_under_way(self) -> bool:
        return self.last is not None and is_under_way(self.last, self.moment)

    @property
    def has_lapsed(self) -> bool:
        """Return whether the time for the last test ran out before its answers came."""
        if self.last is None:
            return False
        return self.last.state == RequestState.LAPSED or (
            self.last.state == RequestState.UNDER_WAY and not self.is_under_way
        )

    @property
    def left(self) -> int:
        """Return how many seconds are left for the test."""
        end = self.last.deadline if self.last else None
        return max(0, int((end - self.moment).total_seconds())) if end else 0

    @property
    def is_pending(self) -> bool:
        return self.last is not None and self.last.state == RequestState.PENDING

    @property
    def next_at(self) -> datetime | None:
        """Return when the worker can ask again; None if never, or if they never asked."""
        delay = self.type.retry_seconds
        if self.last is None or delay is None:
            return None
        ended = self.last.deadline if self.has_lapsed else self.last.at
        return (ended or self.last.at) + timedelta(seconds=delay)

    @property
    def next_at_here(self) -> datetime | None:
        """Return next_at by the clock on the wall."""
        return self.next_at and self.next_at - timedelta(seconds=self.type.requester.clock_offset_seconds)

    @property
    def why_not(self) -> str:
        """Return why the worker cannot ask now; "" if they can."""
        if self.held and (self.type.test_id is None or (self.last is None and self.type.retry_seconds is None)):
            return "You have this qualification already."
        if self.last is None:
            return ""
        what = "take this test" if self.type.test_id else "request this qualification"
        if self.next_at is None:
            return f"You can {what} only once."
        if self.moment < self.next_at and self.next_at_here:
            at = f"{localtime(self.next_at_here):%d %b %Y, %H:%M:%S} ({settings.TIME_ZONE})"
            return f"You can {what} again from {at} on."
        return ""


def is_under_way(request: QualificationRequest, moment: datetime) -> bool:
    """Return whether the test can still be sent."""
    is_in_time = request.deadline is not None and moment <= request.deadline + ON_ITS_WAY
    return request.state == RequestState.UNDER_WAY and is_in_time


def standing(worker: Worker, type_: QualificationType, moment: datetime) -> Standing:
    held = Qualification.objects.filter(type=type_, worker=worker, is_granted=True).first()
    last = QualificationRequest.objects.filter(type=type_, worker=worker).order_by("-pk").first()
    return Standing(type_, held, last, moment)


def held(worker: Worker) -> QuerySet[Qualification]:
    """Return what the worker has from requesters."""
    rows = worker.qualifications.filter(is_granted=True, type__deleted_at=None)
    return rows.select_related("type__requester").order_by("type__name")


def asked_for(worker: Worker) -> list[Standing]:
    """Return what the worker asked for and has not been given, the newest first."""
    rows = worker.qualification_requests.filter(type__deleted_at=None).exclude(state=RequestState.GRANTED)
    rows = rows.exclude(type__qualifications__in=held(worker), state__in=(RequestState.REJECTED, RequestState.LAPSED))
    standings = {}
    for request in rows.select_related("type__requester", "type__test", "test").order_by("-pk")[:MOST_ROWS]:
        if request.type_id not in standings:
            moment = now() + timedelta(seconds=request.type.requester.clock_offset_seconds)
            standings[request.type_id] = standing(worker, request.type, moment)
    return list(standings.values())


def offered(worker: Worker, requester: Requester | None = None) -> QuerySet[QualificationType]:
    """Return types that the worker neither has nor has asked for; of one requester, or of all."""
    types = QualificationType.objects.filter(is_active=True, deleted_at=None, requester__is_sandbox=worker.is_invented)
    if requester:
        types = types.filter(requester=requester)
    else:
        types = types.exclude(qualifications__in=held(worker)).exclude(requests__worker=worker)
    return types.select_related("requester", "test").order_by("name")[:MOST_ROWS]


def pending(requester: Requester) -> QuerySet[QualificationRequest]:
    """Return the requests that wait for this requester, the oldest first."""
    rows = QualificationRequest.objects.filter(
        type__requester=requester, type__deleted_at=None, state=RequestState.PENDING
    )
    return rows.select_related("type", "worker", "test").order_by("pk")


def answers_of(request: QualificationRequest) -> list[ShownAnswer]:
    """Return the answers of a request's test as people read them; none if it has no test."""
    if request.test is None or not request.answer:
        return []
    return shown_answers(form_of(request.test), read_answers_xml(request.answer))


def type_for(worker: Worker, type_id: str) -> QualificationType:
    """Return a type that this worker may ask for, or ask about because they did before."""
    types = QualificationType.objects.filter(type_id=type_id, deleted_at=None, requester__is_sandbox=worker.is_invented)
    type_ = types.select_related("requester", "test").first()
    if type_ is None or not (type_.is_active or type_.requests.filter(worker=worker).exists()):
        raise NotFound("There is no such qualification, or its requester does not offer it any more.")
    return type_


def request_of(worker: Worker, request_id: str) -> QualificationRequest:
    requests = QualificationRequest.objects.filter(worker=worker, request_id=request_id)
    request = requests.select_related("type__requester", "test").first()
    if request is None or request.test is None:
        raise NotFound("There is no such test of yours.")
    return request


def form_of(test: QualificationTest) -> QuestionForm:
    """Return the questions; rules for tests may be stricter than when it was stored."""
    try:
        return read_form(test.form)
    except BadTest:
        raise WrongState("This test cannot be shown, because its questions are not valid any more.") from None


def value_of(test: QualificationTest, form: QuestionForm, answers: Mapping[str, FormAnswer]) -> int | None:
    """Return the value that these answers earn by the test's key; None if it has none."""
    if not test.answer_key:
        return None
    try:
        return read_key(test.answer_key, form).value(answers)
    except BadTest:
        raise WrongState("This test cannot be scored, because its key is not valid any more.") from None
