"""Creating experiments, each a grid of runs on one task set with a job per run; and changing them later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import OPEN_STATUSES, Job, User
from kernel.services import audit
from kernel.services import jobs as job_services
from kernel.values import Json, content_hash, storable
from modeling.candidates import CandidateOptions
from modeling.grids import MOST_RUNS, SHARES, Entry, Grid, PlannedRun, check_grid
from modeling.models import Experiment, Run, Split, TaskSet
from modeling.rankers import check_ranker, describe
from modeling.rankers.neural.fairseq_python import INSTALL, VARIABLE
from modeling.rankers.neural.settings import FAIRSEQ
from modeling.selectors import results, training_machines
from modeling.selectors.resources import ranker_resources
from modeling.services import run_files
from modeling.services.splits import check_seed

LONGEST_NAME = 100
RUN_KINDS = ("run_ranker", "run_neural_ranker")
SIZES = range(2, 1001)


@dataclass(frozen=True)
class ExperimentPlan:
    """What to run. `vectors` is kind:path, or empty."""

    name: str
    split: Split
    grid: Grid
    options: CandidateOptions = field(default_factory=CandidateOptions)
    candidate_seed: int = 1
    vectors: str = ""
    is_demo: bool = False

    @classmethod
    def of(
        cls, name: str, split: Split, entries: tuple[Entry, ...], seeds: Iterable[int], options: Mapping[str, Any]
    ) -> ExperimentPlan:
        """Return the plan of the options that the API and the command line share."""
        return cls(
            name=name,
            split=split,
            grid=Grid(entries, tuple(seeds), SHARES if options["size_curve"] else (100,)),
            options=CandidateOptions(
                size=options["candidates"],
                train_vocabulary=options["train_vocabulary"],
                spare_same_tuple=options["spare_same_tuple"],
                hard=options["hard"],
            ),
            candidate_seed=options["candidate_seed"],
            vectors=options["vectors"],
        )


def check_vectors(place: str) -> dict[str, str]:
    """Return kind, path and the present identity of the word vectors at kind:path, as experiments store them."""
    if not place:
        return {}
    kind, _, path = place.partition(":")
    vectors = ranker_resources({"kind": kind, "path": path}).vectors
    return {"kind": kind, "path": path, "identity": vectors.identity if vectors else ""}


def create_experiment(plan: ExperimentPlan, *, by: User | None, is_queued: bool = True) -> Experiment:
    """Create the experiment with a run for each cell of its grid, or nothing if one of them cannot run.

    The runs are queued; the caller nudges their jobs (`open_jobs`).
    """
    return create_experiments(plan, (), by=by, is_queued=is_queued)[0]


def create_experiments(
    plan: ExperimentPlan, folds: Sequence[Split], *, by: User | None, is_queued: bool = True
) -> list[Experiment]:
    """Create the planned experiment on each of these folds, or on none; without folds, on the split of the plan.

    The name on a fold gets the number of the fold.
    """
    plan = replace(plan, name=storable(plan.name).strip())
    plans = [replace(plan, name=fold_name(plan.name, split), split=split) for split in folds] or [plan]
    names = [fold_plan.name for fold_plan in plans]
    _check_name(plan.name, names)
    if plan.options.size not in SIZES:
        raise InvalidInput(f"must be from {SIZES[0]} to {SIZES[-1]}", field="size")
    if not 0 <= plan.options.hard <= plan.options.size:
        raise InvalidInput("there cannot be more hard distractors than candidates", field="hard")
    check_seed(plan.candidate_seed, "candidate_seed")
    for fold_plan in plans:
        _check_golds_fit(fold_plan)
    check_runs(check_grid(plan.grid), len(plans))
    cells, vectors = plan.grid.cells(), check_vectors(plan.vectors)
    _check_rankers(cells, has_vectors=bool(vectors))
    if is_queued:
        _check_machines(cells)
    _refuse_taken(names)
    try:
        with transaction.atomic():
            return [_create_one(fold_plan, cells, vectors, by, is_queued) for fold_plan in plans]
    except IntegrityError:  # somebody took the name meanwhile
        _refuse_taken(names)
        raise


def check_runs(grid: Grid, folds: int = 1) -> int:
    """Return the number of runs on these folds; raise InvalidInput if one request cannot start so many."""
    runs = len(grid.cells()) * folds
    if runs > MOST_RUNS:
        problem = f"these are {runs:,} runs on {folds} folds: choose fewer values or folds, at most {MOST_RUNS} runs"
        raise InvalidInput(problem, field="grid")
    return runs


def _create_one(
    plan: ExperimentPlan, cells: tuple[PlannedRun, ...], vectors: dict[str, str], by: User | None, is_queued: bool
) -> Experiment:
    experiment = Experiment.objects.create(
        name=plan.name,
        release=plan.split.release,
        split=plan.split,
        task_set=_task_set(plan),
        vectors=vectors,
        grid=plan.grid.to_json(),
        created_by=by,
        is_demo=plan.is_demo or plan.split.is_demo,
    )
    _add_runs(experiment, cells, by, is_queued)
    audit.record("create experiment", experiment, by=by, after={"runs": len(cells), "grid": experiment.grid})
    return experiment


def _check_name(name: str, fold_names: Sequence[str]) -> None:
    """Raise InvalidInput if the name is empty, or too long with the number of the fold."""
    added = max(map(len, fold_names)) - len(name)
    if not 0 < len(name) <= LONGEST_NAME - added:
        problem = f"give the experiment a name of at most {LONGEST_NAME - added} characters"
        raise InvalidInput(f"{problem}, because each fold adds its number" if added else problem, field="name")


def fold_name(name: str, split: Split) -> str:
    assert split.fold is not None  # noqa: S101  (for the type checker)
    return f"{storable(name).strip()}, fold {split.fold + 1} of {split.parameters['folds']}"


def _check_golds_fit(plan: ExperimentPlan) -> None:
    """Raise InvalidInput if an instance has more golds than candidates: every run would fail."""
    counts = [int(golds) for part in plan.split.statistics.values() for golds in part.get("by_golds", {})]
    if (most := max(counts, default=0)) > plan.options.size:
        problem = f"an instance has {most} golds, which do not fit in {plan.options.size} candidates: choose more"
        raise InvalidInput(problem, field="size")


def _refuse_taken(names: Sequence[str]) -> None:
    taken = Experiment.objects.filter(name__in=names).order_by("pk").first()
    if taken:
        raise WrongState(f"An experiment named “{taken}” exists: choose another name.")


def _check_rankers(cells: Sequence[PlannedRun], *, has_vectors: bool) -> None:
    for cell in cells:
        try:
            check_ranker(cell.ranker, cell.parameters, has_vectors=has_vectors)
        except InvalidInput as error:
            raise InvalidInput(f"{cell.ranker}: {error}", field="rankers") from error


def _check_machines(cells: Sequence[PlannedRun]) -> None:
    """Raise InvalidInput if workers are alive that can train, and none has the checkpoint or backend asked for.

    A worker of another version could take up any run, so it stops them all.
    """
    machines = training_machines.training_machines()
    known = training_machines.known_checkpoints(machines)
    for cell in cells if machines else ():
        ranker = describe(cell.ranker)
        if not ranker.is_neural:
            continue
        for problem in filter(None, (machine.version_problem for machine in machines)):
            raise InvalidInput(f"{cell.ranker}: {problem}")
        name = str(cell.parameters.get("checkpoint", getattr(ranker.settings, "checkpoint", "")))
        if name not in known:
            problem = f"no running worker has the checkpoint {name!r}; they have {', '.join(known)}"
            raise InvalidInput(f"{cell.ranker}: {problem}", field="checkpoint")
        if cell.backend == FAIRSEQ and not any(machine.fairseq for machine in machines):
            command = f"run {INSTALL} on a training machine, and restart its worker with {VARIABLE}"
            raise InvalidInput(f"{cell.ranker}: no running worker has fairseq: {command}", field="backend")


def _task_set(plan: ExperimentPlan) -> TaskSet:
    fields: dict[str, Json] = {"options": plan.options.to_json(), "seed": plan.candidate_seed}
    task_set, _ = TaskSet.objects.get_or_create(split=plan.split, recipe_hash=content_hash(fields), defaults=fields)
    return task_set


def _add_runs(experiment: Experiment, cells: tuple[PlannedRun, ...], by: User | None, is_queued: bool) -> None:
    runs = Run.objects.bulk_create(
        Run(
            experiment=experiment,
            number=number,
            ranker=cell.ranker,
            parameters=dict(cell.parameters),
            seed=cell.seed,
            share=cell.share,
        )
        for number, cell in enumerate(cells, start=1)
    )
    if is_queued:
        for kind in RUN_KINDS:
            of_kind = [run for run in runs if job_kind(run.ranker) == kind]
            jobs = job_services.create_jobs(kind, map(job_request, of_kind), by=by)
            for run, job in zip(of_kind, jobs, strict=True):
                run.job = job
        Run.objects.bulk_update(runs, ["job"])


def job_kind(ranker: str) -> str:
    """Return the kind of job that runs this ranker: neural ones have a queue of their own."""
    return RUN_KINDS[describe(ranker).is_neural]


def job_request(run: Run) -> job_services.JobRequest:
    """Return the job that executes this run."""
    return job_services.JobRequest(f"{run.experiment.name}: {run.label}", {"run": run.pk}, f"run {run.pk}")


def open_jobs(experiment: Experiment) -> list[Job]:
    """Return the queued and running jobs of its runs, each once: a job may execute several runs."""
    return [*Job.objects.filter(pk__in=experiment.runs.order_by().values("job"), status__in=OPEN_STATUSES)]


def cancel_experiment(experiment: Experiment, *, by: User | None) -> int:
    """Cancel every queued or running run; return their number."""
    stopped = 0
    for job in open_jobs(experiment):
        with suppress(WrongState):  # it ended meanwhile
            job_services.cancel_job(job.pk, by=by)
            stopped += 1
    return stopped


def resume_experiment(experiment: Experiment, *, by: User | None) -> list[Job]:
    """Queue every run that has neither finished nor an open job; return the jobs.

    A job that executes all runs is retried alone: the runs it has not started wait for it.
    """
    unfinished = experiment.runs.filter(finished_at=None).filter(Q(job=None) | ~Q(job__status__in=[*OPEN_STATUSES]))
    runs = list(unfinished.select_related("experiment", "job"))
    retried = [run.job for run in runs if run.job and run.job.status in job_services.RETRYABLE]
    for job in retried:
        if job.kind not in RUN_KINDS:
            return [job_services.retry_job(job.pk, by=by)]
    jobs = [job_services.retry_job(job.pk, by=by) for job in retried]
    return jobs + [new for run in runs if run.job not in retried and (new := _queue_again(run, by))]


def resume_run(run: Run, *, by: User | None) -> Job:
    """Queue an unfinished run that has no open job; a neural one continues at its last checkpoint."""
    if run.job and run.job.status in job_services.RETRYABLE and run.job.kind in RUN_KINDS:
        return job_services.retry_job(run.job.pk, by=by)
    job = None if run.finished_at or (run.job and run.job.is_open) else _queue_again(run, by)
    if job is None:
        raise WrongState(f"{run} has finished, or is queued or running.")
    return job


@transaction.atomic
def _queue_again(run: Run, by: User | None) -> Job | None:
    """Give the run a new job; None if another job took it meanwhile."""
    if not Run.objects.select_for_update().filter(pk=run.pk, finished_at=None, job=run.job_id).exists():
        return None
    (run.job,) = job_services.create_jobs(job_kind(run.ranker), [job_request(run)], by=by)
    run.save(update_fields=["job"])
    return run.job


@transaction.atomic
def leave_out_unfinished(experiment: Experiment, *, by: User | None) -> list[str]:
    """Delete the unfinished runs, so that validation can choose; return their labels.

    Raises WrongState while one is queued or running. Their files are deleted too; the audit trail keeps their labels.
    """
    if open_jobs(experiment):
        raise WrongState(f"Runs of “{experiment}” are queued or running: cancel them first.")
    unfinished = experiment.runs.filter(finished_at=None)
    if unfinished.count() == experiment.runs.count():
        raise WrongState(f"No run of “{experiment}” has finished: resume them, or delete the experiment.")
    labels = [run.label for run in unfinished]
    for run in unfinished:
        run_files.remove_files(run.pk, run.folder)
        run.delete()
    if labels:
        audit.record(results.LEFT_OUT, experiment, by=by, before={"runs": [*labels]})
    return labels


@transaction.atomic
def open_test(experiment: Experiment, *, by: User | None) -> None:
    """Show the test figures of all runs from now on, and record who opened them. This cannot be undone."""
    name = by.username if by else "the command line"
    opened = Experiment.objects.filter(pk=experiment.pk, opened_at=None).update(opened_at=now(), opened_by=name)
    if opened:
        audit.record("open test figures", experiment, by=by)


def delete_experiment(experiment: Experiment, *, by: User | None) -> None:
    """Delete an experiment with its runs and their files; raise WrongState while a run is queued or running."""
    if open_jobs(experiment):
        raise WrongState(f"Runs of “{experiment}” are queued or running: cancel them first.")
    folders = {run.pk: run.folder for run in experiment.runs.all()}
    audit.record("delete experiment", experiment, by=by, before={"runs": len(folders), "grid": experiment.grid})
    for run in experiment.runs.all():
        run.delete()  # one at a time: each has hundreds of predictions
    experiment.delete()
    for run_id, folder in folders.items():
        run_files.remove_files(run_id, folder)
