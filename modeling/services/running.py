"""Executing runs: first a work folder, then files in the storage and rows for the pages.

The files are the truth. Everything that pages show of a run comes from them.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from kernel.clock import now
from kernel.errors import Cancelled, InvalidInput, WrongState
from kernel.models import Job
from kernel.progress import Progress
from kernel.values import Json, batches
from modeling import live, machine
from modeling.dataset import Dataset
from modeling.evaluation import Evaluation
from modeling.execution import EVALUATED, RunResult, execute
from modeling.metrics import PRIMARY
from modeling.models import Prediction, Run, TaskRow, TaskSet
from modeling.rankers import RANKERS, preparation_label
from modeling.rankers.neural.work_folder import WorkFolder
from modeling.run_folder import NEURAL, OPTIONAL, REPEATABLE, RunFolder
from modeling.selectors.datasets import dataset_of
from modeling.selectors.resources import ranker_resources
from modeling.services import run_files, watching
from modeling.split_statistics import is_seen, known_entities
from modeling.weights import weights_of
from modeling.words import check_prepared

ROWS = 200  # per transaction
NOTHING_TO_RANK = (
    "no instance of the validation or test part can be ranked: each needs a phrase and distractors from other "
    "instances of its type. Freeze a release with more instances"
)


class _Logging:
    """Progress that also writes each line to the run's log."""

    def __init__(self, progress: Progress, folder: RunFolder) -> None:
        self.progress, self.folder = progress, folder

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        self.progress.report(done, total, step)

    def log(self, text: str) -> None:
        self.progress.log(text)
        self.folder.log(text)


def execute_run(run_id: int, progress: Progress, *, job: Job | None = None) -> Run:
    """Execute a run, or continue it where it was interrupted. A finished run is left alone.

    `job` executes it: the run shows its state. Raises RunTaken if another job is executing the run.
    """
    run = _run(run_id)
    if run.finished_at:
        return run
    if job is not None:
        _claim(run, job)
    check_preparations(run.experiment.runs.exclude(finished_at=None))
    started = time.monotonic()
    progress.report(0, None, "Drawing candidates")
    dataset = dataset_of(run.experiment.task_set)
    if not (dataset["valid"] or dataset["test"]):
        raise InvalidInput(NOTHING_TO_RANK, field="split")
    fill_task_set(run.experiment.task_set, dataset)
    work = run_files.work_folder(run.pk)
    result = _compute(run, dataset, work, progress)
    progress.report(0, None, "Saving predictions")
    _check_still_ours(run, job)
    _store_predictions(run, result, progress)
    _check_still_ours(run, job)
    run.hashes = run_files.store_files(run, work, progress)
    _store_results(run, result, RunFolder(work), job=job, seconds=time.monotonic() - started)
    shutil.rmtree(work, ignore_errors=True)
    return run


class RunTaken(WrongState):
    """Another job is executing the run."""


@transaction.atomic
def _claim(run: Run, job: Job) -> None:
    """Record that this job executes the run, unless another queued or running job does."""
    locked = Run.objects.select_for_update().filter(pk=run.pk).first()
    other = locked.job if locked else None
    if other and other != job and other.is_open:
        raise RunTaken(f"Job {other.pk} is executing {run}: wait for it, or cancel it first.")
    run.job = job
    run.save(update_fields=["job"])


def _check_still_ours(run: Run, job: Job | None) -> None:
    """Raise Cancelled, before anything is replaced, if the run was finished, taken over or deleted meanwhile."""
    ours = Run.objects.filter(pk=run.pk, finished_at=None)
    if job is not None:
        ours = ours.filter(job=job.pk, job__attempt=job.attempt)
    if not ours.exists():
        raise Cancelled("The run was finished or deleted, or another job took it over.")


def _run(run_id: int) -> Run:
    run = Run.objects.select_related("experiment__task_set__split__release").filter(pk=run_id).first()
    if run is None:
        raise InvalidInput("the run no longer exists: it was left out, or its experiment was deleted", field="run")
    return run


