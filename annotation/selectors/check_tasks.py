"""Check tasks: what one person answered to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Annotation, Campaign, Participation, Task
from annotation.task_types import type_of
from annotation.task_types.base import Gold

MOST_SHOWN = 100  # answers to check tasks on a person's page


@dataclass(frozen=True)
class CheckAnswer:
    """Somebody's answer to a check task beside the known ones."""

    annotation: Annotation
    headline: str
    answer: str
    known: Sequence[str]  # none: the check task was withdrawn
    reason: str

    @property
    def judgement(self) -> str:
        """Whether it was right, in a word; "not judged" for answers that came before the task was a check task."""
        if not self.known and self.annotation.is_gold_hit is None:
            return "withdrawn"
        return {True: "right", False: "wrong", None: "not judged"}[self.annotation.is_gold_hit]


def known_answers(campaign: Campaign, task: Task) -> tuple[list[str], str]:
    """Return each known answer of a check task in a line, and the reason that was written with them."""
    if not task.gold:
        return [], ""
    type_, gold = type_of(campaign), Gold.from_json(task.gold)
    return [type_.summary(task.question, answer) for answer in gold.accepted], gold.reason


def check_answers(person: Participation, most: int = MOST_SHOWN) -> list[CheckAnswer]:
    """Return somebody's last answers to check tasks, the latest first."""
    rows = Annotation.objects.filter(assignment__participation=person, assignment__task__is_gold=True)
    type_, answers = type_of(person.campaign), []
    for annotation in rows.select_related("assignment__task").order_by("-pk")[:most]:
        task = annotation.assignment.task
        known, reason = known_answers(person.campaign, task)
        answer = type_.summary(task.question, annotation.answer)
        answers.append(CheckAnswer(annotation, type_.headline(task.question), answer, known, reason))
    return answers
