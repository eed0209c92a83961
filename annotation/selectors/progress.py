"""How a campaign gets on: read from counters and indexes alone, so that 50,000 tasks cost what 50 do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Sum

from annotation.models import (
    SIMULATED_PROVIDERS,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Participation,
    ProblemReport,
    Task,
    simulated,
)
from annotation.pricing import hourly_wage, money
from kernel.clock import now

ACTIVE = timedelta(minutes=5)  # people seen this recently are at work
RECENT = 1000  # answers that a median is taken over
CACHED_S = 3
MOST_STEPS = 48
STEPS = [timedelta(minutes=m) for m in (5, 15, 60, 180, 360, 1440, 7 * 1440, 30 * 1440)]


@dataclass(frozen=True)
class Standing:
    """How far people are with a campaign's tasks. Gold is not among the tasks and answers."""

    tasks: int
    gold: int
    by_answers: tuple[tuple[str, int], ...]  # "0", "1", "2", "3 or more" → tasks
    answers: int
    free: int  # slots nobody has taken
    in_hand: int
    active: int  # people seen lately, with a task in hand
    late: int  # answers that came too late, and nobody has decided about
    reports: int
    ends_at: datetime | None

    @property
    def wanted(self) -> int:
        return self.answers + self.free + self.in_hand

    @property
    def answered_or_in_hand(self) -> int:
        return self.answers + self.in_hand

    @property
    def percent(self) -> int:
        return 100 * self.answers // self.wanted if self.wanted else 0

    @property
    def is_complete(self) -> bool:
        return self.tasks > 0 and not self.free and not self.in_hand


@dataclass(frozen=True)
class CampaignProgress(Standing):
    """Where a campaign stands now, with its people, their time and their pay."""

    people: int
    sent: int  # answers of all participants, simulated ones and check tasks included
    simulated: int  # participants who are not people: in no other figure of people, time or pay
    median_s: float | None  # active time, over the latest answers
    wage: Decimal | None
    estimated_wage: Decimal | None
    earned: Decimal


def progress_of(campaign: Campaign) -> CampaignProgress:
    """Return the progress, at most a few seconds old."""
    key = _key(campaign)
    progress: CampaignProgress | None = cache.get(key)
    if progress is None:
        progress = count_progress(campaign)
        cache.set(key, progress, CACHED_S)
    return progress


def forget(campaign: Campaign) -> None:
    """Drop the cached counts: somebody has just changed something and wants to see the effect."""
    cache.delete(_key(campaign))


def _key(campaign: Campaign) -> str:
    return f"campaign-progress-{campaign.slug}-{campaign.status}-{campaign.redundancy}-{campaign.tasks_made}"


def count_progress(campaign: Campaign) -> CampaignProgress:
    people, seconds = _people(campaign), recent_seconds(campaign)
    return CampaignProgress(
        **vars(standings([campaign])[campaign.pk]),
        people=people["people"],
        sent=people["sent"],
        simulated=people["simulated"],
        median_s=median(seconds) if seconds else None,
        wage=_wage(people),
        estimated_wage=hourly_wage(campaign.reward, campaign.estimated_s),
        earned=money(Decimal(people["pay"])),
    )


