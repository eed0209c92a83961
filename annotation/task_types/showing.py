"""What one person is shown of a task, where that differs from person to person, such as the order of options."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from annotation.task_types.base import JsonObject, TaskType
from kernel.values import Json

NOBODY = 0  # a preview


def shown_to(type_: TaskType, question: Mapping[str, Json], *, task: int, person: int) -> JsonObject:
    """Return it: the same each time for one person and task, so that a reload changes nothing."""
    return type_.shown(question, Random(f"{task} {person}"))  # noqa: S311  (must be repeatable)
