"""What pages say of the task type of a campaign or a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.urls import reverse

from annotation.task_types import OfOneType, type_of
from annotation.task_types.base import TaskType, answer_field, chosen
from annotation.task_types.settings import settings_in_words

HALF = 0.5

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


@register.simple_tag(takes_context=True)
def lookup_address(context: template.Context, name: str) -> str:
    """Return where this page looks up: a participant's own address, or the team's."""
    match = getattr(context.get("request"), "resolver_match", None)
    secret = match.kwargs.get("secret") if match else None
    return reverse("work-lookup", args=[secret, name]) if secret else reverse("lookup", args=[name])


@register.simple_tag
def summary_of(answer: Mapping[str, Any], row: Mapping[str, Any], task_type: TaskType) -> str:
    """Return an answer to a released item in one line."""
    return task_type.summary(task_type.question(task_type.read(row), row.get("variant", "")), answer)


@register.filter
def remarks_in(findings: Mapping[str, Any], name: str) -> Any:
    """Return what checks found in a field of this name: {{ findings|remarks_in:"a.tone" }}."""
    return findings.get(name, "") if findings else ""


@register.simple_tag
def asked_of(
    task_type: Any,
    question: Mapping[str, Any],
    form: Mapping[str, str],
    findings: Mapping[str, Any],
    shown: Any = None,
    compared: Any = None,
) -> list[dict[str, Any]]:
    """Return the parts of an own task as the form draws them."""
    return list(task_type.asked(question, form or {}, findings or {}, shown or {}, compared or ()))


@register.simple_tag
def pieces_of(answer: Any, answers: Any) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the parts of an answer in review, each piece with how many of the other answers say something else."""
    question = answer.assignment.task.question
    others = [
        other.cleaned.answer
        for other in answers or ()
        if other.annotation.pk != answer.annotation.pk and other.cleaned.is_answered
    ]
    rows = answer.type.pieces(question, answer.cleaned.answer, others)
    return [(ask, [_piece(piece, len(others)) for piece in pieces]) for ask, pieces in rows]


def _piece(piece: Any, others: int) -> dict[str, Any]:
    is_alone = others > 1 and piece.share == 0
    is_few = others > 1 and piece.share is not None and 0 < piece.share < HALF
    words = "nobody else says this" if is_alone else "most say something else" if is_few else ""
    return {"about": piece.about, "words": piece.words, "differs": words}


@register.simple_tag
def agreed_lines(row: Mapping[str, Any], task_type: Any) -> list[tuple[str, str]]:
    """Return what the answers to a released item say together, part by part."""
    question = task_type.question(task_type.read(row), row.get("variant", ""))
    return list(task_type.agreed_lines(row["consensus"], question))


@register.simple_tag
def texts_on_page(item: Any, task_type: Any) -> Mapping[str, str]:
    """Return all texts that people read on the page of a task of an own type."""
    texts: Mapping[str, str] = task_type.page_texts(item)
    return texts


@register.simple_tag
def texts_of(task: Any, task_type: Any) -> list[tuple[str, str]]:
    """Return the texts that the parts of a task show, in the order of its description."""
    texts = task.question["texts"]
    return [(name, texts[name]) for name in task_type.needed if name in texts]
