"""What a campaign may choose about its task: values that the task type reads through its pydantic model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from annotation.task_types.registry import DESCRIBED, TASK_TYPES
from kernel.errors import InvalidInput
from kernel.values import Json

if TYPE_CHECKING:
    from annotation.task_types.base import TaskType

FIELD = "task_settings"
LONGEST_DESCRIPTION = 200_000  # characters
DESCRIBED_VERSION = re.compile(r"^own-([1-9][0-9]{0,8})(?:@([1-9][0-9]{0,8}))?$")


def checked_settings(task_type: str, values: Mapping[str, Any]) -> dict[str, Json]:
    """Return the settings as a campaign keeps them, defaults included, or raise InvalidInput for the first bad one."""
    model = TASK_TYPES[task_type].settings_model
    if model is None:
        if values:
            raise InvalidInput(f"the task “{task_type}” has no settings: leave them empty", field=FIELD)
        return {}
    from pydantic import ValidationError  # a type with settings has loaded it

    try:
        return dict(model.model_validate(values, extra="forbid").model_dump(mode="json"))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join([FIELD, *map(str, first["loc"])])
        raise InvalidInput(f"{first['msg'][:1].lower()}{first['msg'][1:]}", field=place) from error


def bound_type(task_type: str, values: Mapping[str, Any]) -> TaskType:
    """Return the task type as it asks with these stored settings."""
    type_ = TASK_TYPES[task_type]
    return type_ if type_.settings_model is None else _bound(task_type, json.dumps(values, sort_keys=True))


def settings_in_words(task_type: str, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each setting with its label and value, for pages and the datasheet."""
    model = TASK_TYPES[task_type].settings_model
    if task_type in DESCRIBED and model:  # its settings are more than values
        words: Any = model.model_validate(values)
        return list(words.in_words())
    known = model.model_fields if model else {}
    labels = {name: field.title or name.replace("_", " ").capitalize() for name, field in known.items()}
    return [(labels.get(name, name), _in_words(value)) for name, value in values.items()]


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(_in_words, value)) if isinstance(value, list) else str(value)


@lru_cache(maxsize=256)
def _bound(task_type: str, values: str) -> TaskType:
    type_ = TASK_TYPES[task_type]
    model = type_.settings_model
    return type_.with_settings(model.model_validate_json(values)) if model else type_
