"""The people of a campaign: what they did, what the filters saw, and what the team decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Annotation, Campaign, Participation, ProblemReport
from annotation.quality.verdicts import DECISIONS as VERDICTS
from annotation.selectors import participants as selectors
from annotation.selectors import progress
from annotation.selectors.check_tasks import MOST_SHOWN, check_answers
from annotation.selectors.grants import grants_of
from annotation.selectors.review import decision_label
from annotation.services import excluding, people_checks, problem_reports, stopping
from annotation.services.market import blocking, following, marketplaces, spending
from annotation.task_types import type_of
from annotation.task_types.base import TaskType
from annotation.views import grants
from kernel import jobs
from kernel.errors import InvalidInput
from kernel.values import counted
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_stream
from kernel.views.jobs import follow
from kernel.views.paging import KeyPaginator
from kernel.views.ticked import ids_in


@dataclass(frozen=True)
class Decision:
    """What can be decided about people: the verb, what follows, the service, how the outcome reads, and about whom."""

    verb: str
    tells: str
    do: Callable[..., Participation]
    done: str
    past: str
    who: str
    is_grave: bool = False


DECISIONS = {
    "exclude": Decision(
        "Exclude",
        "Their answers no longer count. They keep what they earned.",
        excluding.exclude,
        "excluded.",
        "excluded",
        "who is not excluded and has not withdrawn",
        is_grave=True,
    ),
    "include": Decision(
        "Include",
        "Their answers count again, beside those given in the meantime.",
        excluding.include,
        "included again.",
        "included again",
        "who is excluded",
    ),
    "go-on": Decision(
        "Undo the stop of",
        "They get tasks again. The limit of trust acts again after {tests}.",
        stopping.undo_stop,
        "can go on.",
        "let go on",
        "who gets no more tasks because of their trust",
    ),
    "block": Decision(
        "Block",
        "The marketplace offers them no task of this account, in any campaign. Their answers still count and are paid. "
        "Exclude them as well if the answers should not count.",
        blocking.block,
        "blocked. A job tells the marketplace.",
        "blocked",
        "who is not blocked and has not withdrawn",
        is_grave=True,
    ),
    "unblock": Decision(
        "Unblock",
        "The marketplace offers them tasks of this account again.",
        blocking.unblock,
        "unblocked. A job tells the marketplace.",
        "unblocked",
        "who is blocked",
    ),
}
ON_MARKETPLACES = ("block", "unblock")
INSTEAD = "Other people are asked instead."
PAID_LATER = (  # excluding people spends nothing
    "Other people are asked instead once somebody who may spend presses “Publish, collect and pay now” on the "
    "Marketplace tab."
)
PER_PAGE = 50
AT_ONCE = 2000  # answers that are checked while the page waits; more are checked by a job
SHOW = ("working", "seen", "stopped", "excluded", "late", "reports")
SHOWN = 100  # late answers and reports on one page


@dataclass(frozen=True)
class Asked:
    """What the list is asked for; "" and 0 mean everything, warnings first."""

    show: str = ""
    sort: str = ""
    number: int = 0

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Asked:
        """Return the filters in a query string; unknown values are ignored. Words may be "Participant 7" or "7"."""
        show, sort = query.get("show", ""), query.get("sort", "")
        digits = re.search(r"[0-9]{1,9}$", query.get("words", "").strip())
        sort = sort if sort.removeprefix("-") in selectors.SORTS else ""
        return cls(show if show in SHOW else "", sort, int(digits[0]) if digits else 0)


@requires("annotation.view_participation")
def people_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    asked = Asked.from_query(request.GET)
    participations = selectors.participations(campaign, **vars(asked))
    page = KeyPaginator(participations, PER_PAGE).get_page(request.GET.get("page"))
    is_over = selectors.has_no_task_left(campaign)
    how_far = progress.progress_of(campaign)
    of_everybody = {"answers": how_far.sent, "earned": how_far.earned}  # added up there already
    context = {
        **vars(asked),
        "campaign": campaign,
        "page": page,
        "people": [selectors.person_of(campaign, row, is_over=is_over) for row in page],
        "totals": selectors.totals(participations) if asked.show or asked.number else of_everybody,
        "progress": how_far,
        "filters": type_of(campaign).worker_filters,
        "check_job": people_checks.open_job(campaign),
        "warned": selectors.warned(campaign),
        "stopped": selectors.participations(campaign, show="stopped").count(),
        "excluded": selectors.participations(campaign, show="excluded").count(),
    }
    if asked.show == "late":
        context["late"] = selectors.late_rows(campaign, selectors.late_answers(campaign)[:SHOWN])
    elif asked.show == "reports":
        context["reports"] = selectors.reports(campaign)[:SHOWN]
    return render(request, "annotation/campaigns/people.html", context)


@requires("annotation.view_participation")
def people_file(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Return everybody whom the filters let through, not only the page shown."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    rows = selectors.participations(campaign, **vars(Asked.from_query(request.GET)))
    name = f"campaign-{campaign.pk}-participants.csv"
    return csv_stream(request, name, selectors.COLUMNS, selectors.cells(campaign, rows))


@requires("annotation.view_participation")
def person_page(request: HttpRequest, person_id: int) -> HttpResponse:
    row = get_object_or_404(Participation.objects.select_related("campaign", "worker", "invite"), pk=person_id)
    type_ = type_of(row.campaign)
    page = Paginator(selectors.answers_of(row), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": row.campaign,
        "person": selectors.person_of(row.campaign, row, is_over=selectors.has_no_task_left(row.campaign)),
        "page": page,
        "checks": check_answers(row),
        "held": grants_of(row.worker) if not row.withdrawn_at else (),
        "stops": row.stops.select_related("undone_by").order_by("-pk"),
        "most_checks": MOST_SHOWN,
        "answers": [_listed(annotation, type_) for annotation in page],
    }
    return render(request, "annotation/campaigns/person.html", context)


def _listed(annotation: Annotation, type_: TaskType) -> tuple[Annotation, str, str, str]:
    """Return an answer with what it is about, itself in one line, and what reviewers have decided."""
    decision = decision_label(type_, annotation.verdict, annotation.corrected) if annotation.verdict in VERDICTS else ""
    question = annotation.assignment.task.question
    return annotation, type_.headline(question), type_.summary(question, annotation.answer), decision


@require_POST
@requires("annotation.change_participation")
def look(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Run the filters: at once if there are few answers, otherwise in a job."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    if progress.progress_of(campaign).answers > AT_ONCE:
        return follow(request, people_checks.start(campaign, by=signed_in(request)))
    number = people_checks.look_at_people(campaign)
    messages.success(request, f"The quality checks gave {counted(number, 'warning')}. You decide what follows.")
    return redirect("campaign-people", campaign.pk)


@requires("annotation.change_participation")
def decide(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Ask whether to exclude these people, or to include them again, and why; do it when that was confirmed."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    data = request.POST if request.method == "POST" else request.GET
    action = data.get("action", "")
    if action == "grant":
        return grants.give(request, campaign, ids_in(data, "person"))
    if action not in DECISIONS or (action in ON_MARKETPLACES and not marketplaces.is_marketplace(campaign)):
        raise InvalidInput(
            "must be exclude, include, go-on or grant, or on a marketplace block or unblock", field="action"
        )
    ids = ids_in(data, "person")
    decision, people = DECISIONS[action], selectors.to_decide(campaign, ids, action)
    problem, instead = "", ""
    if action == "exclude":
        instead = PAID_LATER if spending.costs_money(campaign) else INSTEAD
    if request.method == "POST" and people:
        try:
            for person in people:
                decision.do(person.pk, reason=data.get("reason", ""), by=signed_in(request))
        except InvalidInput as refused:
            problem = f"{refused.problem[:1].upper()}{refused.problem[1:]}."
        else:
            progress.forget(campaign)
            if job := following.start(campaign, by=signed_in(request)):
                jobs.nudge(job)
            messages.success(request, f"{counted(len(people), 'participant')} {decision.done} {instead}".strip())
            return redirect("campaign-person", ids[0]) if len(ids) == 1 else redirect("campaign-people", campaign.pk)
    context = {
        "campaign": campaign,
        "action": action,
        "decision": decision,
        "tells": decision.tells.format(tests=counted(campaign.trust_tests, "further check task")),
        "people": people,
        "names": [person.name for person in people],
        "answers": sum(person.answered for person in people),
        "reason": data.get("reason", ""),
        "problem": problem,
        "instead": instead,
    }
    return render(request, "annotation/campaigns/decide.html", context, status=422 if problem else 200)


@require_POST
@requires("annotation.change_participation")
def settle_report(request: HttpRequest, report_id: int) -> HttpResponse:
    report = get_object_or_404(ProblemReport.objects.select_related("assignment"), pk=report_id)
    problem_reports.settle_report(report.pk, by=signed_in(request))
    messages.success(request, "Report settled.")
    return redirect(reverse("campaign-people", args=[report.assignment.campaign_id]) + "?show=reports")