def standings(campaigns: Sequence[Campaign]) -> dict[int, Standing]:
    """Return how far people are in each of these campaigns, by one query for each figure."""
    rows = Task.objects.filter(campaign__in=campaigns).order_by().values_list("campaign", "is_gold", "answers")
    tasks: dict[int, dict[int, int]] = {}  # campaign → answers → tasks
    gold: Counter[int] = Counter()
    free: Counter[int] = Counter()
    for campaign_id, is_gold, answers, number, untaken in rows.annotate(Count("id"), Sum("free")):
        if is_gold:
            gold[campaign_id] += number
        else:
            tasks.setdefault(campaign_id, {})[answers] = number
            free[campaign_id] += untaken
    turns = _turns_in_hand_or_late(campaigns)
    reports = ProblemReport.objects.filter(settled_at=None).order_by().values_list("assignment__campaign")
    reported = dict(reports.annotate(Count("pk")))  # of all campaigns: they are few
    by_campaign = {}
    for campaign in campaigns:
        by_answers = tasks.get(campaign.pk, {})
        answered = sum(answers * number for answers, number in by_answers.items())
        active, holding, late = turns.get(campaign.pk, (0, 0, 0))
        by_campaign[campaign.pk] = Standing(
            tasks=sum(by_answers.values()),
            gold=gold[campaign.pk],
            by_answers=_buckets(by_answers),
            answers=answered,
            free=free[campaign.pk],
            in_hand=holding,
            active=active,
            late=late,
            reports=reported.get(campaign.pk, 0),
            ends_at=_ends_at(campaign, answered, free[campaign.pk] + holding) if active else None,
        )
    return by_campaign


def _turns_in_hand_or_late(campaigns: Sequence[Campaign]) -> dict[int, tuple[int, int, int]]:
    """Return (people at work, tasks in hand without gold, late answers to decide about) where there are any."""
    rows = Assignment.objects.filter(status__in=[AssignmentStatus.TAKEN, AssignmentStatus.LATE], late_decision=None)
    columns = ("campaign", "status", "task__is_gold", "participation__last_seen_at")
    counts: dict[int, Counter[str]] = {}
    for campaign_id, status, is_gold, seen_at in rows.filter(campaign__in=campaigns).order_by().values_list(*columns):
        is_taken = status == AssignmentStatus.TAKEN
        count = counts.setdefault(campaign_id, Counter())
        count["active"] += is_taken and seen_at >= now() - ACTIVE
        count["holding"] += is_taken and not is_gold
        count["undecided"] += not is_taken
    return {pk: (count["active"], count["holding"], count["undecided"]) for pk, count in counts.items()}


def real_wage(campaign: Campaign) -> Decimal | None:
    """Return what an hour of work has earned: all pay by all active time, of people paid here who have not left."""
    return _wage(_people(campaign))


def _wage(people: Mapping[str, Any]) -> Decimal | None:
    return hourly_wage(people["paid_here"], people["ms"] / 1000) if people["paid_here"] and people["ms"] else None


def tasks_by_answers(campaign: Campaign) -> dict[int, int]:
    """Return how many tasks, gold left out, have how many answers."""
    # "In", because Django writes a plain false without a comparison, and SQLite then passes the index by.
    tasks = Task.objects.filter(campaign=campaign, is_gold__in=[False])
    return dict(tasks.values_list("answers").annotate(n=Count("id")).order_by("answers"))


def _buckets(tasks: dict[int, int]) -> tuple[tuple[str, int], ...]:
    few = [(str(answers), tasks.get(answers, 0)) for answers in range(3)]
    return (*few, ("3 or more", sum(number for answers, number in tasks.items() if answers >= 3)))


def _people(campaign: Campaign) -> dict[str, Any]:
    """Count who takes part; `paid_here` and `ms` are of people paid here who have not left.

    Everybody is added up, and the few simulated ones taken off: to ask at each row would take twice as long.
    """
    rows = Participation.objects.filter(campaign=campaign)
    paid_here = Q(withdrawn_at=None, imported=0)  # what imported answers earned is unknown
    everybody = rows.aggregate(
        people=Count("id"),
        sent=Sum("answered"),
        pay=Sum("earned"),
        paid_here=Sum("earned", filter=paid_here),
        ms=Sum("active_ms", filter=paid_here),
    )
    people = {name: figure or 0 for name, figure in everybody.items()} | {"simulated": 0}
    invented = rows.filter(simulated("worker")).values_list("earned", "active_ms", "withdrawn_at", "imported")
    for earned, active_ms, withdrawn_at, imported in invented:
        people["people"] -= 1
        people["simulated"] += 1
        people["pay"] -= earned
        if withdrawn_at is None and not imported:
            people["paid_here"] -= earned
            people["ms"] -= active_ms
    return people


