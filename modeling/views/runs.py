"""One run, its errors, and the comparison of two runs."""

from __future__ import annotations

from dataclasses import asdict
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Avg
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from corpus.articles import EntityType
from corpus.frozen import SIZES
from kernel.errors import TesaError
from kernel.plots.drawing import Plot
from kernel.values import whole_number
from kernel.views.access import requires
from modeling import machine
from modeling.models import Run, TaskRow
from modeling.plots import differences, learning_curve, weights
from modeling.rankers import EMBEDDING_FEATURES
from modeling.results_table import COLUMNS, METRIC_NAMES, PARTS
from modeling.run_folder import FILES, OPTIONAL
from modeling.selectors import charts, downloads, instances, results
from modeling.selectors.experiments import all_experiments
from modeling.views import training
from modeling.views.files import PlotOnPage, Rows, plot_file, plot_on_page

PER_PAGE = 30


def _run(run_id: int) -> Run:
    runs = Run.objects.select_related("experiment__release", "experiment__split", "experiment__task_set", "job")
    return get_object_or_404(runs, pk=run_id)


@requires("modeling.view_run")
def run_page(request: HttpRequest, run_id: int) -> HttpResponse:
    run = _run(run_id)
    if request.htmx:  # type: ignore[attr-defined]
        context = training.live_context(run)
        response = render(request, "modeling/run.html#live", context)
        if not context["is_open"]:
            response["HX-Refresh"] = "true"  # to show the results, or why it ended
        return response
    parts = results.shown_parts(run)
    chosen = results.chosen_runs(results.runs_of(run.experiment))
    part = next((part for part in reversed(parts) if part in run.metrics), "")
    context = {
        **(training.live_context(run) if run.is_neural else {}),
        "run": run,
        "experiment": run.experiment,
        "is_chosen": run in chosen,
        "finding": run.metrics.get(part, {}).get("ap"),
        "finding_part": PARTS.get(part),
        "change": instances.against_rival(run, chosen, part) if part else None,
        "change_part": part,
        "is_test_shown": "test" in parts,
        "figures": [
            (name, [(PARTS[part], run.metrics[part][metric]) for part in parts if part in run.metrics])
            for metric, name in METRIC_NAMES.items()
            if run.metrics
        ],
        "breakdown": _breakdown(run, parts),
        "columns": COLUMNS,
        "parts": parts,
        "curve": _plot_on_page(run, "learning-curve"),
        "weights": _plot_on_page(run, "weights"),
        "weights_caption": _weights_caption(run),
        "absent": [] if run.experiment.vectors else EMBEDDING_FEATURES,
        "is_choice_open": results.is_choice_open(run.experiment),
        "is_test_hidden": results.is_test_hidden(run.experiment),
        "machine": machine.sentence(run.hardware),
        "is_exact": machine.is_exact(run.hardware),
        "tolerance": machine.TOLERANCE,
        "training": _plot_on_page(run, "training") if run.finished_at else None,
        "log": downloads.log_lines(run) if run.finished_at else [],
        "shortened": [] if "test" in parts else [name for name in downloads.WITH_TEST if name in run.hashes],
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


def _weights_caption(run: Run) -> str:
    """Return how to read the bars. The splits of trees show how much a feature counts, but not in which direction."""
    if min(run.weights.get("values") or [0]) < 0 or run.weights.get("unit", "").startswith("weight"):
        return "Features with bars to the right raise a candidate’s score, those to the left lower it."
    return "How often the trees use each feature, not whether it raises or lowers a score."


@requires("modeling.view_run")
def run_plot(request: HttpRequest, run_id: int, name: str, format: str) -> HttpResponse:
    run = _run(run_id)
    return plot_file(request, *_plot(run, name), f"{name}-{run.pk}", format)


def _plot_on_page(run: Run, name: str) -> PlotOnPage | None:
    return plot_on_page(_plot(run, name)[0], reverse("run-plot", args=[run.pk, name, "svg"]))


def _plot(run: Run, name: str) -> tuple[Plot | None, Rows]:
    """Return a plot of a run, and the numbers behind it."""
    if name == "learning-curve":
        return learning_curve.plot(run.curve), run.curve
    if name == "training":
        return training.plot(run), training.rows_of(run)
    rows = charts.weights(run)
    return weights.plot(rows, unit=run.weights.get("unit", "")), rows


@requires("modeling.view_run")
def run_file(request: HttpRequest, run_id: int, name: str) -> HttpResponseBase:
    """Return one of a run's files."""
    download = downloads.run_file(_run(run_id), name) if name in (*FILES, *OPTIONAL) else None
    if download is None:
        raise Http404
    return download.to_response()


# ---- Errors ---------------------------------------------------------------------------------------


@requires("modeling.view_run")
def errors(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show what a run ranks worst, lowest AP first."""
    run = _run(run_id)
    parts = results.shown_parts(run)
    chosen = {name: request.GET.get(name, "").replace("\x00", "") for name in ("part", "type", "size", "seen", "noted")}
    chosen["part"] = chosen["part"] if chosen["part"] in parts else "valid"
    filters = instances.InstanceFilters(**chosen)
    predictions = instances.worst_first(run, filters)
    page = Paginator(predictions, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "run": run,
        "experiment": get_object_or_404(all_experiments(), pk=run.experiment_id),
        "page": page,
        "errors": instances.errors(page),
        "mean": predictions.aggregate(mean=Avg("ap"))["mean"],
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
    """Show two runs task by task, largest difference first."""
    first, second = _asked(request)
    if first is None:
        return redirect("experiments")
    if second is None:
        messages.error(request, "Tick two methods to compare them.")
        return redirect("experiment", first.experiment_id)
    shown = results.shown_parts(second)
    parts = [part for part in results.shown_parts(first) if part in shown]
    part = request.GET.get("part", "")
    part = part if part in parts else "valid"
    context = {"first": first, "second": second, "experiment": first.experiment, "part": part, "parts": parts}
    try:
        compared = instances.compare(first, second, part=part)
    except TesaError as error:
        return render(request, "modeling/compare.html", {**context, "problem": error.message}, status=error.status)
    page = Paginator(compared.rows, PER_PAGE).get_page(request.GET.get("page"))
    tasks = TaskRow.objects.in_bulk([row.task_id for row in page])
    bins = differences.bins([row.difference for row in compared.rows])
    query = urlencode({"a": first.pk, "b": second.pk, "part": part})
    context |= {
        "compared": compared,
        "ties": len(compared.rows) - compared.wins - compared.losses,
        "means": [
            sum(getattr(row, name) for row in compared.rows) / len(compared.rows) for name in ("first", "second")
        ],
        "page": page,
        "rows": [(row, tasks[row.task_id]) for row in page],
        "plot": plot_on_page(differences.plot(bins), f"{reverse('compare-plot', args=['svg'])}?{query}"),
        "query": query,
    }
    return render(request, "modeling/compare.html", context)


def _asked(request: HttpRequest) -> tuple[Run | None, Run | None]:
    """Return the runs `a` and `b` of the address, or the two that were ticked as `run`."""
    asked = [request.GET.get("a", ""), request.GET.get("b", "")] if "a" in request.GET else request.GET.getlist("run")
    numbers = [number for text in asked if (number := whole_number(text)) is not None]
    runs: list[Run | None] = [_run(number) for number in numbers[:2]]
    first, second = [*runs, None, None][:2]
    return first, None if len(numbers) > 2 else second


@requires("modeling.view_run")
def compare_plot(request: HttpRequest, format: str) -> HttpResponse:
    first, second = _asked(request)
    part = request.GET.get("part", "valid")
    if first is None or second is None or any(part not in results.shown_parts(run) for run in (first, second)):
        raise Http404
    rows = differences.bins([row.difference for row in instances.compare(first, second, part=part).rows])
    return plot_file(request, differences.plot(rows), rows, f"runs-{first.pk}-{second.pk}", format)
