"""A campaign's plots, and the numbers behind them, as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.models import Campaign
from annotation.plots import campaign as plots
from annotation.selectors import progress
from tesa_site.kernel.plots.drawing import Plot
from tesa_site.kernel.views.access import requires
from tesa_site.kernel.views.downloads import csv_download
from tesa_site.kernel.views.plots import svg, svg_file


@dataclass(frozen=True)
class CampaignPlot:
    caption: str
    columns: tuple[str, str]
    data: Callable[[Campaign], Any]
    plot: Callable[..., Plot | None]
    rows: Callable[[Any], Iterable[tuple[Any, Any]]]


PLOTS = {
    "answers": CampaignPlot(
        "Answers over time (UTC).", ("from", "answers"), progress.answers_over_time, plots.answers_over_time,
        lambda rows: ((start.isoformat(), number) for start, number in rows),
    ),
    "tasks": CampaignPlot(
        "Tasks by the number of their answers.", ("answers", "tasks"), progress.tasks_by_answers,
        plots.tasks_by_answers, lambda tasks: sorted(tasks.items()),
    ),
    "time": CampaignPlot(
        f"Time for one answer, over the latest {progress.RECENT:,}.", ("seconds from", "answers"),
        progress.recent_seconds, plots.time_per_answer, plots.seconds_histogram,
    ),
}  # fmt: skip


@requires("annotation.view_campaign")
def campaign_plots(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """All of them: asked for by the campaign's page once it stands, or as a page of their own."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    drawn = [(name, svg(entry.plot(entry.data(campaign))), entry.caption) for name, entry in PLOTS.items()]
    template = "annotation/campaigns/plots.html"
    context = {"campaign": campaign, "plots": [shown for shown in drawn if shown[1]]}
    return render(request, f"{template}#plots" if request.htmx else template, context)  # type: ignore[attr-defined]


@requires("annotation.view_campaign")
def plot_file(request: HttpRequest, campaign_id: int, name: str, format: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    if name not in PLOTS:
        raise Http404
    entry = PLOTS[name]
    data = entry.data(campaign)
    if format == "svg":
        return svg_file(entry.plot(data, width=plots.FILE_WIDTH), f"campaign-{campaign.pk}-{name}")
    return csv_download(request, f"campaign-{campaign.pk}-{name}.csv", entry.columns, entry.rows(data))
