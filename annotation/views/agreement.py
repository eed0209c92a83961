"""How far people agree: one number first, then what it is made of."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.models import AgreementReport, Campaign
from annotation.plots import agreement as plots
from annotation.quality.report import in_words, told
from annotation.selectors import agreement as selectors
from annotation.selectors import assessed
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.plots.drawing import Plot
from tesa_site.kernel.views.access import requires
from tesa_site.kernel.views.downloads import csv_download
from tesa_site.kernel.views.plots import svg, svg_file

CAPTIONS = {
    "worker": "Each dot is a person: how often they give the same phrase as the others, and how much they did.",
    "type": "Agreement on whether there is a phrase, by the type of the entities; the dashed line is chance.",
    "day": "Pairs of people who agree, by the day of an instance’s last answer.",
}


@requires("annotation.view_agreementreport")
def campaign_list(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/agreement/list.html", {"campaigns": selectors.campaigns()})


@requires("annotation.view_agreementreport")
def campaign_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    found = AgreementReport.objects.filter(campaign=campaign).select_related("campaign").defer("by_instance")
    report = found.first()
    answers = selectors.answers_now(campaign)
    changed = report is not None and report.measured_on != answers.mark
    context: dict[str, Any] = {"campaign": campaign, "report": report, "answers": answers.number}
    context["assessment"] = assessed.assessment(campaign, is_due=changed)
    context["queues_without_worker"] = kernel_selectors.queues_without_worker(["default"])
    if report and report.answers:
        lead, people = report.value["labels"][0], selectors.people(report)
        simulated = sum(one["is_simulated"] for one in people)
        context |= {
            "lead": lead,
            "meaning": in_words(lead),
            "value": report.value,
            "people": people,
            "simulated": simulated,
            "authors": selectors.authors(len(people) - simulated, simulated),
            "least": selectors.least_agreed(report),
            "reviewers": [told(selectors.reviewers(campaign))],
            "new_answers": answers.number - report.answers,
            "plots": [(kind, CAPTIONS[kind], svg(_plot(report, kind))) for kind in plots.SPECS],
        }
    return render(request, "annotation/agreement/campaign.html", context)


def _plot(report: AgreementReport, kind: str) -> Plot | None:
    measured = {"worker": "same", "type": "alpha", "day": "day"}[kind]
    rows = [row for row in selectors.plot_rows(report, kind) if row[measured] is not None]
    return plots.plot(kind, rows)


@requires("annotation.view_agreementreport")
def plot(request: HttpRequest, campaign_id: int, kind: str, format: str) -> HttpResponse:
    """A plot as a file, or its numbers; instances are told in numbers only."""
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
