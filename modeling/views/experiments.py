"""Experiments: what there is, the Train page, one experiment with its results table and plots."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_POST

from annotation.models import Release
from modeling import selectors
from modeling.forms import NEW, TrainForm
from modeling.models import Experiment, Run, Split
from modeling.results_table import COLUMNS, FORMATS, NOTE, PARTS
from modeling.selectors import charts, results
from modeling.services import experiments, splits
from modeling.views.files import attachment, plot_file
from tesa_site.access import requires, signed_in
from tesa_site.kernel import jobs
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.errors import InvalidInput, TesaError
from tesa_site.plots import breakdown, methods, training_size

PER_PAGE = 50
KINDS = {"tex": "text/x-tex; charset=utf-8", "md": "text/markdown; charset=utf-8", "csv": "text/csv; charset=utf-8"}


@requires("modeling.view_experiment")
def experiment_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(selectors.experiments(), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "modeling/experiments.html", {"page": page, "has_release": selectors.releases().exists()})


# ---- Train ----------------------------------------------------------------------------------------


@requires("modeling.add_experiment")
def new_experiment(request: HttpRequest) -> HttpResponse:
    releases = list(selectors.releases().only("id", "name", "version", "size"))
    asked = request.GET.get("release", "")
    release = next((one for one in releases if str(one.pk) == asked), releases[0] if releases else None)
    if release is None:
        return render(request, "modeling/train.html", {"releases": []})
    usable = experiments.usable_rankers()
    known = list(selectors.splits(release))
    given = request.POST if request.method == "POST" else None
    initial = {**TrainForm.defaults(usable), "name": _free_name(release)}
    form = TrainForm(given, splits=known, usable=usable, initial=initial)
    if given is not None and form.is_valid():
        try:
            return _start(request, form, release)
        except InvalidInput as error:
            form.add_error(error.field if error.field in form.fields else None, error.problem)
        except TesaError as error:
            form.add_error(None, error.message)
    context = {
        "releases": releases,
        "release": release,
        "form": form,
        "usable": usable,
        "missing": [name for name, _ in form.fields["rankers"].choices if name not in usable],  # type: ignore[attr-defined]
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
    }
    return render(request, "modeling/train.html", context, status=422 if form.errors else 200)


def _free_name(release: Release) -> str:
    """Return a name nobody took: the release's, with a number."""
    base = f"{release.name} v{release.version}"[:90]
    taken = set(Experiment.objects.filter(name__startswith=base).values_list("name", flat=True))
    return next(name for n in range(1, len(taken) + 2) if (name := f"{base}, experiment {n}") not in taken)


def _start(request: HttpRequest, form: TrainForm, release: Release) -> HttpResponse:
    given, user = form.cleaned_data, signed_in(request)
    is_all = request.POST.get("action") == "all"
    everything = experiments.all_rankers(given["vectors"]) if is_all else None
    plan = experiments.Plan(
        name=given["name"],
        split=_split(form, release, request),
        grid=form.chosen_grid(everything),
        options=form.options,
        candidate_seed=1 if given["candidate_seed"] is None else given["candidate_seed"],
        vectors=given["vectors"],
    )
    experiment = experiments.create_experiment(plan, by=user)
    for job in experiments.open_jobs(experiment):
        jobs.nudge(job)
    return redirect("experiment", experiment.pk)


def _split(form: TrainForm, release: Release, request: HttpRequest) -> Split:
    given = form.cleaned_data
    if given["split"] not in ("", NEW):
        return form.splits[given["split"]]
    seed = 1 if given["split_seed"] is None else given["split_seed"]
    return splits.make_split(release, rule=given["rule"] or "paper", seed=seed, by=signed_in(request))


# ---- One experiment -------------------------------------------------------------------------------


def _experiment(experiment_id: int) -> Experiment:
    return get_object_or_404(selectors.experiments(), pk=experiment_id)


@requires("modeling.view_experiment")
def experiment_page(request: HttpRequest, experiment_id: int) -> HttpResponse:
    experiment = _experiment(experiment_id)
    runs = list(results.runs_of(experiment))
    context = _progress(experiment, runs)
    if request.htmx:  # type: ignore[attr-defined]
        response = render(request, "modeling/experiment.html#progress", context)
        if not context["open"]:
            response["HX-Refresh"] = "true"  # the results are there
        return response
    return render(request, "modeling/experiment.html", {**context, **_results(experiment, runs)})


def _progress(experiment: Experiment, runs: list[Run]) -> dict[str, Any]:
    open_runs = [run for run in runs if run.status in ("queued", "running")]
    is_waiting = bool(open_runs) and not any(run.status == "running" for run in open_runs)
    return {
        "experiment": experiment,
        "runs": runs,
        "open": open_runs,
        "running": [run for run in open_runs if run.status == "running"],
        "whole": [run for run in runs if run.finished_at],
        "broken": [run for run in runs if run.status in ("failed", "cancelled", "lost")],
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]) if is_waiting else [],
    }


