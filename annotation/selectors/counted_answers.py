"""The answers of a campaign that count, each after cleaning and review, task by task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from annotation.models import Campaign, Task
from annotation.releasing.building import Builder, Pair
from annotation.releasing.recipe import make_recipe
from annotation.selectors import release_answers
from annotation.task_types import type_of
from annotation.task_types.base import task_key


def counted_answers(
    campaign: Campaign,
    *,
    simulated: bool,
    use_reviews: bool = True,
    most: int | None = None,
    only: QuerySet[Task] | None = None,
) -> Iterator[tuple[str, Mapping[str, Any], list[Pair]]]:
    """Yield each task (or about the first `most`, or `only` these) by key: its key, its item, and the answers.

    They are those that a release would keep; check tasks have none.
    """
    type_, workers = type_of(campaign), release_answers.workers_of([campaign])
    invented = release_answers.simulated_workers([campaign])
    options = {"task_settings": campaign.task_settings, "simulated": simulated, "use_reviews": use_reviews}
    recipe = make_recipe(type_, [campaign.name], least_assignments=1, least_answered=1, **options)
    done = release_answers.assignments_done([campaign], workers)
    builder = Builder(recipe, type_, type_.cleaning, done, str)
    for item, variant, answers, is_gold, _ in release_answers.collected([campaign], workers, invented, most, only):
        yield task_key(item["key"], variant), item, [] if is_gold else builder.counted(item, answers, variant)
