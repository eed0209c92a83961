"""The Train page: starting experiments, and the machines that can train neural models."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from annotation.models import Release
from kernel import jobs
from kernel import selectors as kernel_selectors
from kernel.errors import InvalidInput, TesaError
from kernel.values import whole_number
from kernel.views.access import requires, signed_in
from kernel.views.errors import respond
from modeling.forms import NEW, TrainForm
from modeling.grids import Grid, all_rankers
from modeling.models import Experiment, Split
from modeling.presets import PRESETS
from modeling.rankers import DESCRIPTIONS, VECTORS, neural_rankers, usable_rankers
from modeling.selectors import training_machines
from modeling.selectors.datasets import check_task_type, frozen_releases, other_releases, rankable_releases, splits_of
from modeling.services import experiments, splits
from modeling.significance import LEAST

CHOOSE = "choose"
SHOWN_OTHERS = 20  # releases that cannot be used
MANY_RUNS = 100  # more need a second click that confirms their number


class TooManyToStart(Exception):
    """This number of runs needs a second click."""

    def __init__(self, runs: int) -> None:
        super().__init__(f"{runs} runs")
        self.runs = runs


@requires("modeling.add_experiment")
def new_experiment(request: HttpRequest) -> HttpResponse:
    """Start the runs of the form. The button *Choose* shows the form for another release, as filled in."""
    releases = list(rankable_releases().only("id", "name", "version", "size"))
    asked = request.POST.get("release") or request.GET.get("release", "")
    release = next((release for release in releases if str(release.pk) == asked), None)
    if asked and release is None:
        return _not_offered(request, asked)
    if not releases:
        return render(request, "modeling/train.html", {"releases": [], **_others()})
    release = release or releases[0]
    usable, machines = usable_rankers(has_vectors=False), training_machines.training_machines()
    checkpoints = training_machines.known_checkpoints(machines)
    is_started = request.method == "POST" and request.POST.get("action") != CHOOSE
    form = TrainForm(
        _posted(request, releases, release) if is_started else None,
        splits=list(splits_of(release)),
        checkpoints=checkpoints,
        initial={
            **TrainForm.defaults(usable),
            "name": _free_name(release),
            "checkpoint": training_machines.suggested_checkpoint(checkpoints),
            **_filled_in(request, releases, release),
        },
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
        **_others(),
        "is_small": release.size // 4 < LEAST,  # a quarter of it is for testing
        "form": form,
        "confirm": confirm,
        "usable": usable,
        "neural": neural_rankers(),
        "missing": [name for name, ranker in DESCRIPTIONS.items() if VECTORS in ranker.needs],
        "machines": machines,
        "has_fairseq": any(machine.fairseq for machine in machines),
        "presets": PRESETS,
        "has_vectors": len(form.fields["vectors"].choices) > 1,  # type: ignore[attr-defined]
        "vectors_folder": settings.VECTORS_FOLDER,
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
    }
    return render(request, "modeling/train.html", context, status=422 if form.errors or confirm else 200)


def _others() -> dict[str, Any]:
    """Return some of the releases that nothing can be trained on, and how many there are."""
    others = other_releases()
    return {"others": others.defer("statistics")[:SHOWN_OTHERS], "other_count": others.count()}


def _not_offered(request: HttpRequest, asked: str) -> HttpResponse:
    """Say why there is nothing to train on in the release of this number."""
    release = frozen_releases().filter(pk=whole_number(asked) or 0).first()
    if release is None:
        problem = "There is no frozen release with this number: it was deleted, or is not frozen yet."
        return respond(request, 404, message=problem)
    check_task_type(release)
    return redirect("experiment-new")


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
    grid = _grid(form, request.POST.get("action", ""))
    runs = experiments.check_runs(grid, cleaned["folds"] or 1)
    if runs > MANY_RUNS and request.POST.get("confirmed") != str(runs):
        raise TooManyToStart(runs)
    splits_used = _splits(form, release, request)
    plan = experiments.ExperimentPlan(
        name=cleaned["name"],
        split=splits_used[0],
        grid=grid,
        options=form.options,
        candidate_seed=1 if cleaned["candidate_seed"] is None else cleaned["candidate_seed"],
        vectors=cleaned["vectors"],
    )
    created = experiments.create_experiments(plan, splits_used if cleaned["folds"] else [], by=user)
    for experiment in created:
        for job in experiments.open_jobs(experiment):
            jobs.nudge(job)
    on_folds = f": {runs // len(created)} on each of {len(created)} folds" if cleaned["folds"] else ""
    messages.success(request, f"This makes {runs} run{'' if runs == 1 else 's'} on {release}{on_folds}.")
    return redirect("experiment", created[0].pk)


def _grid(form: TrainForm, action: str) -> Grid:
    """Return the grid of a preset, of everything that any worker can run, or of the ticked methods."""
    if action in PRESETS:
        return form.preset_grid(PRESETS[action])
    has_vectors = bool(form.cleaned_data["vectors"])
    return form.chosen_grid(all_rankers(has_vectors=has_vectors) if action == "all" else None)


def _splits(form: TrainForm, release: Release, request: HttpRequest) -> list[Split]:
    """Return the chosen split, a new split, or the requested number of folds."""
    cleaned = form.cleaned_data
    if cleaned["split"] not in ("", NEW):
        return [form.splits[cleaned["split"]]]
    seed = 1 if cleaned["split_seed"] is None else cleaned["split_seed"]
    by, folds = signed_in(request), cleaned["folds"] or 0
    return splits.make_splits(release, folds, rule=cleaned["rule"] or "paper", seed=seed, by=by)


@requires("modeling.view_experiment")
def machine_list(request: HttpRequest) -> HttpResponse:
    """Show the workers that can train neural models, and the checkpoints they have."""
    context = {
        "machines": training_machines.training_machines(),
        "presets": training_machines.MADE_IN_CODE,
        "models_folder": settings.MODELS_DIR,
    }
    return render(request, "modeling/machines.html", context)
