"""How far people agree: one number first, then what it is made of."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.models import AgreementReport, Campaign
from annotation.plots import agreement as plots
from annotation.quality.report import as_json, in_words
from annotation.selectors import agreement as selectors
from annotation.selectors import assessed
from annotation.task_types import TASK_TYPES
from annotation.task_types.base import template_of
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.plots.drawing import Plot
from tesa_site.kernel.views.access import requires
from tesa_site.kernel.views.downloads import csv_download
from tesa_site.kernel.views.plots import svg, svg_file

REVIEWED = (
    "What the first and the second reviewer decided of the same answer, as of now: "
    "accept, correct (in whatever words), exclude{}."
)


@requires("annotation.view_agreementreport")
def campaign_list(request: HttpRequest) -> HttpResponse:
    campaigns = [*selectors.campaigns()]
    types = {campaign.task_type for campaign in campaigns}
    words = TASK_TYPES[types.pop()].answer_words if len(types) == 1 else None  # headings that suit every row
    context = {"rows": [(campaign, selectors.main_figures(campaign)) for campaign in campaigns], "words": words}
    return render(request, "annotation/agreement/list.html", context)


@requires("annotation.view_agreementreport")
def campaign_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    reports = AgreementReport.objects.filter(campaign=campaign).select_related("campaign").defer("by_instance")
    report = reports.first()
    answers = selectors.answers_now(campaign)
    changed = report is not None and report.measured_on != answers.mark
    context: dict[str, Any] = {"campaign": campaign, "report": report, "answers": answers.number}
    context["assessment"] = assessed.assessment(campaign, is_due=changed)
    context["queues_without_worker"] = kernel_selectors.queues_without_worker(["default"])
    if report and report.answers:
        type_ = TASK_TYPES[campaign.task_type]
        words = type_.answer_words
        alpha, people = report.value["labels"][0], selectors.people(report)
        simulated = sum(person["is_simulated"] for person in people)
        context |= {
            "words": words,
            "type_part": template_of(type_, "agreement"),
            "alpha": alpha,
            "meaning": in_words(alpha, words),
            "value": report.value,
            "people": people,
            "simulated": simulated,
            "authors": selectors.authors(len(people) - simulated, simulated),
            "least": selectors.least_agreed(report),
            "reviewers": [as_json(selectors.reviewers(campaign))],
            "reviewed": REVIEWED.format(f" or {words.nothing_fits}" if words.nothing_fits else ""),
            "new_answers": answers.number - report.answers,
            "plots": [(kind, plots.caption(kind, words), svg(_plot(report, kind))) for kind in plots.SPECS],
        }
    return render(request, "annotation/agreement/campaign.html", context)


def _plot(report: AgreementReport, kind: str) -> Plot | None:
    measured = {"worker": "same", "type": "alpha", "day": "day"}[kind]
    rows = [row for row in selectors.plot_rows(report, kind) if row[measured] is not None]
    return plots.plot(kind, rows, TASK_TYPES[report.campaign.task_type].answer_words)


@requires("annotation.view_agreementreport")
def plot(request: HttpRequest, campaign_id: int, kind: str, format: str) -> HttpResponse:
    """Return a plot, or its numbers, as a file; instances have numbers only."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    report = get_object_or_404(AgreementReport.objects.select_related("campaign"), campaign=campaign)
    if format == "svg":
        plot = _plot(report, kind) if kind in plots.SPECS else None
        if plot is None:
            raise Http404
        return svg_file(plot, f"agreement-by-{kind}")
    rows = selectors.plot_rows(report, kind)
    columns = [*rows[0]] if rows else ["nothing"]
    return csv_download(
        request, f"agreement-by-{kind}.csv", columns, ([row.get(name) for name in columns] for row in rows)
    )
