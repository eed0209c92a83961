"""Rows of a list that somebody ticked, and what became of them."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, QueryDict

from kernel.values import counted, whole_number


def ids_in(data: QueryDict, name: str) -> list[int]:
    """Return the ids that a form sends under this name; anything else is left out."""
    return [number for text in data.getlist(name) if (number := whole_number(text)) is not None]


def report_ticked(request: HttpRequest, noun: str, *, done: int, outcome: str, problem: str = "") -> None:
    """Say how many ticked rows were decided, and the first problem; if there is neither, that nothing was ticked."""
    if done:
        messages.success(request, f"{counted(done, noun)} {outcome}.")
    if problem or not done:
        messages.error(request, problem or f"Tick the {noun}s first.")
