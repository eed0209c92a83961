"""Answers that items suggest, part by part: what people start from, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.task_types.own.answering import AskedPart
from annotation.task_types.suggestions import Changes


def starting_form(parts: Sequence[AskedPart]) -> dict[str, str]:
    return {name: value for own in parts for name, value in own.part.starting_form(own.asked).items()}


def bad_suggestion(parts: Sequence[AskedPart]) -> str:
    """Return what is wrong with the first suggestion that is no answer; "" if all are."""
    return next((why for own in parts if (why := own.part.bad_suggestion(own.asked))), "")


def changes_of(parts: Sequence[AskedPart], answer: Mapping[str, Any]) -> Changes:
    """Return the changes of the parts that were answered, where the item suggests something."""
    answered = [(own, value) for own in parts if (value := answer.get(own.name)) is not None]
    return {own.name: changes for own, value in answered if (changes := own.part.changes(own.asked, value))}
