"""One run, its errors, and two runs beside each other."""

from __future__ import annotations

from dataclasses import asdict
from urllib.parse import urlencode

from django.core.files.storage import default_storage
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from corpus.articles import EntityType
from corpus.frozen import SIZES
from modeling.models import Run, TaskRow
from modeling.results_table import COLUMNS, METRIC_NAMES, PARTS
from modeling.selectors import charts, instances, results
from modeling.services.running import FILES
from modeling.views.files import plot_file
from tesa_site.access import requires
from tesa_site.kernel.errors import TesaError
from tesa_site.plots import differences, learning_curve, weights

PER_PAGE = 30


def _run(run_id: int) -> Run:
    found = Run.objects.select_related("experiment__release", "experiment__split", "experiment__task_set", "job")
    return get_object_or_404(found, pk=run_id)


@requires("modeling.view_run")
def run_page(request: HttpRequest, run_id: int) -> HttpResponse:
    run = _run(run_id)
    parts = results.shown_parts(run)
    context = {
        "run": run,
        "experiment": run.experiment,
        "is_chosen": run.pk in {one.pk for one in results.chosen_runs(results.runs_of(run.experiment))},
        "is_test_shown": "test" in parts,
        "figures": [
            (name, [(PARTS[part], run.metrics[part][metric]) for part in parts if part in run.metrics])
            for metric, name in METRIC_NAMES.items()
            if run.metrics
        ],
        "breakdown": _breakdown(run, parts),
        "columns": COLUMNS,
        "parts": parts,
        "curve": learning_curve.svg(run.curve),
        "weights": weights.svg(charts.weights(run), run.weights.get("unit", "")),
        "files": FILES,
        "rivals": results.runs_of(run.experiment).exclude(pk=run.pk).exclude(finished_at=None),
    }
    return render(request, "modeling/run.html", context)


def _breakdown(run: Run, parts: list[str]) -> list[tuple[str, str, list[dict[str, object]]]]:
    """Return (breakdown, value, a row for each part)."""
    first = run.breakdowns.get("valid") or run.breakdowns.get("test") or {}
    names = {by: sorted({v for part in parts for v in run.breakdowns.get(part, {}).get(by, {})}) for by in first}
    return [
        (by, value, [run.breakdowns.get(part, {}).get(by, {}).get(value, {}) for part in parts])
        for by, values in names.items()
        for value in values
    ]


@requires("modeling.view_run")
def run_plot(request: HttpRequest, run_id: int, name: str, format: str) -> HttpResponse:
    run = _run(run_id)
    if name == "learning-curve":
        return plot_file(run.curve, learning_curve.svg(run.curve, standalone=True), f"{name}-{run.pk}", format)
    rows = charts.weights(run)
    drawn = weights.svg(rows, run.weights.get("unit", ""), standalone=True)
    return plot_file(rows, drawn, f"{name}-{run.pk}", format)


@requires("modeling.view_run")
def run_file(request: HttpRequest, run_id: int, name: str) -> HttpResponseBase:
    """Hand out one of the files a run left."""
    path = f"{_run(run_id).folder}/{name}"
    if name not in FILES or not default_storage.exists(path):
        raise Http404
    return FileResponse(default_storage.open(path), as_attachment=True, filename=f"run-{run_id}-{name}")


# ---- Errors ---------------------------------------------------------------------------------------


@requires("modeling.view_run")
def errors(request: HttpRequest, run_id: int) -> HttpResponse:
    """What a run ranks worst, the lowest AP first."""
    run = _run(run_id)
    parts = results.shown_parts(run)
    chosen = {name: request.GET.get(name, "").replace("\x00", "") for name in ("part", "type", "size", "seen", "noted")}
    chosen["part"] = chosen["part"] if chosen["part"] in parts else "valid"
    filters = instances.Filters(**chosen)
    page = Paginator(instances.worst_first(run, filters), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "run": run,
        "experiment": run.experiment,
        "page": page,
        "errors": instances.errors(page),
        "filters": filters,
        "parts": parts,
        "types": [str(type_) for type_ in EntityType],
        "sizes": [str(size) for size in SIZES],
        "kinds": instances.noted_kinds(run, filters.part),
        "query": urlencode({name: value for name, value in asdict(filters).items() if value}),
    }
    return render(request, "modeling/errors.html", context)


# ---- Two runs -------------------------------------------------------------------------------------


@requires("modeling.view_run")
def compare(request: HttpRequest) -> HttpResponse:
    """Two runs task by task, the biggest difference first."""
    first, second = (_asked(request, name) for name in ("a", "b"))
    if first is None or second is None:
        return redirect("experiments")
    parts = [part for part in PARTS if part in results.shown_parts(first) and part in results.shown_parts(second)]
    part = request.GET.get("part", "")
    part = part if part in parts else "valid"
    context = {"first": first, "second": second, "experiment": first.experiment, "part": part, "parts": parts}
    try:
        found = instances.compare(first, second, part=part)
    except TesaError as error:
        return render(request, "modeling/compare.html", {**context, "problem": error.message}, status=error.status)
    page = Paginator(found.rows, PER_PAGE).get_page(request.GET.get("page"))
    tasks = TaskRow.objects.in_bulk([row.task_id for row in page])
    bins = differences.bins([row.difference for row in found.rows])
    context |= {
        "compared": found,
        "ties": len(found.rows) - found.wins - found.losses,
        "means": [sum(getattr(row, name) for row in found.rows) / len(found.rows) for name in ("first", "second")],
        "page": page,
        "rows": [(row, tasks[row.task_id]) for row in page],
        "plot": differences.svg(bins),
        "query": urlencode({"a": first.pk, "b": second.pk, "part": part}),
    }
    return render(request, "modeling/compare.html", context)


def _asked(request: HttpRequest, name: str) -> Run | None:
    given = request.GET.get(name, "")
    return _run(int(given)) if given.isdecimal() and len(given) < 19 else None


@requires("modeling.view_run")
def compare_plot(request: HttpRequest, format: str) -> HttpResponse:
    first, second = (_asked(request, name) for name in ("a", "b"))
    part = request.GET.get("part", "valid")
    if first is None or second is None or any(part not in results.shown_parts(run) for run in (first, second)):
        raise Http404
    rows = differences.bins([row.difference for row in instances.compare(first, second, part=part).rows])
    return plot_file(rows, differences.svg(rows, standalone=True), f"runs-{first.pk}-{second.pk}", format)
