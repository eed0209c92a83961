"""What can be asked: one line for each task type."""

from __future__ import annotations

from typing import Protocol

from annotation.task_types.base import TaskType
from annotation.task_types.cleaned import Cleaning
from kernel.errors import UnknownPlugin
from kernel.registry import Registry

TASK_TYPES: Registry[TaskType] = Registry(
    "task type",
    {
        "aggregation": "annotation.task_types.aggregation.type:AGGREGATION",
    },
)


class OfOneType(Protocol):
    """Whatever has one task type: a campaign, a plan for one, a recipe."""

    @property
    def task_type(self) -> str: ...


def type_of(subject: OfOneType) -> TaskType:
    """Return the task type of a campaign or recipe: the one way to it."""
    return TASK_TYPES[subject.task_type]


DEFAULT_TASK_TYPE = "aggregation"  # of a campaign that names none


def task_count(name: str, items: int) -> int:
    """Return how many tasks a task type makes of this number of items."""
    return items * len(TASK_TYPES[name].variants)


def cleaning_named(type_: TaskType, name: str) -> Cleaning:
    """Return one of a task type's cleanings; an unknown name raises UnknownPlugin."""
    if name not in type_.cleanings:
        known = " and ".join(type_.cleanings)
        raise UnknownPlugin(f"There is no cleaning pipeline {name!r}; there are {known}.")
    return type_.cleanings[name]
