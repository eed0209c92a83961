"""How far people agree: one number first, then what it is made of."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.defaultfilters import capfirst

from annotation.models import AgreementReport, Campaign
from annotation.plots import AGREEMENT, AgreementTexts, agreement_plot, texts_of_series, texts_of_units
from annotation.quality.figures import as_json, in_words, leading, part_in_words
from annotation.quality.positions import effect_in_words
from annotation.selectors import agreement as selectors
from annotation.selectors import assessed
from annotation.task_types import type_of
from annotation.task_types.base import template_of
from corpus.items import ITEM_KINDS
from kernel import selectors as kernel_selectors
from kernel.plots.drawing import Plot
from kernel.views.access import requires
from kernel.views.downloads import csv_download
from kernel.views.plots import svg, svg_file

REVIEWED = (
    "What the first and the second reviewer decided about the same answer, as of now: "
    "accept, correct (in any words), exclude{}."
)

MOST_PEOPLE = 200  # in the table of the page; the file has all


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
        words, people = type_of(campaign).answer_words, len(report.value["people"])
        simulated, texts = selectors.simulated_people(report), _texts(report)
        context |= {
            "words": words,
            "item_kind": ITEM_KINDS[type_of(campaign).item_kind],
            "value": report.value,
            "people": selectors.people(report, MOST_PEOPLE),
            "people_number": people,
            "simulated": simulated,
            "authors": selectors.authors(people - simulated, simulated),
            "least": selectors.least_agreed(report),
            "marks": selectors.marks(report),
            "reviewers": [as_json(selectors.reviewers(campaign))],
            "reviewed": REVIEWED.format(f" or {words.nothing_fits}" if words.nothing_fits else ""),
            "new_answers": answers.number - report.answers,
            "plots": {
                kind: {"caption": texts.captions[kind], "svg": svg(_plot(report, kind, "name"))} for kind in AGREEMENT
            },
        }
        if selectors.has_series(report):
            return render(request, "annotation/agreement/series.html", context | _of_series(report))
        context |= _of_units(report)
    return render(request, "annotation/agreement/campaign.html", context)


def _of_units(report: AgreementReport) -> dict[str, Any]:
    """Return the figures that lead the page of a type whose units are compared, and its part of the page."""
    type_ = type_of(report.campaign)
    words, alpha = type_.answer_words, report.value["labels"][0]
    return {
        "type_part": template_of(type_, "agreement"),
        "alpha": alpha,
        "meaning": in_words(alpha, words),
        "alpha_words": f"Alpha: {words.labels}",
        "same_words": words.same_unit,
        "same": report.value[words.units_key][0],
    }


def _of_series(report: AgreementReport) -> dict[str, Any]:
    """Return the parts of the answers with their meaning, and the one that leads the page: none if all are texts."""
    parts = [{**part, "meaning": part_in_words(part)} for part in report.value["series"]]
    lead = leading(report.value["series"])
    same = type_of(report.campaign).thresholds.same
    return {
        "parts": parts,
        "positions": [{**own, "meaning": effect_in_words(own)} for own in report.value.get("positions", ())],
        "suggestions": report.value.get("suggestions", ()),
        "lead": lead,
        "alpha": lead["measures"][0] if lead else report.value["closeness"],
        "meaning": part_in_words(lead) if lead else "",
        "alpha_words": f"{capfirst(lead['part'])}, alpha" if lead else "Alpha",
        "same_words": "closeness",
        "same_from": same if same < 1 else None,
    }


def _texts(report: AgreementReport) -> AgreementTexts:
    words = type_of(report.campaign).answer_words
    if not selectors.has_series(report):
        return texts_of_units(words)
    lead = leading(report.value["series"])
    return texts_of_series(words, *((lead["part"], lead["measures"][0]["measure"]) if lead else ("", "")))


def _plot(report: AgreementReport, kind: str, name: str = "pseudonym") -> Plot | None:
    measured = {"worker": "same", "type": "alpha", "day": "same" if selectors.has_series(report) else "day"}[kind]
    rows = [row for row in selectors.plot_rows(report, kind, name=name) if row[measured] is not None]
    return agreement_plot(kind, rows, _texts(report))


@requires("annotation.view_agreementreport")
def plot(request: HttpRequest, campaign_id: int, kind: str, format: str) -> HttpResponse:
    """Return a plot, or its numbers, as a file; instances have numbers only."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    report = get_object_or_404(AgreementReport.objects.select_related("campaign"), campaign=campaign)
    if format == "svg":
        plot = _plot(report, kind) if kind in AGREEMENT else None
        if plot is None:
            raise Http404
        return svg_file(plot, f"agreement-by-{kind}")
    rows = selectors.plot_rows(report, kind)
    columns = [*rows[0]] if rows else ["nothing"]
    return csv_download(
        request, f"agreement-by-{kind}.csv", columns, ([row.get(name) for name in columns] for row in rows)
    )
