"""Releases frozen from a recipe."""

from __future__ import annotations

from typing import Any

from annotation.models import Campaign, Release
from annotation.releasing.recipe import Recipe, make_recipe
from annotation.selectors import releases as selectors
from annotation.services import releases
from annotation.task_types.aggregation.type import AGGREGATION

THREE = {"cleo": ["The botanists"], "dan": ["botanists", "two Swedish botanists"], "eve": ["Botanists"]}


def recipe_for(*campaigns: Campaign, **fields: Any) -> Recipe:
    return make_recipe(AGGREGATION, [c.name for c in campaigns], **{"least_assignments": 1} | fields)


def freeze(recipe: Recipe, name: str = "Words") -> Release:
    release = releases.create_release(releases.ReleasePlan(name, recipe), by=None)
    return releases.freeze_release(release, by=None, report=lambda *_: None)


def reasons(release: Release) -> list[tuple[str, str]]:
    return [(discard.step, discard.why) for discard in selectors.discards(release)]
