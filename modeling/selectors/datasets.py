"""What rankers learn from: releases as items, splits, task sets as datasets."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from annotation.models import Release, ReleaseItem
from annotation.releasing.recipe import FIRST_TASK_TYPE
from annotation.task_types import TASK_TYPES, fixed_types, type_of
from annotation.task_types.base import RANKING
from kernel.errors import WrongState
from modeling.candidates import CandidateOptions, build_dataset
from modeling.dataset import Dataset
from modeling.items import Item, item_from_release, rankable
from modeling.models import Split, TaskSet
from modeling.splits import split_from_json


def frozen_releases() -> QuerySet[Release]:
    """Return the frozen releases, newest first."""
    return Release.objects.exclude(content_hash="").order_by("-id")


def rankable_releases() -> QuerySet[Release]:
    """Return the frozen releases whose answers can be ranked, newest first."""
    return frozen_releases().filter(_of_ranked_types())


def other_releases() -> QuerySet[Release]:
    """Return the frozen releases on which no model can be trained, newest first."""
    return frozen_releases().exclude(_of_ranked_types())


def _of_ranked_types() -> Q:
    names = frozen_releases().order_by().values_list("recipe__task_type", flat=True).distinct()
    ranked = [name for name in names if _is_ranked(name or FIRST_TASK_TYPE)]
    unnamed = ~Q(recipe__has_key="task_type") if None in ranked else Q(pk__in=())
    return Q(recipe__task_type__in=[name for name in ranked if name]) | unnamed


def can_be_ranked(release: Release) -> bool:
    """Tell whether models can be trained on a release: its task type says what its answers train."""
    return _is_ranked(release.task_type)


def _is_ranked(task_type: str) -> bool:
    return task_type in TASK_TYPES and RANKING in TASK_TYPES[task_type].trains


def why_not_trained(release: Release) -> str:
    """Return the sentence that says why no model can be trained on a release; "" if one can."""
    if can_be_ranked(release):
        return ""
    title = type_of(release).title if release.task_type in TASK_TYPES else release.task_type
    ranked = " or ".join(TASK_TYPES[name].title for name in fixed_types() if _is_ranked(name))
    return (
        f"“{release}” holds answers of the task {title}: TESA’s models learn to rank the phrases of the task {ranked}."
    )


def items_of(release: Release) -> tuple[Item, ...]:
    """Return the instances of a release that have an aggregation, in its order."""
    if not release.content_hash:
        raise WrongState(f"The release “{release}” is not frozen yet: wait for its job.")
    check_task_type(release)
    rows = ReleaseItem.objects.filter(release=release).order_by("position").values_list("position", "value")
    items = (item_from_release(value, f"{release}, item {position}") for position, value in rows.iterator())
    return rankable(items)


def check_task_type(release: Release) -> None:
    """Raise WrongState if no model can be trained on the release."""
    if why := why_not_trained(release):
        raise WrongState(why)


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
