"""Check tasks: what one person answered to them, and which of them good people miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import BigIntegerField, Case, Count, F, FloatField, Q, Value, When
from django.db.models.functions import Cast, Coalesce, Round

from annotation.models import Annotation, Campaign, Participation, Task
from annotation.quality.trust import GOOD_PERCENT, GOOD_TESTS, MILLION, GoldMisses
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


@dataclass(frozen=True)
class Missed:
    """What somebody who missed a check task is shown: their answer, the known ones and the reason."""

    headline: str
    answer: str
    known: Sequence[str]
    reason: str


def is_explained(campaign: Campaign, annotation: Annotation) -> bool:
    """Return whether the author of this answer is shown the known one: the campaign says so, and they missed it."""
    return campaign.shows_reasons and annotation.is_gold_hit is False


def missed(campaign: Campaign, task: Task, annotation: Annotation) -> Missed | None:
    """Return what the author of this answer is shown; None if it was not missed, or the campaign shows nothing."""
    if not is_explained(campaign, annotation):
        return None
    type_, (known, reason) = type_of(campaign), known_answers(campaign, task)
    return Missed(type_.headline(task.question), type_.summary(task.question, annotation.answer), known, reason)


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


def gold_misses(campaign: Campaign) -> dict[int, GoldMisses]:
    """Return for each answered check task how often it was missed, by its id; the database counts.

    Excluded people do not count. Somebody does well if their mean score on the other check tasks is high enough.
    """
    person = "assignment__participation__"
    hit = Case(When(is_gold_hit=True, then=Value(1.0)), default=Value(0.0), output_field=FloatField())
    points = Cast(Round(Coalesce(F("gold_score"), hit) * float(MILLION)), BigIntegerField())
    rows = Annotation.objects.filter(assignment__campaign=campaign, assignment__task__is_gold=True)
    rows = rows.filter(is_gold_hit__isnull=False, **{f"{person}excluded_at": None}).order_by()
    percent = max(GOOD_PERCENT, campaign.trust_stop)
    rows = rows.annotate(
        others=(F(f"{person}gold_points") - points) * 100,
        needed=(F(f"{person}gold_seen") - 1) * Value(percent * MILLION, output_field=BigIntegerField()),
    )
    is_good = Q(**{f"{person}gold_seen__gt": GOOD_TESTS}, others__gte=F("needed"))
    is_miss = Q(is_gold_hit=False)
    counts = rows.values_list("assignment__task").annotate(
        judged=Count("pk"),
        missed=Count("pk", filter=is_miss),
        good=Count("pk", filter=is_good),
        good_missed=Count("pk", filter=is_good & is_miss),
    )
    return {task: GoldMisses(*numbers) for task, *numbers in counts}
