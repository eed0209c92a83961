"""Qualifications on the worker site: what a worker holds and can get, and tests."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from kernel.clock import now
from kernel.errors import WrongState
from marketplace import qualifying
from marketplace.forms import AboutForm
from marketplace.models import QualificationRequest, Worker
from marketplace.qualification_tests.answers import BadAnswers, Fields
from marketplace.qualification_tests.showing import shown_parts
from marketplace.selectors import requests, site
from marketplace.selectors.workers import holdings_of
from marketplace.services import accounts, joining, requesting
from marketplace.states import RequestState
from marketplace.views.access import for_workers, page


@require_http_methods(["GET", "HEAD", "POST"])
@for_workers
def qualification_list(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show what the worker holds, asked for and can ask for; a POST changes what they state about themselves."""
    about = {"country": worker.country, "subdivision": worker.subdivision, "is_adult": worker.is_adult}
    form = AboutForm(request.POST or None, initial=about)
    if request.method == "POST" and form.is_valid():
        joining.describe(worker, **form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("marketplace-qualifications")
    values = holdings_of(worker).values
    return page(
        request, "qualifications", worker, 422 if form.errors else 200, form=form, held=requests.held(worker),
        asked=requests.asked_for(worker), others=requests.offered(worker),
        rate=values[qualifying.APPROVAL_RATE], approved=values[qualifying.APPROVED],
    )  # fmt: skip


@require_safe
@for_workers
def offered(request: HttpRequest, worker: Worker, requester_id: int) -> HttpResponse:
    """Show the qualifications of one requester."""
    requester = site.requester_for(worker, requester_id)
    rows = requests.offered(worker, requester)
    return page(request, "offered", worker, requester=requester, others=rows, section="qualifications")


@require_http_methods(["GET", "HEAD", "POST"])
@for_workers
def qualification(request: HttpRequest, worker: Worker, type_id: str) -> HttpResponse:
    """Show a type, and where the worker stands; a POST asks for it, or begins its test."""
    if request.method == "POST":
        return _ask(request, worker, type_id)
    type_ = requests.type_for(worker, type_id)
    standing = requests.standing(worker, type_, accounts.time_of(type_.requester))
    return page(
        request, "qualification", worker, standing=standing, type=type_, hits=site.offers_naming(worker, type_id),
        questions=len(requests.form_of(type_.test).questions) if type_.test else 0,
    )  # fmt: skip


def _ask(request: HttpRequest, worker: Worker, type_id: str) -> HttpResponse:
    asked = requesting.request_qualification(worker, type_id)
    if asked.state == RequestState.UNDER_WAY:
        return redirect("marketplace-test", asked.request_id)
    is_granted = asked.state == RequestState.GRANTED
    messages.success(
        request, "You have the qualification now." if is_granted else "Requested. The requester will decide."
    )
    return redirect("marketplace-qualifications")


@require_http_methods(["GET", "HEAD", "POST"])
@for_workers
def take_test(request: HttpRequest, worker: Worker, request_id: str) -> HttpResponse:
    """Show a test with the time that is left; a POST sends its answers. Afterwards the type's page shows the result."""
    if request.method != "POST":
        return _test_page(request, worker, requests.request_of(worker, request_id), None, {})
    fields = {name: [str(value) for value in values] for name, values in request.POST.lists()}
    try:
        taken = requesting.submit_test(worker, request_id, fields)
    except BadAnswers as error:
        return _test_page(request, worker, requests.request_of(worker, request_id), fields, dict(error.problems))
    except WrongState as error:
        messages.error(request, str(error))
        return _after(requests.request_of(worker, request_id))
    messages.success(request, "Your answers were sent." if taken.answer else "This test has ended.")
    return _after(taken)


def _after(taken: QualificationRequest) -> HttpResponse:
    """Lead to the page of the type; one that was deleted has none."""
    if taken.type.deleted_at:
        return redirect("marketplace-qualifications")
    return redirect("marketplace-qualification", taken.type.type_id)


def _test_page(
    request: HttpRequest, worker: Worker, taken: QualificationRequest, sent: Fields | None, problems: dict[str, str]
) -> HttpResponse:
    moment = accounts.time_of(taken.type.requester)
    if taken.type.deleted_at:
        messages.error(request, "The requester has withdrawn this qualification.")
        return _after(taken)
    if not requests.is_under_way(taken, moment) or taken.test is None or taken.deadline is None:
        return _after(taken)
    left = max(0, int((taken.deadline - moment).total_seconds()))
    parts = shown_parts(requests.form_of(taken.test), sent, problems)
    return page(
        request, "test", worker, 422 if problems else 200, taken=taken, type=taken.type, parts=parts, left=left,
        ends=now() + timedelta(seconds=left), wrong=[part for part in parts if part.problem],
    )  # fmt: skip
