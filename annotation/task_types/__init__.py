"""The one way to a task type: from a campaign, a release or a recipe to the type as it asks with their settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from annotation.task_types.base import TaskType
from annotation.task_types.cleaned import Cleaning
from annotation.task_types.registry import DESCRIBED, TASK_TYPES
from annotation.task_types.settings import bound_type
from kernel.errors import UnknownPlugin

__all__ = ["DEFAULT_TASK_TYPE", "TASK_TYPES", "OfOneType", "cleaning_named", "fixed_types", "task_count", "type_of"]


class OfOneType(Protocol):
    """Whatever has one task type: a campaign, a plan for one, a recipe."""

    @property
    def task_type(self) -> str: ...

    @property
    def task_settings(self) -> Mapping[str, Any]: ...


def type_of(subject: OfOneType) -> TaskType:
    """Return the task type of a campaign, release or recipe, bound to its settings."""
    return bound_type(subject.task_type, subject.task_settings)


def fixed_types() -> list[str]:
    """Return the names of the task types that know what they ask; others need a description."""
    return [name for name in TASK_TYPES if name not in DESCRIBED]


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
