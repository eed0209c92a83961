"""What the commands share: finding what a person names, and what may be shown of it."""

from __future__ import annotations

from django.core.management.base import CommandError

from annotation.models import Release
from modeling import selectors
from modeling.models import Experiment, Run, Split, TaskRow
from modeling.selectors import results
from modeling.services import experiments
from tesa_site.kernel.models import User


def release_named(name: str) -> Release:
    """Return the newest frozen version of that name, or the one of `name:version`."""
    base, _, version = name.rpartition(":")
    frozen = selectors.releases()
    found = frozen.filter(name=name).order_by("-version").first()
    if found is None and base and version.isdecimal():
        found = frozen.filter(name=base, version=int(version)).first()
    if found is None:
        known = ", ".join(f"{one.name}:{one.version}" for one in frozen) or "none"
        raise CommandError(f"there is no frozen release {name!r}; known: {known}")
    return found


def split_numbered(number: int) -> Split:
    found = Split.objects.select_related("release").filter(pk=number).first()
    if found is None:
        raise CommandError(f"there is no split {number}; make one: manage.py make_split RELEASE")
    return found


def experiment_named(name: str) -> Experiment:
    found = Experiment.objects.filter(name=name).first()
    if found is None:
        known = ", ".join(Experiment.objects.values_list("name", flat=True)[:20]) or "none"
        raise CommandError(f"there is no experiment {name!r}; known: {known}")
    return found


def experiments_named(name: str) -> list[Experiment]:
    """Return the experiment of that name; where there is none, those on its folds (“NAME, fold 1 of 5”)."""
    if not Experiment.objects.filter(name=name).exists():
        folds = Experiment.objects.filter(name__startswith=f"{name}, fold ", split__fold__isnull=False)
        alike = [one for one in folds.select_related("split") if one.name == experiments.fold_name(name, one.split)]
        if alike:
            return sorted(alike, key=lambda one: one.split.fold or 0)
    return [experiment_named(name)]


def run_numbered(number: int) -> Run:
    found = Run.objects.select_related("experiment").filter(pk=number).first()
    if found is None:
        raise CommandError(f"there is no run {number}: its number stands in the address of its page")
    return found


def check_shown(run: Run, part: str) -> None:
    """Refuse figures of a part that its pages would not show."""
    if part not in results.shown_parts(run):
        raise CommandError(
            f"validation did not choose run {run.pk}, or others have not finished: open its test figures first "
            f"(manage.py run_experiment {run.experiment.name!r} --open-test)"
        )


def task_named(experiment: Experiment, key: str) -> TaskRow:
    """Return the instance whose key begins so, if there is one only."""
    found = list(TaskRow.objects.filter(task_set=experiment.task_set_id, key__startswith=key)[:2]) if key else []
    if not found:
        raise CommandError(f"there is no instance {key!r} in validation or test of {experiment.name!r}")
    if len(found) > 1:
        raise CommandError(f"several instances begin with {key!r}: type more of the key")
    return found[0]


def user_named(name: str) -> User:
    found = User.objects.filter(username=name).first()
    if found is None:
        raise CommandError(f"there is no person of the name {name!r}")
    return found
