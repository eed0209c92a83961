"""What can be asked: one line for each task type."""

from __future__ import annotations

from annotation.task_types.base import TaskType
from kernel.registry import Registry

TASK_TYPES: Registry[TaskType] = Registry(
    "task type",
    {
        "aggregation": "annotation.task_types.aggregation.type:AGGREGATION",
    },
)
