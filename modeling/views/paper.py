"""An experiment in the layout of the paper's tables."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from kernel.views.access import requires
from modeling.results_table import COLUMNS, PARTS, has_backends
from modeling.selectors import instances, paper, phrases, results
from modeling.selectors.experiments import all_experiments


@requires("modeling.view_run")
def paper_tables(request: HttpRequest, experiment_id: int) -> HttpResponse:
    """Show Tables 4 to 7: all methods, ablations, and one instance as each method ranks it or writes about it."""
    experiment = get_object_or_404(all_experiments(), pk=experiment_id)
    runs = list(results.runs_of(experiment))
    part = "valid" if results.is_test_hidden(experiment) else "test"
    tasks = paper.neighbours(experiment, part, request.GET.get("instance", "").replace("\x00", ""))
    task = tasks["here"]
    predictions = instances.predictions_for(experiment, task, is_all=False) if task else []
    lines = results.results_table(runs)
    context = {
        "experiment": experiment,
        "part_name": PARTS[part],
        "columns": COLUMNS,
        "methods": paper.table_4(lines, part),
        "has_backends": has_backends(lines),
        "ablations": paper.table_5(results.chosen_runs(runs), part),
        "task": task,
        "golds": [phrase for phrase, label in zip(task.phrases, task.labels, strict=True) if label] if task else [],
        "choices": paper.table_6(task, predictions) if task else [],
        "generated": phrases.table_7(results.chosen_runs(runs), part, task.key) if task else [],
        "before": tasks["before"],
        "after": tasks["after"],
    }
    return render(request, "modeling/paper.html", context)
