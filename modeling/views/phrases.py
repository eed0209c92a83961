"""The phrases that a run has generated, instance by instance: the paper's Table 7."""

from __future__ import annotations

from dataclasses import asdict
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from kernel.views.access import requires
from modeling.generation_figures import figures
from modeling.models import Run, TaskRow
from modeling.results_table import PARTS
from modeling.selectors import phrases, results

PER_PAGE = 20


@requires("modeling.view_run")
def run_phrases(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the generated phrases of a part, with golds and listed entities marked, and their figures."""
    run = get_object_or_404(Run.objects.select_related("experiment__task_set"), pk=run_id)
    parts = results.shown_parts(run)
    part = request.GET.get("part", "")
    part = part if part in parts else parts[-1]
    generations = phrases.generations(run, part)
    page = Paginator(generations, PER_PAGE).get_page(request.GET.get("page"))
    tasks = TaskRow.objects.filter(
        task_set=run.experiment.task_set_id, part=part, key__in=[generation.key for generation in page]
    )
    names = {task.key: task for task in tasks}
    counted = figures(generations)
    context = {
        "run": run,
        "experiment": run.experiment,
        "part": part,
        "parts": parts,
        "part_name": PARTS[part],
        "page": page,
        "rows": [(names.get(generation.key), generation) for generation in page],
        "figures": asdict(counted) if counted else {},
        "query": urlencode({"part": part}),
    }
    return render(request, "modeling/phrases.html", context)
