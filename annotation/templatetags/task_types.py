"""What pages say of the task type of a campaign or a release."""

from __future__ import annotations

from django import template

from annotation.task_types import OfOneType, type_of
from annotation.task_types.settings import settings_in_words

register = template.Library()


@register.filter
def chosen_settings(subject: OfOneType) -> list[tuple[str, str]]:
    return settings_in_words(subject.task_type, subject.task_settings)


@register.filter
def type_title(subject: OfOneType) -> str:
    return type_of(subject).title
