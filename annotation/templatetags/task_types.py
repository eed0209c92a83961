"""What pages say of the task type of a campaign or a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from annotation.task_types import OfOneType, type_of
from annotation.task_types.base import answer_field, chosen
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
