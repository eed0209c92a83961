"""A person's own pages: their answers and earnings, corrections, reports, payment and withdrawal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotation.models import Assignment, AssignmentStatus, CampaignStatus, LateChoice, Participation, PaymentDetail
from annotation.selectors import annotators
from annotation.selectors import payments as payments_selectors
from annotation.selectors.check_tasks import missed
from annotation.services import leaving, payments, problem_reports, submitting
from annotation.task_types import type_of
from annotation.task_types.base import FieldRemark, InvalidAnswer, TaskType, form_of
from annotation.views.work_pages.answering import form_context
from annotation.views.work_pages.frame import frame, render, worker_page
from corpus.items import ITEM_KINDS
from corpus.items.base import shortened
from kernel.errors import InvalidInput

PER_PAGE = 20
CORRECTED = "Your correction is stored."
LATE = {
    LateChoice.COUNT: "came late: the team has decided to count and pay it",
    LateChoice.PAY: "came too late to count: the team has decided to pay it",
    LateChoice.DECLINE: "came too late to count, and is not paid: {reason}",
}


@worker_page
def mine(request: HttpRequest, secret: str) -> HttpResponse:
    """List this person's answers, latest first, with what they earned."""
    person = annotators.participation(secret)
    if person.withdrawn_at:
        return redirect("work", secret)
    page = Paginator(annotators.answers_of(person), PER_PAGE).get_page(request.GET.get("page"))
    rows = [_row(person, assignment) for assignment in page]
    notice = CORRECTED if "corrected" in request.GET else ""
    context = {"rows": rows, "page": page, "notice": notice, "task_type": type_of(person.campaign)}
    return render(request, "annotation/work/mine.html", frame(person) | context)


def _row(person: Participation, assignment: Assignment) -> dict[str, object]:
    annotation, question = assignment.annotation, assignment.task.question
    type_ = type_of(person.campaign)
    about, value = type_.about(question), assignment.task.member.value
    first = _first_read(type_, value)
    is_open = person.campaign.status != CampaignStatus.CLOSED
    explained = missed(person.campaign, assignment.task, annotation)
    return {
        "assignment": assignment,
        "title": first or value.get("title") or about,
        "about": "" if first else about,
        "summary": type_.summary(question, annotation.answer),
        "late": _late(assignment),
        "missed": explained,
        "is_correctable": is_open and not annotation.reviewed_at and not explained,
        "is_reviewed": bool(annotation.reviewed_at),
    }


def _first_read(type_: TaskType, value: Mapping[str, Any]) -> str:
    """Return how the first text that people read begins; "" where the item's title says what it is about."""
    if not type_.texts_read:
        return ""
    texts = ITEM_KINDS[type_.item_kind].texts(type_.read(value))
    return shortened(next((texts[name] for name in type_.texts_read if texts.get(name, "").strip()), ""))


def _late(assignment: Assignment) -> str:
    """Return what became of an answer that came too late to count; "" for any other."""
    decision = getattr(assignment, "late_decision", None)
    if decision is None:
        undecided = "came too late to count: the team has not decided about it yet"
        return undecided if assignment.status == AssignmentStatus.LATE else ""
    return LATE[LateChoice(decision.choice)].format(reason=decision.reason)


@worker_page
def correct(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Change one of this person's answers."""
    assignment = annotators.assignment(secret, assignment_id)
    annotation = submitting.correctable(assignment.participation, assignment_id)
    if request.method != "POST":
        form = type_of(assignment.participation.campaign).form(assignment.task.question, annotation.answer)
        return _correction(request, assignment, form)
    form = form_of(request.POST.lists())
    try:
        submitting.correct(secret, assignment_id, form)
    except InvalidAnswer as refused:
        return _correction(request, assignment, form, refused.remarks)
    return redirect(reverse("work-mine", args=[secret]) + "?corrected")


def _correction(
    request: HttpRequest, assignment: Assignment, form: dict[str, str], remarks: tuple[FieldRemark, ...] = ()
) -> HttpResponse:
    person = assignment.participation
    shown = form_context(person.campaign, assignment.task, form, remarks, person=person.pk)
    context = frame(person) | shown | {"assignment": assignment}
    return render(request, "annotation/work/correct.html", context, status=422 if remarks else 200)


@worker_page
def report(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Report a problem with a text."""
    assignment = annotators.assignment(secret, assignment_id)
    type_ = type_of(assignment.participation.campaign)
    context = frame(assignment.participation) | {"assignment": assignment, "task_type": type_, "is_sent": False}
    context["about"] = type_.about(assignment.task.question)
    if request.method == "POST":
        try:
            problem_reports.report_problem(secret, assignment_id, request.POST.get("text", ""))
        except InvalidInput as refused:
            return render(request, "annotation/work/report.html", context | {"refused": refused}, status=422)
        context["is_sent"] = True
    return render(request, "annotation/work/report.html", context)


@worker_page
def payment(request: HttpRequest, secret: str) -> HttpResponse:
    """Ask an invited person how they want to be paid. The text is never shown to them again: only the team reads it."""
    person = annotators.participation(secret)
    if not payments_selectors.may_leave_detail(person):
        return redirect("work", secret)
    notice, refused = "", None
    if request.method == "POST":
        try:
            is_kept = payments.save_detail(secret, request.POST.get("detail", ""))
            notice = "Your payment detail is stored." if is_kept else "Nothing is stored any more."
        except InvalidInput as error:
            refused = error
    context = frame(person) | {
        "detail": PaymentDetail.objects.filter(participation=person).first(),
        "notice": notice,
        "refused": refused,
        "longest": payments.LONGEST_DETAIL,
        "days": payments.DETAIL_DAYS,
    }
    return render(request, "annotation/work/payment.html", context, status=422 if refused else 200)


@worker_page
def leave(request: HttpRequest, secret: str) -> HttpResponse:
    """Withdraw, after one question; somebody who has not agreed yet declines, without one."""
    if request.method != "POST":
        person = annotators.participation(secret)
        if person.withdrawn_at:
            return redirect("work", secret)
        return render(request, "annotation/work/leave.html", frame(person))
    person, completion = leaving.withdraw(secret)
    if person.consented_at is None:
        return render(request, "annotation/work/declined.html", frame(person) | {"completion": completion})
    context = {"completion": completion, "may_leave_detail": payments_selectors.may_leave_detail(person)}
    return render(request, "annotation/work/withdrawn.html", frame(person) | context)
