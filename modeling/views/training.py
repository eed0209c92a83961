"""A neural run while it trains: what its page shows, stopping and resuming it, and its weights to download."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from kernel import jobs
from kernel import selectors as kernel_selectors
from kernel.errors import TesaError
from kernel.plots.drawing import Plot
from kernel.views.access import requires, signed_in
from kernel.views.plots import svg
from modeling.models import Run
from modeling.plots import training
from modeling.run_folder import WEIGHTS
from modeling.services import experiments, watching


def _run(run_id: int) -> Run:
    return get_object_or_404(Run.objects.select_related("experiment", "job"), pk=run_id)


def live_context(run: Run) -> dict[str, Any]:
    """Return what the part of the page that asks again every few seconds shows."""
    is_open = bool(run.job and run.job.is_open and not run.finished_at)
    return {
        "run": run,
        "is_open": is_open,
        "is_training": is_open and run.status == "running",
        "last": run.live.get("last", {}),
        "best": max((row["valid_ap"] for row in run.live.get("valid", [])), default=None),
        "hours": run.live.get("seconds", 0) / 3600,
        "drawn": svg(plot(run)),
        "queues_without_worker": kernel_selectors.queues_without_worker([run.job.queue])
        if run.job and run.status == "queued"
        else [],
    }


def rows_of(run: Run) -> list[dict[str, Any]]:
    """Return the points of the curves, for the plot and its CSV file."""
    return sorted([*run.live.get("curve", []), *run.live.get("valid", [])], key=lambda row: row["update"])


def plot(run: Run) -> Plot | None:
    losses, valid = run.live.get("curve", []), run.live.get("valid", [])
    return training.plot([*losses, *({"update": row["update"], "valid_ap": row["valid_ap"]} for row in valid)])


@require_POST
@requires("modeling.train_run")
def stop(request: HttpRequest, run_id: int) -> HttpResponse:
    """End training after this epoch; the run then scores and finishes as usual."""
    try:
        watching.stop_after_epoch(_run(run_id), by=signed_in(request))
    except TesaError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "Training ends after this epoch. The run then scores its tasks and finishes.")
    return redirect("run", run_id)


@require_POST
@requires("modeling.train_run")
def resume(request: HttpRequest, run_id: int) -> HttpResponse:
    """Queue a run again that failed or was interrupted; training continues at its last checkpoint."""
    try:
        jobs.nudge(experiments.resume_run(_run(run_id), by=signed_in(request)))
    except TesaError as error:
        messages.error(request, error.message)
    return redirect("run", run_id)


@requires("modeling.train_run")
def weight_file(request: HttpRequest, run_id: int, name: str) -> HttpResponseBase:
    """Return a file of the trained model, to people who may train."""
    run = _run(run_id)
    path = f"{run.folder}/{WEIGHTS}/{name}"
    if f"{WEIGHTS}/{name}" not in run.weight_names or not default_storage.exists(path):
        raise Http404
    return FileResponse(default_storage.open(path), as_attachment=True, filename=f"run-{run.pk}-{name}")
