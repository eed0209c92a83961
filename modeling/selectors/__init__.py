"""What rankers learn from: releases as items, splits as values, task sets as datasets, word vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.db.models import Count, Max, QuerySet

from annotation.models import Release, ReleaseItem
from annotation.releasing.recipe import task_type_of
from kernel.errors import WrongState
from kernel.values import Json
from kernel.vectors import VECTORS, installed
from modeling.candidates import CandidateOptions, build_dataset
from modeling.dataset import Dataset
from modeling.items import Item, item_from_release, rankable
from modeling.models import Experiment, Split, TaskSet
from modeling.rankers.base import Resources
from modeling.splits import split_from_json

RANKED_TASK_TYPE = "aggregation"


def releases() -> QuerySet[Release]:
    """Return the frozen releases, newest first."""
    return Release.objects.exclude(content_hash="").order_by("-id")


def items_of(release: Release) -> tuple[Item, ...]:
    """Return the instances of a release that have an aggregation, in its order."""
    if not release.content_hash:
        raise WrongState(f"The release “{release}” is not frozen yet: wait for its job.")
    check_task_type(release)
    rows = ReleaseItem.objects.filter(release=release).order_by("position").values_list("position", "value")
    items = (item_from_release(value, f"{release}, item {position}") for position, value in rows.iterator())
    return rankable(items)


def check_task_type(release: Release) -> None:
    """Raise WrongState if the release holds answers to another type of task: only aggregations can be ranked."""
    task_type = task_type_of(release.recipe)
    if task_type != RANKED_TASK_TYPE:
        raise WrongState(
            f"The release “{release}” holds answers to tasks of the type {task_type!r}, and only the phrases of "
            f"{RANKED_TASK_TYPE!r} tasks can be ranked: choose another release."
        )


def splits(release: Release) -> QuerySet[Split]:
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


def experiments() -> QuerySet[Experiment]:
    """Return the experiments, newest first, with their number of runs and of finished runs."""
    return (
        Experiment.objects.select_related("release", "split", "task_set", "created_by")
        .defer("split__value", "split__statistics", "task_set__spec", "grid", "release__recipe")
        .annotate(run_count=Count("runs"), whole_count=Count("runs__finished_at"), ended_at=Max("runs__finished_at"))
        .order_by("-id")
    )


# ---- Word vectors ---------------------------------------------------------------------------------


def vector_choices() -> list[tuple[str, str]]:
    """Return (kind:path, label) of the word vectors on this machine."""
    return installed(Path(settings.VECTORS_FOLDER), settings.SPACY_PIPELINE)


def resources(vectors: Mapping[str, Json]) -> Resources:
    """Return what rankers are built with; raise WrongState if the word vectors have changed."""
    here = Resources(
        cache=Path(settings.VAR) / "cache" / "features",
        models=Path(settings.MODELS_DIR),
        locks=Path(settings.VAR) / "locks",
    )
    if not vectors:
        return here
    loaded = VECTORS[str(vectors["kind"])](str(vectors["path"]))
    if vectors.get("identity", loaded.identity) != loaded.identity:
        raise WrongState(f"The word vectors {vectors['path']!r} are not those the experiment was made with.")
    return replace(here, vectors=loaded)