def spec_of(run: Run, dataset_hash: str) -> dict[str, Json]:
    """Return the run's specification, without anything that differs when the run is repeated."""
    experiment = run.experiment
    return {
        "schema": 2,
        "release": experiment.split.release.content_hash,
        "split": experiment.split.content_hash,
        "dataset": dataset_hash,
        "candidates": {**experiment.task_set.options, "seed": experiment.task_set.seed},
        "ranker": run.ranker,
        "preparation": preparation_label(run.ranker, run.parameters),
        "parameters": run.parameters,
        "seed": run.seed,
        "share": run.share,
        "vectors": experiment.vectors.get("identity"),
        "tesa": settings.VERSION,
    }


def _compute(run: Run, dataset: Dataset, work: Path, progress: Progress, *, is_repeated: bool = False) -> RunResult:
    """Execute the run in a folder. `is_repeated` computes features again, and shows nothing on the run's page."""
    how: dict[str, Any] = {"cache": None} if is_repeated else {"watch": watching.Watch(run)}
    resources = replace(ranker_resources(run.experiment.vectors), work=work / NEURAL, **how)
    ranker = RANKERS[run.ranker](run.parameters, resources)
    spec = spec_of(run, dataset.content_hash())
    try:
        folder = RunFolder.open(work, spec)
    except (WrongState, InvalidInput):  # started by another version, or damaged: start over
        shutil.rmtree(work)
        folder = RunFolder.open(work, spec)
    logging = _Logging(progress, folder)
    return execute(ranker, dataset, folder, seed=run.seed, progress=logging, share=run.share)


def check_preparations(runs: QuerySet[Run]) -> None:
    """Raise WrongState if another version prepared the words of a finished run: its figures cannot be compared."""
    for run in runs.select_related("experiment").only("ranker", "parameters", "preparation", "number", "experiment"):
        check_prepared(run.preparation, preparation_label(run.ranker, run.parameters), what=str(run))


# ---- Rows -----------------------------------------------------------------------------------------


def fill_task_set(task_set: TaskSet, dataset: Dataset) -> None:
    """Store the tasks that predictions are made for, once. Two runs may do so at the same time."""
    if task_set.content_hash:
        return
    known = known_entities(task.item for task in dataset["train"])
    rows = [
        TaskRow(
            task_set=task_set,
            part=part,
            position=position,
            key=task.key,
            type=task.item.entity_type.value,
            size=len(task.item.entities),
            is_seen=is_seen(task.item, known),
            entities=[*task.item.entities],
            phrases=[*task.phrases],
            labels=[*task.labels],
        )
        for part in EVALUATED
        for position, task in enumerate(dataset[part])
    ]
    for batch in batches(rows, ROWS):
        TaskRow.objects.bulk_create(batch, ignore_conflicts=True)
    task_set.content_hash, task_set.spec = dataset.content_hash(), dict(dataset.spec)
    task_set.sizes = {part: len(tasks) for part, tasks in dataset.parts.items()}
    task_set.save(update_fields=["content_hash", "spec", "sizes"])


def _store_predictions(run: Run, result: RunResult, progress: Progress) -> None:
    """Store one row per task, replacing the rows of an interrupted attempt."""
    ids = dict(TaskRow.objects.filter(task_set=run.experiment.task_set_id).values_list("key", "pk"))
    rows = [
        Prediction(
            run=run,
            task_id=ids[key],
            part=part,
            scores=[*scores],
            **{metric: float(evaluation.values[metric][place]) for metric in PRIMARY},
        )
        for part, evaluation in result.evaluations.items()
        for place, (key, scores) in enumerate(zip(evaluation.keys, result.scores[part], strict=True))
    ]
    Prediction.objects.filter(run=run).delete()
    stored = 0
    for batch in batches(rows, ROWS):
        stored += len(Prediction.objects.bulk_create(batch))
        progress.report(stored, len(rows), "Saving predictions")


