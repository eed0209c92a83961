"""Jobs that execute one run, or the runs of the demo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import reverse

from annotation.models import Release
from kernel import jobs
from kernel.errors import InvalidInput
from kernel.job_kind import JobKind, JobResult
from kernel.jobs.running import JobProgress
from kernel.models import Job, User
from kernel.progress import Progress
from kernel.values import counted
from modeling import devices
from modeling.models import Experiment
from modeling.selectors import instances, results


def _job(progress: Progress) -> Job | None:
    return progress.job if isinstance(progress, JobProgress) else None


def run_ranker(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Execute one run. An interrupted run continues at its first missing file."""
    from modeling.services import running  # numpy and all: web processes import this module for its labels

    run = running.execute_run(int(parameters["run"]), progress, job=_job(progress))
    if not results.has_open_runs(run.experiment):
        warm(run.experiment)
    figure = run.metrics.get("valid", {}).get("ap")
    valid_map = f" Validation MAP {figure['mean']:.3f}." if figure else ""
    return JobResult(f"{run.label} has finished.{valid_map}", reverse("run", args=[run.pk]))


def warm(experiment: Experiment) -> None:
    """Fill the caches of the experiment's page."""
    runs = list(results.runs_of(experiment))
    results.results_table(runs)
    instances.against_next(results.chosen_runs(runs))


RUN_RANKER = JobKind(
    label="Train method", queue="default", run=run_ranker, repeatable=True, permission="modeling.train_run"
)


@contextmanager
def reserve_device() -> Iterator[bool]:
    """Hold a GPU (or the CPU) for a job; False if all are taken: the job then stays queued."""
    with devices.reserved(Path(settings.VAR) / "locks") as device:
        yield device is not None


RUN_NEURAL_RANKER = JobKind(
    label="Train neural method",
    queue="gpu",
    run=run_ranker,
    repeatable=True,
    permission="modeling.train_run",
    reserve=reserve_device,
)


def try_run(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Rank and generate phrases for a question that somebody typed."""
    from modeling.services import trials

    trial = trials.carry_out(int(parameters["trial"]), progress)
    return JobResult(f"{trial.run.label} has answered.", trial.get_absolute_url())


TRY_RUN = JobKind(
    label="Try model", queue="gpu", run=try_run, repeatable=True, permission="modeling.view_run", reserve=reserve_device
)


def demo_models(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Run every CPU ranker on a release, one after the other; finished runs are not repeated."""
    from modeling.services import demo

    release = Release.objects.filter(pk=parameters["release"]).first()
    if release is None:
        raise InvalidInput("the release no longer exists", field="release")
    by = User.objects.filter(pk=parameters.get("by") or 0).first()
    experiment = demo.run_demo_models(release, by=by, progress=progress, job=_job(progress))
    for job in demo.queue_demo_neural_models(release, by=by):
        jobs.nudge(job)
    return JobResult(
        f"{counted(experiment.runs.count(), 'run')} on {release}.", reverse("experiment", args=[experiment.pk])
    )


DEMO_MODELS = JobKind(
    label="Train demo models", queue="default", run=demo_models, repeatable=True, permission="modeling.train_run"
)
