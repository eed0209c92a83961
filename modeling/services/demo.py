"""The demo's models, actually run on its release: every CPU ranker, and tiny neural ones where torch is installed."""

from __future__ import annotations

from django.conf import settings

from annotation.models import Release
from kernel.models import Job, User
from kernel.progress import Progress, Silent
from modeling.grids import Grid, all_rankers, parse_entries
from modeling.models import Experiment, Split, TaskSet
from modeling.services import experiments, running, splits

NAME = "Demo: all methods"
SEEDS = (1, 2, 3)
NEURAL_NAME = "Demo: tiny neural methods (random weights)"
SHORT = "checkpoint=tiny epochs=1 max_length=96 max_sentences=32 learning_rate=0.001"
NEURAL = (
    "random",
    "frequency",
    f"bart-pretrained longest_phrase=12 {SHORT.replace('epochs=1', 'epochs=0')}",
    f"bart-generative longest_phrase=12 text_format=v0,vc {SHORT}",
    f"bart-discriminative text_format=v0,vc {SHORT}",
)


class _Counting:
    """Progress over several runs: passes on the steps of each run, but counts whole runs."""

    def __init__(self, progress: Progress, done: int, total: int, label: str) -> None:
        self.progress, self.done, self.total, self.label = progress, done, total, label

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        self.progress.report(self.done, self.total, f"{self.label}: {step}" if step else self.label)

    def log(self, text: str) -> None:
        self.progress.log(f"{self.label}: {text}")


def run_demo_models(
    release: Release, *, by: User | None = None, progress: Progress | None = None, job: Job | None = None
) -> Experiment:
    """Split the release as the paper did and run all CPU rankers on it.

    Finished runs are not repeated, and runs that another job is executing are left to it.
    """
    experiment = Experiment.objects.filter(name=NAME).first()
    if experiment is None:
        split = splits.make_split(release, rule="paper", seed=1, by=by, is_demo=True)
        grid = Grid(all_rankers(has_vectors=False), SEEDS)
        plan = experiments.ExperimentPlan(name=NAME, split=split, grid=grid, is_demo=True)
        experiment = experiments.create_experiment(plan, by=by, is_queued=False)
    runs = list(experiment.runs.all())
    for number, run in enumerate(runs):
        counting = _Counting(progress or Silent(), number, len(runs), run.ranker)
        try:
            running.execute_run(run.pk, counting, job=job)
        except running.RunTaken as error:
            counting.log(error.message)
    return experiment


def queue_demo_neural_models(release: Release, *, by: User | None = None) -> list[Job]:
    """Queue tiny neural rankers once, as a test of everything, where torch is installed; return the jobs to nudge."""
    if not settings.HAS_TORCH or Experiment.objects.filter(name=NEURAL_NAME).exists():
        return []
    split = splits.make_split(release, rule="paper", seed=1, by=by, is_demo=True)
    plan = experiments.ExperimentPlan(name=NEURAL_NAME, split=split, grid=Grid(parse_entries(NEURAL)), is_demo=True)
    return experiments.open_jobs(experiments.create_experiment(plan, by=by))


def remove_demo_models() -> None:
    """Delete the demo's experiments with their files and splits, which protect the demo's release."""
    Job.objects.filter(runs__experiment__is_demo=True).delete()  # a running job stops when its row is gone
    for experiment in Experiment.objects.filter(is_demo=True):
        experiments.delete_experiment(experiment, by=None)
    demo = Split.objects.filter(is_demo=True, experiments=None)
    TaskSet.objects.filter(split__in=demo, experiments=None).delete()
    demo.filter(task_sets=None).delete()