@transaction.atomic
def _store_results(run: Run, result: RunResult, folder: RunFolder, *, job: Job | None, seconds: float) -> None:
    """Store what the pages show; from now on the run has finished."""
    Run.objects.select_for_update().filter(pk=run.pk).first()  # so that nobody takes it between the check and the save
    _check_still_ours(run, job)
    run.metrics = _figures(folder.metrics())
    run.preparation = preparation_label(run.ranker, run.parameters)
    run.tie_broken = {part: _tie_broken(evaluation) for part, evaluation in result.evaluations.items()}
    run.breakdowns = {part: _breakdown(evaluation) for part, evaluation in result.evaluations.items()}
    run.curve = [{name: value for name, value in row.items() if name != "kind"} for row in result.curve]
    run.weights = weights_of(folder.model() or {})
    neural = WorkFolder(folder.path / NEURAL)
    trained_on, reports = neural.machine(), neural.progress()
    run.live = live.summary(reports) if reports else {}
    run.versions = machine.versions(settings.VERSION, trained_on)
    run.hardware = machine.hardware(trained_on)
    run.seconds, run.finished_at = seconds, now()
    run.save()


def _figures(rows: list[Mapping[str, Json]]) -> dict[str, Any]:
    """Return part → metric → figure from the result rows of metrics.jsonl."""
    figures: dict[str, Any] = {}
    for row in rows:
        if row.get("kind") == "result":
            figure = {name: value for name, value in row.items() if name not in ("kind", "part", "metric")}
            figures.setdefault(str(row["part"]), {})[str(row["metric"])] = figure
    return figures


def _tie_broken(evaluation: Evaluation) -> dict[str, float]:
    return {metric: float(values.mean()) for metric, values in evaluation.tie_broken.items()}


def _breakdown(evaluation: Evaluation) -> dict[str, Any]:
    return {
        name: {
            value: {"n": len(places)} | {metric: evaluation.figure(metric, places).to_json() for metric in PRIMARY}
            for value, places in groups.items()
        }
        for name, groups in evaluation.groups.items()
    }


def verify_run(run_id: int, progress: Progress) -> dict[str, bool]:
    """Repeat a finished run in a temporary folder; return for each file whether it came out the same.

    Features are computed again too: cached ones would hide a difference. A GPU does not repeat itself bit by bit: if
    one was used, now or then, only the scores are compared, within a tolerance.
    """
    run = _run(run_id)
    if not run.finished_at:
        raise WrongState(f"{run} has not finished: there is nothing to compare with.")
    check_preparations(Run.objects.filter(pk=run.pk))
    dataset = dataset_of(run.experiment.task_set)
    with tempfile.TemporaryDirectory(prefix="tesa-verify-") as name:
        folder = Path(name) / "run"
        result = _compute(run, dataset, folder, progress, is_repeated=True)
        now_on = machine.hardware(WorkFolder(folder / NEURAL).machine())
        if machine.is_exact(run.hardware) and machine.is_exact(now_on):
            names = [*REPEATABLE, *(name for name in OPTIONAL if name in run.hashes)]
            return {name: _sha256(folder / name) == run.hashes.get(name) for name in names}
    return {f"scores (more than {machine.TOLERANCE} apart)": _are_close(run, result)}


def _sha256(path: Path) -> str:
    return run_files.sha256(path) if path.exists() else ""


def _are_close(run: Run, result: RunResult) -> bool:
    """Return whether no score is further from the stored one than the tolerance."""
    stored = dict(run.predictions.values_list("task__key", "scores"))
    return all(
        abs(float(new) - float(old)) <= machine.TOLERANCE
        for part, evaluation in result.evaluations.items()
        for key, scores in zip(evaluation.keys, result.scores[part], strict=True)
        for new, old in zip(scores, stored[key], strict=True)
    )
