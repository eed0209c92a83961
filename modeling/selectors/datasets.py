"""What rankers learn from: releases as items, splits, task sets as datasets."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from annotation.models import Release, ReleaseItem
from kernel.errors import WrongState
from modeling.candidates import CandidateOptions, build_dataset
from modeling.dataset import Dataset
from modeling.items import Item, item_from_release, rankable
from modeling.models import Split, TaskSet
from modeling.splits import split_from_json

RANKED_TASK_TYPE = "aggregation"


def frozen_releases() -> QuerySet[Release]:
    """Return the frozen releases, newest first."""
    return Release.objects.exclude(content_hash="").order_by("-id")


def rankable_releases() -> QuerySet[Release]:
    """Return the frozen releases whose answers can be ranked, newest first."""
    return frozen_releases().filter(Q(recipe__task_type=RANKED_TASK_TYPE) | ~Q(recipe__has_key="task_type"))


def can_be_ranked(release: Release) -> bool:
    """Tell whether methods can be trained on a release: only aggregations can be ranked."""
    return release.task_type == RANKED_TASK_TYPE


def items_of(release: Release) -> tuple[Item, ...]:
    """Return the instances of a release that have an aggregation, in its order."""
    if not release.content_hash:
        raise WrongState(f"The release “{release}” is not frozen yet: wait for its job.")
    check_task_type(release)
    rows = ReleaseItem.objects.filter(release=release).order_by("position").values_list("position", "value")
    items = (item_from_release(value, f"{release}, item {position}") for position, value in rows.iterator())
    return rankable(items)


def check_task_type(release: Release) -> None:
    """Raise WrongState if the release holds answers to another type of task."""
    if not can_be_ranked(release):
        raise WrongState(
            f"The release “{release}” holds answers to tasks of the type {release.task_type!r}, and only the "
            f"phrases of {RANKED_TASK_TYPE!r} tasks can be ranked: choose another release."
        )


def splits_of(release: Release) -> QuerySet[Split]:
    return Split.objects.filter(release=release).defer("value").order_by("-id")


def dataset_of(task_set: TaskSet) -> Dataset:
    """Return the dataset of a task set. It is drawn again each time, with the same bytes.

    Raises WrongState if it differs from the first draw: its runs could not be compared with earlier ones.
    """
    release, split = task_set.split.release, split_from_json(task_set.split.value)
    options = CandidateOptions(**task_set.options)
    dataset = build_dataset(items_of(release), split, options, seed=task_set.seed, source=release.content_hash)
    if task_set.content_hash and dataset.content_hash() != task_set.content_hash:
        raise WrongState("This version draws other candidates than for earlier runs: make a new experiment.")
    return dataset
