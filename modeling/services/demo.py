"""The demo's models: every ranker that needs no more than a processor, really run on the demo's release."""

from __future__ import annotations

from annotation.models import Release
from modeling.grids import Grid, all_rankers
from modeling.models import Experiment, Split, TaskSet
from modeling.services import experiments, running, splits
from tesa_site.kernel.models import Job, User
from tesa_site.kernel.progress import Progress, Silent

NAME = "Demo: all rankers"
SEEDS = (1, 2, 3)


class _Counting:
    """Progress over several runs: their own steps are told, their numbers are not."""

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

    What is there already is not run again, and what another job has in hand is left to it.
    """
    experiment = Experiment.objects.filter(name=NAME).first()
    if experiment is None:
        split = splits.make_split(release, rule="paper", seed=1, by=by, is_demo=True)
        grid = Grid(all_rankers(has_vectors=False), SEEDS)
        plan = experiments.Plan(name=NAME, split=split, grid=grid, is_demo=True)
        experiment = experiments.create_experiment(plan, by=by, is_queued=False)
    runs = list(experiment.runs.all())
    for number, run in enumerate(runs):
        counting = _Counting(progress or Silent(), number, len(runs), run.ranker)
        try:
            running.execute_run(run.pk, counting, job=job)
        except running.RunTaken as error:
            counting.log(error.message)
    return experiment


def remove_demo_models() -> None:
    """Take the demo's experiments out, with their files and splits: releases can only go after them."""
    Job.objects.filter(runs__experiment__is_demo=True).delete()  # one that runs finds itself taken away
    for experiment in Experiment.objects.filter(is_demo=True):
        experiments.delete_experiment(experiment, by=None)
    demo = Split.objects.filter(is_demo=True, experiments=None)
    TaskSet.objects.filter(split__in=demo, experiments=None).delete()
    demo.filter(task_sets=None).delete()