def _results(experiment: Experiment, runs: list[Run]) -> dict[str, Any]:
    chosen = results.chosen_runs(runs)
    lines = results.results_table(runs)
    best = next((line for line in lines if line.is_chosen), None)
    chosen_ids = {run.pk for run in chosen}
    sizes = charts.training_sizes(runs)
    return {
        "lines": lines,
        "best": best,
        "best_run": next((run for run in chosen if best and run.pk == best.run), None),
        "parts": PARTS,
        "columns": COLUMNS,
        "note": NOTE,
        "texts": {name: FORMATS[name](lines) for name in FORMATS} if lines else {},
        "others": [run for run in runs if run.pk not in chosen_ids],
        "chosen_ids": chosen_ids,
        "plot": methods.svg(charts.methods(lines)),
        "size_plot": training_size.svg(sizes),
        "breakdown_plot": breakdown.svg(_breakdown_rows(chosen, "test")),
        "short": experiment.task_set.spec.get("short"),
        "left_out": len(experiment.task_set.spec.get("left_out", [])),
    }


def _breakdown_rows(chosen: list[Run], part: str) -> charts.Rows:
    """Return the rows of the runs that validation likes best: more than a few cannot be told apart in a plot."""
    whole = Run.objects.only("ranker", "metrics", "breakdowns", "number").filter(pk__in=[run.pk for run in chosen])
    return charts.breakdown(list(whole), part)


@requires("modeling.view_experiment")
def results_file(request: HttpRequest, experiment_id: int, format: str) -> HttpResponse:
    """The results table, to paste into a paper."""
    experiment = _experiment(experiment_id)
    text = FORMATS[format](results.results_table(results.runs_of(experiment)))
    return attachment(text, f"{slugify(experiment.name) or 'results'}.{format}", KINDS[format])


@requires("modeling.view_experiment")
def experiment_plot(request: HttpRequest, experiment_id: int, name: str, format: str) -> HttpResponse:
    experiment = _experiment(experiment_id)
    runs = list(results.runs_of(experiment))
    if name == "methods":
        rows = charts.methods(results.results_table(runs))
        drawn = methods.svg(rows, standalone=True)
    elif name == "training-size":
        rows = charts.training_sizes(runs)
        drawn = training_size.svg(rows, standalone=True)
    elif name == "breakdown":
        rows = _breakdown_rows(results.chosen_runs(runs), "test")
        drawn = breakdown.svg(rows, standalone=True)
    else:
        raise Http404
    return plot_file(rows, drawn, f"{name}-{experiment.pk}", format)


@require_POST
@requires("modeling.change_experiment")
def open_test(request: HttpRequest, experiment_id: int) -> HttpResponse:
    experiments.open_test(get_object_or_404(Experiment, pk=experiment_id), by=signed_in(request))
    return redirect("experiment", experiment_id)


@require_POST
@requires("modeling.train_run")
def cancel(request: HttpRequest, experiment_id: int) -> HttpResponse:
    stopped = experiments.cancel_experiment(get_object_or_404(Experiment, pk=experiment_id), by=signed_in(request))
    messages.success(request, f"{stopped} runs were cancelled." if stopped else "There was nothing to cancel.")
    return redirect("experiment", experiment_id)


@require_POST
@requires("modeling.train_run")
def resume(request: HttpRequest, experiment_id: int) -> HttpResponse:
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    for job in experiments.resume_experiment(experiment, by=signed_in(request)):
        jobs.nudge(job)
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
    return render(request, "modeling/experiment_delete.html", {"experiment": experiment})


@requires("modeling.view_split")
def split_page(request: HttpRequest, split_id: int) -> HttpResponse:
    split = get_object_or_404(Split.objects.select_related("release", "created_by"), pk=split_id)
    parts = {part: split.statistics[part] for part in ("train", "valid", "test")}
    keys = (
        "instances",
        "golds_per_instance",
        "distinct_golds",
        "distinct_entities",
        "distinct_tuples",
        "articles",
        "unseen",
    )
    context = {
        "split": split,
        "parts": parts,
        "rows": [(key.replace("_", " "), [found[key] for found in parts.values()]) for key in keys],
        "types": _counted(parts, "by_type"),
        "sizes": _counted(parts, "by_size"),
        "golds": _counted(parts, "by_golds"),
        "set_aside": len(split.value.get("set_aside", [])),
        "experiments": split.experiments.order_by("-id"),
    }
    return render(request, "modeling/split.html", context)


def _counted(parts: dict[str, Any], name: str) -> list[tuple[str, list[int]]]:
    values = sorted({value for found in parts.values() for value in found[name]})
    return [(value, [found[name].get(value, 0) for found in parts.values()]) for value in values]
