"""What pages say of the task type of a campaign or a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from annotation.task_types import OfOneType, type_of
from annotation.task_types.base import TaskType, answer_field, chosen
from annotation.task_types.settings import settings_in_words

register = template.Library()
register.filter("chosen", chosen)  # {% if "rain" in form|chosen:"topics" %}


@register.filter
def chosen_settings(subject: OfOneType) -> list[tuple[str, str]]:
    return settings_in_words(subject.task_type, subject.task_settings)


@register.filter
def type_title(subject: OfOneType) -> str:
    return type_of(subject).title


@register.filter
def part(values: Mapping[str, Any], name: str) -> Any:
    """Return what a form holds, or what checks found, in the field of a part of the answer: {{ form|part:"tone" }}."""
    return values.get(answer_field(name), "") if values else ""


@register.simple_tag
def summary_of(answer: Mapping[str, Any], row: Mapping[str, Any], task_type: TaskType) -> str:
    """Return an answer to a released item in one line."""
    return task_type.summary(task_type.question(task_type.read(row), row.get("variant", "")), answer)
