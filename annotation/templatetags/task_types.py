"""What pages say of the task type of a campaign or a release."""

from __future__ import annotations

from django import template

from annotation.task_types import OfOneType, type_of

register = template.Library()


@register.filter
def type_title(subject: OfOneType) -> str:
    return type_of(subject).title
