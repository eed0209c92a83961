"""The list of experiments, and one experiment with its results table and plots."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST

from kernel import csv_files, jobs
from kernel import selectors as kernel_selectors
from kernel.errors import TesaError
from kernel.plots.drawing import MOST_SERIES
from kernel.values import counted
from kernel.views.access import requires, signed_in
from kernel.views.downloads import attachment, wants_mark
from modeling.models import Experiment, Run
from modeling.plots import breakdown, methods, training_size
from modeling.results_table import COLUMNS, FORMATS, PARTS, ResultLine, has_backends
from modeling.selectors import charts, folds, instances, results
from modeling.selectors.datasets import rankable_releases
from modeling.selectors.experiments import all_experiments
from modeling.services import experiments, run_files
from modeling.significance import LEAST
from modeling.views.files import PlotOnPage, plot_file, plot_on_page

PER_PAGE = 50
PLOTS = {"methods": methods.plot, "training-size": training_size.plot, "breakdown": breakdown.plot}
TICKS = [(f"{n / 5:.1f}", round(n * 83.2)) for n in range(6)]  # of the plot in the table, which is 416 units wide
KINDS = {"tex": "text/x-tex; charset=utf-8", "md": "text/markdown; charset=utf-8", "csv": csv_files.MIME}


@requires("modeling.view_experiment")
def experiment_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(all_experiments(), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "modeling/experiments.html", {"page": page, "has_release": rankable_releases().exists()})


# ---- One experiment -------------------------------------------------------------------------------


def _experiment(experiment_id: int) -> Experiment:
    return get_object_or_404(all_experiments(), pk=experiment_id)


@gzip_page  # a table of every method is long and repeats itself
@requires("modeling.view_experiment")
def experiment_page(request: HttpRequest, experiment_id: int, tab: str = "experiment") -> HttpResponse:
    experiment = _experiment(experiment_id)
    runs = list(results.runs_of(experiment))
    context = _progress(experiment, runs)
    if request.htmx:  # type: ignore[attr-defined]
        response = render(request, "modeling/experiment.html#progress", context)
        if not context["open"]:
            response["HX-Refresh"] = "true"  # to show the results
        return response
    context |= _results(experiment, runs)
    context |= _table(context["lines"], request.GET.get("sort"))
    return render(request, f"modeling/{tab}.html", context)


@requires("modeling.view_run")
def errors(request: HttpRequest, experiment_id: int) -> HttpResponse:
    """Lead on to what the chosen run ranks worst."""
    best = results.best_run(_experiment(experiment_id))
    return redirect("run-errors", best.pk) if best else redirect("experiment", experiment_id)


def _progress(experiment: Experiment, runs: list[Run]) -> dict[str, Any]:
    open_runs = [run for run in runs if run.status in ("queued", "running")]
    running = [run for run in open_runs if run.status == "running"]
    queues = [] if running else sorted({run.job.queue for run in open_runs if run.job})
    return {
        "experiment": experiment,
        "runs": runs,
        "open": open_runs,
        "running": running,
        "whole": [run for run in runs if run.finished_at],
        "unfinished": sum(run.share == 100 and not run.finished_at for run in runs),
        "waiting": [] if open_runs else [run for run in runs if run.status == "waiting"],
        "broken": (broken := [run for run in runs if run.status in ("failed", "cancelled", "lost")]),
        "reasons": _by_reason(broken),
        "queues_without_worker": kernel_selectors.queues_without_worker(queues) if queues else [],
    }


def _by_reason(broken: list[Run]) -> list[tuple[str, list[Run]]]:
    """Return the runs that did not finish by what their jobs said, the most frequent reason first."""
    reasons: dict[str, list[Run]] = {}
    for run in broken:
        reasons.setdefault(run.job.error if run.job else "", []).append(run)
    return sorted(reasons.items(), key=lambda item: -len(item[1]))


def _results(experiment: Experiment, runs: list[Run]) -> dict[str, Any]:
    chosen = results.chosen_runs(runs)
    lines = results.results_table(runs)
    chosen_ids = {run.pk for run in chosen}
    differences = _breakdown_rows(experiment, chosen)
    return {
        "lines": lines,
        "has_backends": has_backends(runs),
        "best": next((line for line in lines if line.is_chosen), None),
        "best_run": results.best_of(chosen),
        "chance": next((line for line in lines if line.label == "random"), None),
        "parts": PARTS,
        "columns": COLUMNS,
        "texts": {name: FORMATS[name](lines) for name in FORMATS} if lines else {},
        "others": [run for run in runs if run.pk not in chosen_ids],
        "change": instances.against_next(chosen),
        "candidates": sum(bool(run.finished_at and run.share == 100) for run in runs),
        "size_plot": _plot(experiment, "training-size", charts.training_sizes(runs)),
        "size_caption": "Validation MAP by the share of the training part, mean over seeds. "
        "Each smaller share is part of each larger one.",
        "breakdown_caption": _breakdown_caption(len(lines)),
        "breakdown_plot": _plot(experiment, "breakdown", differences),
        "unseen": next((row["n"] for row in differences if (row["by"], row["value"]) == ("seen", "unseen")), None),
        "short": experiment.task_set.spec.get("short"),
        "left_out": len(experiment.task_set.spec.get("left_out", [])),
        "left_out_runs": results.left_out(experiment),
        "folds": folds.fold_set(experiment),
    }


def _table(lines: list[ResultLine], sort: str | None) -> dict[str, Any]:
    """Return the table of methods: test figures and validation MAP, or validation alone while test is hidden."""
    has_test = any("test" in line.cells for line in lines)
    columns = {f"test-{metric}": ("test", metric) for metric in COLUMNS if has_test}
    columns |= {f"valid-{metric}": ("valid", metric) for metric in COLUMNS if metric == "ap" or not has_test}
    sort = sort if sort in columns else "valid-ap"
    rows = [(line, [line.cell(*column) for column in columns.values()]) for line in lines]
    by = [*columns].index(sort)
    return {
        "rows": sorted(rows, key=lambda row: -(cell.mean if (cell := row[1][by]) else 0.0)),
        "heads": [
            (key, f"{'Val. ' * (has_test and part == 'valid')}{COLUMNS[m]}") for key, (part, m) in columns.items()
        ],
        "has_test": has_test,
        "sort": sort,
        "ticks": TICKS,
    }


def _plot(experiment: Experiment, name: str, rows: charts.Rows) -> PlotOnPage | None:
    return plot_on_page(PLOTS[name](rows), reverse("experiment-plot", args=[experiment.pk, name, "svg"]))


def _breakdown_caption(methods: int) -> str:
    which = "each method" if methods <= MOST_SERIES else f"the {MOST_SERIES} methods that are best on validation"
    return (
        f"Test MAP of {which}, with 95% intervals where there are at least {LEAST} instances; "
        "under each value their number."
    )


def _breakdown_rows(experiment: Experiment, chosen: list[Run]) -> charts.Rows:
    """Return test figures of the chosen runs, best on validation first; none while these are hidden."""
    if results.is_test_hidden(experiment):
        return []
    runs = Run.objects.only("ranker", "parameters", "seed", "share", "metrics", "breakdowns", "number").filter(
        pk__in=[run.pk for run in chosen]
    )
    return charts.breakdown(list(runs), "test")


@requires("modeling.view_experiment")
def results_file(request: HttpRequest, experiment_id: int, format: str) -> HttpResponse:
    """Return the results table as a file."""
    experiment = _experiment(experiment_id)
    text = FORMATS[format](results.results_table(results.runs_of(experiment)))
    if format == "csv" and wants_mark(request):
        text = csv_files.MARK + text
    return attachment(text, f"{slugify(experiment.name) or 'results'}.{format}", KINDS[format])


@gzip_page
@requires("modeling.view_experiment")
def experiment_plot(request: HttpRequest, experiment_id: int, name: str, format: str) -> HttpResponse:
    experiment = _experiment(experiment_id)
    runs = list(results.runs_of(experiment))
    if name == "methods":
        rows = charts.methods(results.results_table(runs))
    elif name == "training-size":
        rows = charts.training_sizes(runs)
    else:
        rows = _breakdown_rows(experiment, results.chosen_runs(runs))
    return plot_file(request, PLOTS[name](rows), rows, f"{name}-{experiment.pk}", format)


@require_POST
@requires("modeling.change_experiment")
def open_test(request: HttpRequest, experiment_id: int) -> HttpResponse:
    experiments.open_test(get_object_or_404(Experiment, pk=experiment_id), by=signed_in(request))
    return redirect("experiment", experiment_id)


@require_POST
@requires("modeling.train_run")
def cancel(request: HttpRequest, experiment_id: int) -> HttpResponse:
    stopped = experiments.cancel_experiment(get_object_or_404(Experiment, pk=experiment_id), by=signed_in(request))
    cancelled = f"{counted(stopped, 'run')} cancelled; running ones stop at their next step."
    messages.success(request, cancelled if stopped else "There was nothing to cancel.")
    return redirect("experiment", experiment_id)


@require_POST
@requires("modeling.train_run")
def resume(request: HttpRequest, experiment_id: int) -> HttpResponse:
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    for job in experiments.resume_experiment(experiment, by=signed_in(request)):
        jobs.nudge(job)
    return redirect("experiment", experiment_id)


@require_POST
@requires("modeling.change_experiment")
def leave_out(request: HttpRequest, experiment_id: int) -> HttpResponse:
    """Delete the unfinished runs, so that validation chooses among the others."""
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    try:
        labels = experiments.leave_out_unfinished(experiment, by=signed_in(request))
    except TesaError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"{len(labels)} run{'' if len(labels) == 1 else 's'} left out.")
    return redirect("experiment", experiment_id)


@requires("modeling.delete_experiment")
def delete(request: HttpRequest, experiment_id: int) -> HttpResponse:
    experiment = _experiment(experiment_id)
    if request.method == "POST":
        try:
            experiments.delete_experiment(experiment, by=signed_in(request))
        except TesaError as error:
            messages.error(request, error.message)
            return redirect("experiment", experiment_id)
        messages.success(request, f"“{experiment.name}” was deleted.")
        return redirect("experiments")
    size = run_files.weights_size(list(experiment.runs.only("experiment", "hashes")))
    return render(request, "modeling/experiment_delete.html", {"experiment": experiment, "weights_size": size})
