"""The check tasks of which a campaign's own quiz is made, and how far somebody has come in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from annotation.models import Campaign, Participation, Task


@dataclass(frozen=True)
class QuizPlace:
    """Where somebody is in a try at the quiz."""

    number_of_tasks: int
    answers: Sequence[dict[str, Any]]  # of this try
    met: Sequence[int]  # tasks of earlier tries
    task: Task | None  # the next one


def usable(campaign: Campaign) -> Any:
    """Return the check tasks with known answers."""
    return Task.objects.filter(campaign=campaign, is_gold=True, gold__isnull=False)


def in_order(ids: Iterable[int], *, seed: int, person: int) -> list[int]:
    """Return tasks in a person's own order, which a new or withdrawn check task does not change for the others."""
    return sorted(ids, key=lambda pk: sha256(f"{seed} {person} {pk}".encode()).digest())


def met_in_quiz(person: Participation) -> list[int]:
    """Return the check tasks that somebody met in the quiz: they are hidden among their tasks no more."""
    stored = person.quiz_chosen
    return [*stored.get("met", []), *(answer["task"] for answer in stored.get("answers", []))]


def quiz_place(person: Participation) -> QuizPlace:
    """Return the next task of somebody's quiz; a second try asks about other tasks as far as there are any."""
    campaign, stored = person.campaign, person.quiz_chosen
    answers, met = list(stored.get("answers", [])), list(stored.get("met", []))
    ids = in_order(usable(campaign).values_list("pk", flat=True), seed=campaign.seed, person=person.pk)
    number = min(campaign.quiz_gold, len(ids))
    if person.quiz_tries and len(answers) >= number:  # the try has ended: the next one begins
        met, answers = [*met, *(answer["task"] for answer in answers)], []
    asked = {answer["task"] for answer in answers}
    coming = sorted((pk for pk in ids if pk not in asked), key=lambda pk: pk in met)  # those of earlier tries last
    task = Task.objects.get(pk=coming[0]) if coming and len(answers) < number else None
    return QuizPlace(number, answers, met, task)
