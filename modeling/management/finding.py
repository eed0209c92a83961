"""What the commands share: finding a release, a split, an experiment or a run by what a person types."""

from __future__ import annotations

from django.core.management.base import CommandError

from annotation.models import Release
from modeling import selectors
from modeling.models import Experiment, Run, Split


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


def run_numbered(number: int) -> Run:
    found = Run.objects.select_related("experiment").filter(pk=number).first()
    if found is None:
        raise CommandError(f"there is no run {number}: its number stands in the address of its page")
    return found
