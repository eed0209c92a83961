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
from tesa_site.kernel.views.access import requires
from tesa_site.kernel.views.downloads import csv_download


@dataclass(frozen=True)
class Plot:
    caption: str
    columns: tuple[str, str]
    data: Callable[[Campaign], Any]
    svg: Callable[..., str]
    rows: Callable[[Any], Iterable[tuple[Any, Any]]]


PLOTS = {
    "answers": Plot(
        "Answers over time (UTC).", ("from", "answers"), progress.answers_over_time, plots.answers_over_time,
        lambda rows: ((start.isoformat(), number) for start, number in rows),
    ),
    "tasks": Plot(
        "Tasks by the number of their answers.", ("answers", "tasks"), progress.tasks_by_answers,
        plots.tasks_by_answers, lambda tasks: sorted(tasks.items()),
    ),
    "time": Plot(
        f"Time for one answer, over the latest {progress.RECENT:,}.", ("seconds from", "answers"),
        progress.recent_seconds, plots.time_per_answer, plots.seconds_histogram,
    ),
}  # fmt: skip


@requires("annotation.view_campaign")
def campaign_plots(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """All of them: asked for by the campaign's page once it stands, or as a page of their own."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    drawn = [(name, plot.svg(plot.data(campaign)), plot.caption) for name, plot in PLOTS.items()]
    template = "annotation/campaigns/plots.html"
    context = {"campaign": campaign, "plots": [one for one in drawn if one[1]]}
    return render(request, f"{template}#plots" if request.htmx else template, context)  # type: ignore[attr-defined]


@requires("annotation.view_campaign")
def plot_file(request: HttpRequest, campaign_id: int, name: str, format: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    if name not in PLOTS:
        raise Http404
    plot = PLOTS[name]
    data = plot.data(campaign)
    if format == "svg":
        response = HttpResponse(plot.svg(data, standalone=True), content_type="image/svg+xml")
    else:
        return csv_download(request, f"campaign-{campaign.pk}-{name}.csv", plot.columns, plot.rows(data))
    response["Content-Disposition"] = f'attachment; filename="campaign-{campaign.pk}-{name}.svg"'
    return response
