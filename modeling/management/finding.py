"""What the commands share: looking up rows by name or number, and checking what may be shown."""

from __future__ import annotations

from django.core.management.base import CommandError

from annotation.models import Release
from kernel.management.running import row_named
from kernel.models import User
from modeling.models import Experiment, Run, Split, TaskRow
from modeling.selectors import results
from modeling.selectors.datasets import frozen_releases
from modeling.services import experiments


def release_named(name: str) -> Release:
    """Return the newest frozen version of a release, or the version of `name:version`."""
    base, _, version = name.rpartition(":")
    frozen = frozen_releases()
    release = frozen.filter(name=name).order_by("-version").first()
    if release is None and base and version.isdecimal():
        release = frozen.filter(name=base, version=int(version)).first()
    if release is None:
        known = ", ".join(f"{other.name}:{other.version}" for other in frozen) or "none"
        raise CommandError(f"there is no frozen release {name!r}; known: {known}")
    return release


def split_numbered(number: int) -> Split:
    split = Split.objects.select_related("release").filter(pk=number).first()
    if split is None:
        raise CommandError(f"there is no split {number}; make one with manage.py make_split RELEASE")
    return split


def experiment_named(name: str) -> Experiment:
    return row_named(Experiment.objects.all(), name, "experiment")


def experiments_named(name: str) -> list[Experiment]:
    """Return the experiment of that name; if there is none, the experiments on its folds (“NAME, fold 1 of 5”)."""
    if not Experiment.objects.filter(name=name).exists():
        folds = Experiment.objects.filter(name__startswith=f"{name}, fold ", split__fold__isnull=False)
        alike = [fold for fold in folds.select_related("split") if fold.name == experiments.fold_name(name, fold.split)]
        if alike:
            return sorted(alike, key=lambda fold: fold.split.fold or 0)
    return [experiment_named(name)]


def run_numbered(number: int) -> Run:
    run = Run.objects.select_related("experiment").filter(pk=number).first()
    if run is None:
        raise CommandError(f"there is no run {number}: the number of a run is in the address of its page")
    return run


def check_shown(run: Run, part: str) -> None:
    """Raise CommandError if the run's pages would not show figures of this part."""
    if part not in results.shown_parts(run):
        raise CommandError(
            f"validation did not choose run {run.pk}, or others have not finished: show its test figures first "
            f"(manage.py run_experiment {run.experiment.name!r} --open-test)"
        )


def task_named(experiment: Experiment, key: str) -> TaskRow:
    """Return the one instance whose key begins with `key`."""
    tasks = list(TaskRow.objects.filter(task_set=experiment.task_set_id, key__startswith=key)[:2]) if key else []
    if not tasks:
        raise CommandError(f"there is no instance {key!r} in validation or test of {experiment.name!r}")
    if len(tasks) > 1:
        raise CommandError(f"several instances begin with {key!r}: type more of the key")
    return tasks[0]


def user_named(name: str) -> User:
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"there is no user {name!r}")
    return user
