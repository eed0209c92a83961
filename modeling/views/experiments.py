"""The list of experiments, the Train page, and one experiment with its results table and plots."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_POST

from annotation.models import Release
from modeling import selectors
from modeling.forms import NEW, TrainForm
from modeling.grids import all_rankers
from modeling.models import Experiment, Run, Split
from modeling.plots import breakdown, methods, training_size
from modeling.rankers import usable_rankers
from modeling.results_table import COLUMNS, FORMATS, PARTS
from modeling.selectors import charts, folds, instances, results
from modeling.services import experiments, splits
from modeling.significance import LEAST
from modeling.views.files import PlotOnPage, plot_file, plot_on_page
from tesa_site.kernel import csv_files, jobs
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.errors import InvalidInput, TesaError
from tesa_site.kernel.plots.drawing import MOST_SERIES
from tesa_site.kernel.views.access import requires, signed_in
from tesa_site.kernel.views.downloads import attachment, wants_mark
from tesa_site.kernel.views.errors import respond

PER_PAGE = 50
CHOOSE = "choose"
MANY_RUNS = 100  # more need a second click that confirms their number
PLOTS = {"methods": methods.plot, "training-size": training_size.plot, "breakdown": breakdown.plot}
KINDS = {"tex": "text/x-tex; charset=utf-8", "md": "text/markdown; charset=utf-8", "csv": csv_files.MIME}


@requires("modeling.view_experiment")
def experiment_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(selectors.experiments(), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "modeling/experiments.html", {"page": page, "has_release": selectors.releases().exists()})


# ---- Train ----------------------------------------------------------------------------------------


class TooManyToStart(Exception):
    """This number of runs needs a second click."""

    def __init__(self, runs: int) -> None:
        super().__init__(f"{runs} runs")
        self.runs = runs


@requires("modeling.add_experiment")
def new_experiment(request: HttpRequest) -> HttpResponse:
    """Start the runs of the form. The button *Choose* shows the form for another release, as filled in."""
    releases = list(selectors.releases().only("id", "name", "version", "size"))
    if not releases:
        return render(request, "modeling/train.html", {"releases": []})
    release = _asked_release(request, releases)
    if release is None:
        problem = "There is no frozen release of this number: it was deleted, or is not frozen yet."
        return respond(request, 404, message=problem)
    usable = usable_rankers(has_vectors=False)
    is_started = request.method == "POST" and request.POST.get("action") != CHOOSE
    form = TrainForm(
        _posted(request, releases, release) if is_started else None,
        splits=list(selectors.splits(release)),
        initial={**TrainForm.defaults(usable), "name": _free_name(release), **_filled_in(request, releases, release)},
    )
    confirm = 0
    if is_started and form.is_valid():
        try:
            return _start(request, form, release)
        except TooManyToStart as question:
            confirm = question.runs
        except InvalidInput as error:
            form.add_error(error.field if error.field in form.fields else None, error.problem)
        except TesaError as error:
            form.add_error(None, error.message)
    context = {
        "releases": releases,
        "release": release,
        "form": form,
        "confirm": confirm,
        "usable": usable,
        "missing": [name for name, _ in form.fields["rankers"].choices if name not in usable],  # type: ignore[attr-defined]
        "has_vectors": len(form.fields["vectors"].choices) > 1,  # type: ignore[attr-defined]
        "vectors_folder": settings.VECTORS_FOLDER,
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
    }
    return render(request, "modeling/train.html", context, status=422 if form.errors or confirm else 200)


def _asked_release(request: HttpRequest, releases: list[Release]) -> Release | None:
    """Return the release of the form, else of the address, else the newest; None if that one does not exist."""
    asked = request.POST.get("release") or request.GET.get("release", "")
    return next((release for release in releases if str(release.pk) == asked), None if asked else releases[0])


def _posted(request: HttpRequest, releases: list[Release], release: Release) -> QueryDict:
    """Return the posted fields; a name that was suggested for another release becomes this release's suggestion."""
    posted = request.POST.copy()
    if posted.get("name") in {_free_name(other) for other in releases if other != release}:
        posted["name"] = _free_name(release)
    return posted


def _filled_in(request: HttpRequest, releases: list[Release], release: Release) -> dict[str, Any]:
    """Return the fields as filled in before another release was chosen, without the split of the old release."""
    if request.method != "POST":
        return {}
    posted = _posted(request, releases, release)
    filled: dict[str, Any] = {name: posted.get(name, "") for name in TrainForm.base_fields if name != "split"}
    return filled | {"rankers": posted.getlist("rankers")}


def _free_name(release: Release) -> str:
    """Return an unused name: the release's, with a number."""
    base = f"{release.name} v{release.version}"[:90]
    taken = set(Experiment.objects.filter(name__startswith=base).values_list("name", flat=True))
    return next(name for n in range(1, len(taken) + 2) if (name := f"{base}, experiment {n}") not in taken)


