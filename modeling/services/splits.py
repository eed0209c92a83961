"""Splitting releases. A split that was made before is returned, not made twice."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from annotation.models import Release
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json
from modeling import splits
from modeling.items import Item
from modeling.models import Split, TaskSet
from modeling.selectors.datasets import items_of
from modeling.split_statistics import split_statistics

RATIO = (2, 1, 1)
MOST_SEED = 2**63 - 1


def check_seed(seed: int, field: str = "seed") -> None:
    """Raise InvalidInput if the database cannot store the seed."""
    if not -MOST_SEED <= seed <= MOST_SEED:
        raise InvalidInput(f"must be a whole number from −{MOST_SEED:,} to {MOST_SEED:,}", field=field)


def make_split(
    release: Release, *, rule: str, seed: int, by: User | None, ratio: Sequence[int] = RATIO, is_demo: bool = False
) -> Split:
    check_seed(seed)
    items = items_of(release)
    split = splits.make_split(items, rule=rule, seed=seed, ratio=ratio)
    return _store(release, items, split, {"ratio": [*ratio]}, by, is_demo)


def make_splits(
    release: Release, folds: int, *, rule: str, seed: int, by: User | None, ratio: Sequence[int] = RATIO
) -> list[Split]:
    """Make this number of splits that share one test part; one split in this ratio if the number is 0."""
    if not folds:
        return [make_split(release, rule=rule, seed=seed, ratio=ratio, by=by)]
    check_seed(seed)
    items = items_of(release)
    made = splits.make_folds(items, folds, rule=rule, seed=seed)
    return [_store(release, items, split, {"folds": folds}, by, False) for split in made]


def _store(
    release: Release,
    items: Sequence[Item],
    value: splits.SplitValue,
    parameters: dict[str, Json],
    by: User | None,
    is_demo: bool,
) -> Split:
    fields = {
        "rule": value.rule,
        "seed": value.seed,
        "fold": value.fold,
        "parameters": parameters,
        "value": value.to_json(),
        "statistics": {part: statistics.to_json() for part, statistics in split_statistics(items, value).items()},
        "created_by": by,
        "is_demo": is_demo or release.is_demo,  # a demo release can only be deleted with everything built on it
    }
    with transaction.atomic():
        split, _ = Split.objects.get_or_create(release=release, content_hash=value.content_hash(), defaults=fields)
    return split


@transaction.atomic
def delete_split(split: Split, *, by: User | None) -> None:
    """Delete a split with its ranking tasks and their notes; raise WrongState while an experiment uses it."""
    used = split.experiments.count()
    if used:
        raise WrongState(f"{used:,} experiment{' uses' if used == 1 else 's use'} this split: delete them first.")
    before: dict[str, Json] = {"release": str(split.release), "split": str(split), "hash": split.content_hash}
    audit.record("delete split", split, by=by, before=before)
    TaskSet.objects.filter(split=split).delete()
    split.delete()
