"""What the first page of a campaign shows beside its progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import Any

from django.conf import settings
from django.db.models import Count, Sum

from annotation.models import (
    AgreementReport,
    Assignment,
    AssignmentStatus,
    Campaign,
    Participation,
    ReviewItem,
    ReviewState,
)
from annotation.selectors.days import answers_by_day, last_days
from annotation.selectors.progress import CampaignProgress
from annotation.selectors.review_queue import not_scored
from annotation.task_types import type_of
from kernel.values import counted

LATEST = 6
BAR_STEP, BAR_HEIGHT = 49, 140  # of the plot of answers per day: between two bars, and of the highest


@dataclass(frozen=True)
class Reviewed:
    """How far the review is: tasks by state (those never scored wait), and the answers of those that are decided."""

    tasks: dict[str, int]
    answers: int
    not_scored: int

    @property
    def open_tasks(self) -> int:
        return sum(number for state, number in self.tasks.items() if state != ReviewState.SETTLED)


def reviewed(campaign: Campaign) -> Reviewed:
    rows = ReviewItem.objects.filter(campaign=campaign).order_by().values_list("state")
    by_state = {state: (tasks, answers) for state, tasks, answers in rows.annotate(Count("pk"), Sum("answers"))}
    tasks = Counter({state: number for state, (number, _) in by_state.items()})
    unscored = not_scored(campaign)
    tasks[ReviewState.WAITING] += unscored
    return Reviewed(tasks, by_state.get(ReviewState.SETTLED, (0, 0))[1], unscored)


def overview(campaign: Campaign, progress: CampaignProgress) -> dict[str, Any]:
    """Return the parts of the page: the bar's ends, the review, warnings, agreement, pay, days and latest answers."""
    review, latest = reviewed(campaign), latest_answers(campaign)
    last = latest[0][0].ended_at if latest else None
    days = answers_by_day([campaign], last_days(last)).get(campaign.pk, [])
    alpha = AgreementReport.objects.filter(campaign=campaign, answers__gt=0).values_list("value__labels__0", flat=True)
    ticks = ticks_to(max((number for _, number in days), default=0))
    floor = settings.WAGE_FLOOR
    decided = min(review.answers, progress.answers)
    return {
        "reviewed": decided,
        "to_review": progress.answers - decided,
        "review": review,
        "warned": warned(campaign),
        "alpha": alpha.first(),
        "floor": floor if floor.currency == campaign.currency else None,
        "days": bars_of(days, ticks[-1]),
        "ticks": [(tick, round(BAR_HEIGHT * tick / ticks[-1])) for tick in ticks],
        "latest": latest,
    }


def ticks_to(most: int) -> list[int]:
    """Return 0 and up to three round numbers of which the last is not below `most`: 53 → 0, 20, 40, 60."""
    step = next(step for power in count() for step in (10**power, 2 * 10**power, 5 * 10**power) if 3 * step >= most)
    return [*range(0, most + step, step)] if most else [0, 1]


@dataclass(frozen=True)
class DayBar:
    """The answers of one day as a bar; pages draw it twice, for a wide screen and for a phone."""

    date: str  # 9 Nov
    label: str  # 9; the first of a month in full
    tip: str
    x: int
    height: int


def bars_of(days: Sequence[tuple[date, int]], most: int) -> list[DayBar]:
    """Return a bar for each day; `most` answers reach the top."""
    return [
        DayBar(
            date=(named := f"{day.day} {day:%b}"),
            label=named if day.day == 1 else str(day.day),
            tip=f"{named}: {counted(number, 'answer')}",
            x=at * BAR_STEP,
            height=round(BAR_HEIGHT * number / most),
        )
        for at, (day, number) in enumerate(days)
    ]


def warned(campaign: Campaign) -> list[str]:
    """Return the names of participants in whom a quality check saw something and who are not excluded."""
    people = Participation.objects.filter(campaign=campaign, excluded_at=None, verdicts__isnull=False)
    return [person.name for person in people.only("number").distinct().order_by("number")]


def latest_answers(campaign: Campaign) -> list[tuple[Assignment, str]]:
    """Return the turns answered last, each with its answer in words."""
    rows = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.SUBMITTED)
    rows = rows.select_related("annotation", "task", "participation__worker").order_by("-ended_at", "-pk")
    rows = rows.only(
        "ended_at", "participation__number", "participation__worker__provider", "annotation__answer",
        "annotation__seconds", "annotation__active_ms", "task__question",
    )  # fmt: skip
    summary = type_of(campaign).summary
    return [(turn, summary(turn.task.question, turn.annotation.answer)) for turn in rows[:LATEST]]
