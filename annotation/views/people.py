"""The people of a campaign: what they did, what the filters saw, and what the team decides."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotation.models import Campaign, Participation, ProblemReport
from annotation.selectors import people as selectors
from annotation.selectors import progress
from annotation.selectors.progress import progress_of
from annotation.services import people as services
from annotation.services import people_checks
from annotation.task_types import TASK_TYPES
from tesa_site.kernel import jobs
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import counted
from tesa_site.kernel.views.access import requires, signed_in

DECISIONS = {
    "exclude": (services.exclude, "Their answers do not count any more, and others are asked. They stay paid."),
    "include": (services.include, "Their answers count again."),
}
PER_PAGE = 50
AT_ONCE = 2000  # answers that are checked while the page waits; more are checked by a job
SHOWN = 100  # late answers and reports on one page


@requires("annotation.view_participation")
def people_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    show = request.GET.get("show", "")
    show = show if show in ("seen", "excluded") else ""
    page = Paginator(selectors.participations(campaign, show=show), PER_PAGE).get_page(request.GET.get("page"))
    type_ = TASK_TYPES[campaign.task_type]
    late = [
        (turn, selectors.pseudonym_of(campaign, turn.participation.worker), type_.summary(turn.annotation.answer))
        for turn in selectors.late_answers(campaign)[:SHOWN]
    ]
    reports = [
        (report, selectors.pseudonym_of(campaign, report.assignment.participation.worker))
        for report in selectors.reports(campaign)[:SHOWN]
    ]
    is_over = selectors.has_no_task_left(campaign)
    context = {
        "campaign": campaign,
        "page": page,
        "people": [selectors.person_of(campaign, row, is_over=is_over) for row in page],
        "show": show,
        "progress": progress_of(campaign),
        "filters": type_.worker_filters,
        "check_job": people_checks.open_job(campaign),
        "late": late,
        "reports": reports,
    }
    return render(request, "annotation/campaigns/people.html", context)


@requires("annotation.view_participation")
def person_page(request: HttpRequest, person_id: int) -> HttpResponse:
    return _person_page(request, person_id)


def _person_page(request: HttpRequest, person_id: int, problem: str = "") -> HttpResponse:
    row = get_object_or_404(Participation.objects.select_related("campaign", "worker", "invite"), pk=person_id)
    summary = TASK_TYPES[row.campaign.task_type].summary
    page = Paginator(selectors.answers_of(row), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": row.campaign,
        "person": selectors.person_of(row.campaign, row, is_over=selectors.has_no_task_left(row.campaign)),
        "page": page,
        "answers": [(annotation, summary(annotation.answer)) for annotation in page],
        "problem": problem,
    }
    return render(request, "annotation/campaigns/person.html", context, status=422 if problem else 200)


@require_POST
@requires("annotation.change_participation")
def look(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Run the filters: at once if there are few answers, otherwise in a job."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    if progress_of(campaign).answers > AT_ONCE:
        job = people_checks.start(campaign, by=signed_in(request))
        jobs.nudge(job)
        return redirect("job", job.pk)
    number = services.look_at_people(campaign)
    messages.success(request, f"The filters have {counted(number, 'remark')}. They decide nothing.")
    return redirect("campaign-people", campaign.pk)


@require_POST
@requires("annotation.change_participation")
def decide(request: HttpRequest, person_id: int) -> HttpResponse:
    person = get_object_or_404(Participation, pk=person_id)
    action, reason = request.POST.get("action", ""), request.POST.get("reason", "")
    if action not in DECISIONS:
        raise InvalidInput("must be exclude or include", field="action")
    service, told = DECISIONS[action]
    try:
        service(person.pk, reason=reason, by=signed_in(request))
    except InvalidInput as refused:
        return _person_page(request, person.pk, f"{refused.problem[:1].upper()}{refused.problem[1:]}.")
    messages.success(request, told)
    progress.forget(person.campaign)
    return redirect("campaign-person", person.pk)


@require_POST
@requires("annotation.change_participation")
def settle_report(request: HttpRequest, report_id: int) -> HttpResponse:
    report = get_object_or_404(ProblemReport.objects.select_related("assignment"), pk=report_id)
    services.settle_report(report.pk, by=signed_in(request))
    messages.success(request, "The report is settled.")
    return redirect("campaign-people", report.assignment.campaign_id)