def _start(request: HttpRequest, form: TrainForm, release: Release) -> HttpResponse:
    cleaned, user = form.cleaned_data, signed_in(request)
    is_all = request.POST.get("action") == "all"
    everything = all_rankers(has_vectors=bool(cleaned["vectors"])) if is_all else None
    grid = form.chosen_grid(everything)
    runs = experiments.check_runs(grid, cleaned["folds"] or 1)
    if runs > MANY_RUNS and request.POST.get("confirmed") != str(runs):
        raise TooManyToStart(runs)
    splits_used = _splits(form, release, request)
    plan = experiments.Plan(
        name=cleaned["name"],
        split=splits_used[0],
        grid=grid,
        options=form.options,
        candidate_seed=1 if cleaned["candidate_seed"] is None else cleaned["candidate_seed"],
        vectors=cleaned["vectors"],
    )
    if cleaned["folds"]:
        created = experiments.create_fold_experiments(plan, splits_used, by=user)
    else:
        created = [experiments.create_experiment(plan, by=user)]
    for experiment in created:
        for job in experiments.open_jobs(experiment):
            jobs.nudge(job)
    on_folds = f": {runs // len(created)} on each of {len(created)} folds" if cleaned["folds"] else ""
    messages.success(request, f"This makes {runs} run{'' if runs == 1 else 's'} on {release}{on_folds}.")
    return redirect("experiment", created[0].pk)


def _splits(form: TrainForm, release: Release, request: HttpRequest) -> list[Split]:
    """Return the chosen split, a new split, or the requested number of folds."""
    cleaned = form.cleaned_data
    if cleaned["split"] not in ("", NEW):
        return [form.splits[cleaned["split"]]]
    seed = 1 if cleaned["split_seed"] is None else cleaned["split_seed"]
    rule, by = cleaned["rule"] or "paper", signed_in(request)
    if cleaned["folds"]:
        return splits.make_folds(release, cleaned["folds"], rule=rule, seed=seed, by=by)
    return [splits.make_split(release, rule=rule, seed=seed, by=by)]


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
            response["HX-Refresh"] = "true"  # to show the results
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
        "unfinished": sum(run.share == 100 and not run.finished_at for run in runs),
        "waiting": [] if open_runs else [run for run in runs if run.status == "waiting"],
        "broken": [run for run in runs if run.status in ("failed", "cancelled", "lost")],
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]) if is_waiting else [],
    }


def _results(experiment: Experiment, runs: list[Run]) -> dict[str, Any]:
    chosen = results.chosen_runs(runs)
    lines = results.results_table(runs)
    best = next((line for line in lines if line.is_chosen), None)
    chosen_ids = {run.pk for run in chosen}
    return {
        "lines": lines,
        "best": best,
        "best_run": next((run for run in chosen if best and run.pk == best.run), None),
        "parts": PARTS,
        "columns": COLUMNS,
        "texts": {name: FORMATS[name](lines) for name in FORMATS} if lines else {},
        "others": [run for run in runs if run.pk not in chosen_ids],
        "change": instances.against_next(chosen),
        "candidates": sum(bool(run.finished_at and run.share == 100) for run in runs),
        "plot": _plot(experiment, "methods", charts.methods(lines)),
        "size_plot": _plot(experiment, "training-size", charts.training_sizes(runs)),
        "breakdown_caption": _breakdown_caption(len(lines)),
        "breakdown_plot": _plot(experiment, "breakdown", _breakdown_rows(experiment, chosen)),
        "short": experiment.task_set.spec.get("short"),
        "left_out": len(experiment.task_set.spec.get("left_out", [])),
        "left_out_runs": results.left_out(experiment),
        "folds": folds.fold_set(experiment),
    }


def _plot(experiment: Experiment, name: str, rows: charts.Rows) -> PlotOnPage | None:
    return plot_on_page(PLOTS[name](rows), reverse("experiment-plot", args=[experiment.pk, name, "svg"]))


def _breakdown_caption(methods: int) -> str:
    which = "each method" if methods <= MOST_SERIES else f"the {MOST_SERIES} methods that validation likes best"
    return (
        f"Test MAP of {which}, with 95 % intervals where there are at least {LEAST} instances; "
        "under each value their number."
    )


def _breakdown_rows(experiment: Experiment, chosen: list[Run]) -> charts.Rows:
    """Return test figures of the chosen runs, best on validation first; none while these are hidden."""
    if results.is_test_hidden(experiment):
        return []
    runs = Run.objects.only("ranker", "metrics", "breakdowns", "number").filter(pk__in=[run.pk for run in chosen])
    return charts.breakdown(list(runs), "test")


@requires("modeling.view_experiment")
def results_file(request: HttpRequest, experiment_id: int, format: str) -> HttpResponse:
    """Return the results table as a file."""
    experiment = _experiment(experiment_id)
    text = FORMATS[format](results.results_table(results.runs_of(experiment)))
    if format == "csv" and wants_mark(request):
        text = csv_files.MARK + text
    return attachment(text, f"{slugify(experiment.name) or 'results'}.{format}", KINDS[format])


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
    messages.success(request, _cancelled(stopped))
    return redirect("experiment", experiment_id)


def _cancelled(stopped: int) -> str:
    if not stopped:
        return "There was nothing to cancel."
    return f"{stopped} run{'s' if stopped > 1 else ''} cancelled; what is running stops at its next step."


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
    return render(request, "modeling/experiment_delete.html", {"experiment": experiment})
