"""What a person has done: their answers and earnings, corrections, reports, and leaving for good."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation import selectors
from annotation.models import Assignment, AssignmentStatus, CampaignStatus, Participation
from annotation.services import leaving, reporting, submitting
from annotation.task_types import TASK_TYPES
from annotation.task_types.base import FieldFinding, InvalidAnswer
from annotation.views.doors import INVITED, INVITED_PATH
from annotation.views.frame import frame, worker_page
from annotation.views.work import form_context

PER_PAGE = 20


@worker_page
def mine(request: HttpRequest, secret: str) -> HttpResponse:
    """My answers, the latest first, and what they earned."""
    person = selectors.participation(secret)
    if person.withdrawn_at:
        return redirect("work", secret)
    page = Paginator(selectors.answers_of(person), PER_PAGE).get_page(request.GET.get("page"))
    rows = [_row(person, one) for one in page]
    return render(request, "annotation/work/mine.html", frame(person) | {"rows": rows, "page": page})


def _row(person: Participation, assignment: Assignment) -> dict[str, object]:
    annotation = assignment.annotation
    question = assignment.task.question
    is_open = person.campaign.status != CampaignStatus.CLOSED
    return {
        "assignment": assignment,
        "about": assignment.task.member.value.get("title") or question.get("discussed", ""),
        "discussed": question.get("discussed", ""),
        "summary": TASK_TYPES[person.campaign.task_type].summary(annotation.answer),
        "is_late": assignment.status == AssignmentStatus.LATE,
        "is_correctable": is_open and not annotation.reviewed_at,
        "is_reviewed": bool(annotation.reviewed_at),
    }


@worker_page
def correct(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """One of my answers, to be changed."""
    assignment = selectors.assignment(secret, assignment_id)
    annotation = submitting.correctable(assignment.participation, assignment_id)
    if request.method != "POST":
        form = TASK_TYPES[assignment.participation.campaign.task_type].form(annotation.answer)
        return _correction(request, assignment, form)
    form = request.POST.dict()
    try:
        submitting.correct(secret, assignment_id, form)
    except InvalidAnswer as refused:
        return _correction(request, assignment, form, refused.findings)
    return redirect("work-mine", secret)


def _correction(
    request: HttpRequest, assignment: Assignment, form: dict[str, str], findings: tuple[FieldFinding, ...] = ()
) -> HttpResponse:
    person = assignment.participation
    context = frame(person) | form_context(person, assignment, form, findings) | {"assignment": assignment}
    return render(request, "annotation/work/correct.html", context, status=422 if findings else 200)


@worker_page
def report(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Something is wrong with a text: a word about it, if the person likes."""
    assignment = selectors.assignment(secret, assignment_id)
    is_sent = request.method == "POST"
    if is_sent:
        reporting.report_problem(secret, assignment_id, request.POST.get("text", ""))
    context = frame(assignment.participation) | {"assignment": assignment, "is_sent": is_sent}
    return render(request, "annotation/work/report.html", context)


@worker_page
def leave(request: HttpRequest, secret: str) -> HttpResponse:
    """Withdraw: asked once, then done."""
    if request.method != "POST":
        person = selectors.participation(secret)
        if person.withdrawn_at:
            return redirect("work", secret)
        return render(request, "annotation/work/leave.html", frame(person))
    person, completion = leaving.withdraw(secret)
    response = render(request, "annotation/work/withdrawn.html", frame(person) | {"completion": completion})
    response.delete_cookie(INVITED, path=INVITED_PATH, samesite="Lax")
    return response
