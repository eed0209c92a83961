"""What can be asked: one line for each task type."""

from __future__ import annotations

from annotation.task_types.base import TaskType
from kernel.registry import Registry

DESCRIBED = frozenset({"own"})  # they ask what a description says: without one they ask nothing
TASK_TYPES: Registry[TaskType] = Registry(
    "task type",
    {
        "aggregation": "annotation.task_types.aggregation.type:AGGREGATION",
        "own": "annotation.task_types.own.type:OWN",
    },
)