def people_in(campaign: Campaign) -> QuerySet[Participation]:
    """Return the campaign's participations without the simulated ones."""
    return Participation.objects.filter(campaign=campaign).exclude(simulated("worker"))


def has_simulated() -> Exists:
    """Return "somebody simulated takes part", for a query of campaigns."""
    return Exists(Participation.objects.filter(simulated("worker"), campaign=OuterRef("pk")))


def simulated_in(campaign: Campaign) -> int:
    """Return how many simulated participants the campaign has."""
    return Participation.objects.filter(simulated("worker"), campaign=campaign).count()


def people_asked(campaign: Campaign) -> tuple[int, int]:
    """Return how many people the tasks are for, at least and at most: doubtful ones may be for more."""
    slots = Task.objects.filter(campaign=campaign, is_gold__in=[False]).aggregate(least=Min("slots"), most=Max("slots"))
    return slots["least"] or campaign.redundancy, slots["most"] or campaign.redundancy


def recent_seconds(campaign: Campaign) -> list[float]:
    """Return the time people's latest answers took: active where it was measured, else from taking to submitting."""
    latest = _submitted(campaign).order_by("-ended_at", "-pk")
    columns = ("annotation__active_ms", "annotation__seconds", "participation__worker__provider")
    return [
        seconds if active is None else active / 1000
        for active, seconds, provider in latest.values_list(*columns)[:RECENT]
        if provider not in SIMULATED_PROVIDERS
    ]


def _submitted(campaign: Campaign) -> QuerySet[Assignment]:
    return Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.SUBMITTED)


def answers_in_last_hour(campaign: Campaign) -> int:
    return _answers_between(campaign, now() - timedelta(hours=1), now())


def _answers_between(campaign: Campaign, start: datetime, end: datetime) -> int:
    return _submitted(campaign).filter(ended_at__gte=start, ended_at__lt=end).count()


def _ends_at(campaign: Campaign, answered: int, left: int) -> datetime | None:
    """Return when the last answer should come: at the pace of the last hours, or of the whole campaign."""
    if campaign.status != CampaignStatus.RUNNING or not campaign.started_at or not left:
        return None
    moment = now()
    since = max(campaign.started_at, moment - timedelta(hours=3))
    recent = _answers_between(campaign, since, moment)
    if not recent:
        since, recent = campaign.started_at, answered
    seconds = (moment - since).total_seconds()
    if not recent or seconds < 1:
        return None
    wait = left * seconds / recent
    return moment + timedelta(seconds=wait) if wait < 10 * 365 * 86400 else None


def reports_of(campaigns: Sequence[Campaign]) -> QuerySet[ProblemReport]:
    # The sum keeps databases from starting at the campaigns' many assignments instead of the few reports.
    reports = ProblemReport.objects.annotate(of=F("assignment__campaign_id") + 0)
    return reports.filter(of__in=[campaign.pk for campaign in campaigns])


def answers_over_time(campaign: Campaign) -> list[tuple[datetime, int]]:
    """Return (start of a stretch of time, answers in it) from the first answer to the last, at most 48 stretches."""
    times = _submitted(campaign).values_list("ended_at", flat=True)
    first, last = times.order_by("ended_at").first(), times.order_by("-ended_at").first()
    if first is None or last is None:
        return []
    step = next((step for step in STEPS if (last - first) / step < MOST_STEPS - 1), (last - first) / (MOST_STEPS - 1))
    start = datetime.fromtimestamp(first.timestamp() // step.total_seconds() * step.total_seconds(), first.tzinfo)
    stretches = []
    while start <= last:
        stretches.append((start, _answers_between(campaign, start, start + step)))
        start += step
    return stretches


def campaigns() -> QuerySet[Campaign]:
    return Campaign.objects.select_related("sample", "instructions", "created_by").order_by("-id")
