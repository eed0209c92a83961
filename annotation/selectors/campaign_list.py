"""The list of campaigns: which ones, in which order, and their figures, a page at a time in a few queries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import (
    Case,
    Count,
    DecimalField,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.models import (
    AgreementReport,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Participation,
    Task,
    simulated,
)
from annotation.pricing import hourly_wage, money
from annotation.selectors.days import answers_by_day, last_days
from annotation.selectors.progress import has_simulated
from annotation.selectors.review_queue import never_scored, undecided_by
from kernel.models import User
from kernel.values import batches

STATES = (CampaignStatus.RUNNING, CampaignStatus.DRAFT, CampaignStatus.PAUSED, CampaignStatus.CLOSED)
RANK = Case(*(When(status=state, then=rank) for rank, state in enumerate(STATES)), output_field=IntegerField())
SORTS = {"name": "name", "status": "rank", "earned": "earned", "created": "pk"}
MONEY: DecimalField[Decimal, Decimal] = DecimalField(max_digits=10, decimal_places=2)
NOTHING = Value(Decimal(0), output_field=MONEY)
CHUNK = 100  # campaigns of a file whose figures are read together
COLUMNS = (
    "campaign", "status", "sample", "tasks", "answers", "wanted", "to_review", "alpha", "hourly_wage", "currency",
    "earned", "has_simulated", "created_at", "created_by",
)  # fmt: skip


@dataclass(frozen=True)
class CampaignFilters:
    """What the list is asked for; "" means everything, in the order of creation with the newest first."""

    status: str = ""
    words: str = ""
    owner: str = ""  # "me" or everyone
    sort: str = ""  # a column, with "-" before it the largest first

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> CampaignFilters:
        """Return the filters in a query string; unknown values are ignored."""
        status, sort = query.get("status", ""), query.get("sort", "")
        return cls(
            status if status in CampaignStatus.values else "",
            query.get("words", "").replace("\x00", "").strip(),
            "me" if query.get("owner") == "me" else "",
            sort if sort.removeprefix("-") in SORTS else "",
        )


def matching(filters: CampaignFilters, user: User) -> QuerySet[Campaign]:
    """Return the campaigns that match, each with what its people have earned."""
    people = Participation.objects.filter(campaign=OuterRef("pk")).exclude(simulated("worker")).order_by()
    sums = people.values("campaign").annotate(sum=Sum("earned")).values("sum")
    rows = (
        Campaign.objects.select_related("sample", "created_by")
        .defer("lessons")
        .annotate(
            earned=Coalesce(Subquery(sums), NOTHING, output_field=MONEY), has_simulated=has_simulated(), rank=RANK
        )
    )
    if filters.status:
        rows = rows.filter(status=filters.status)
    if filters.words:
        rows = rows.filter(name__icontains=filters.words)
    if filters.owner:
        rows = rows.filter(created_by=user)
    if not filters.sort:
        return rows.order_by("-pk")
    down = "-" if filters.sort.startswith("-") else ""
    return rows.order_by(f"{down}{SORTS[filters.sort.removeprefix('-')]}", "-pk")


def states(filters: CampaignFilters, user: User) -> list[tuple[str, str, int]]:
    """Return (value, label, how many match the other filters) for each state, all together first."""
    rows = matching(CampaignFilters(words=filters.words, owner=filters.owner), user).order_by()
    numbers = dict(rows.values_list("status").annotate(Count("pk", distinct=True)))
    by_state = [(state.value, Campaign(status=state).state, numbers.get(state.value, 0)) for state in STATES]
    return [("", "All", sum(numbers.values())), *by_state]


def earned(rows: QuerySet[Any]) -> list[tuple[str, Decimal]]:
    """Return (currency, sum) of all these campaigns, which come from `matching`."""
    sums: dict[str, Decimal] = {}
    for currency, amount in rows.order_by().values_list("currency", "earned"):
        sums[currency] = sums.get(currency, Decimal(0)) + amount
    return [(currency, money(Decimal(sum))) for currency, sum in sorted(sums.items()) if sum]


@dataclass(frozen=True)
class CampaignRow:
    """A campaign with its figures; check tasks are not among tasks and answers."""

    campaign: Campaign
    tasks: int
    answers: int
    wanted: int
    in_hand: int
    days: Sequence[tuple[date, int]]  # answers of the last two weeks
    to_review: int  # tasks that wait for the person who looks
    alpha: float | None
    wage: Decimal | None
    earned: Decimal
    has_simulated: bool

    @property
    def percent(self) -> int:
        return 100 * self.answers // self.wanted if self.wanted else 0

    @property
    def most(self) -> int:
        return max((number for _, number in self.days), default=0)

    @property
    def lately(self) -> int:
        return sum(number for _, number in self.days)

    @property
    def is_below_target(self) -> bool:
        floor = settings.WAGE_FLOOR
        return self.wage is not None and floor.currency == self.campaign.currency and self.wage < floor.amount


def rows_of(campaigns: Iterable[Any], user: User) -> list[CampaignRow]:
    """Return the rows of these campaigns, which come from `matching`, by one query for each figure."""
    campaigns = list(campaigns)
    tasks = Task.objects.filter(campaign__in=campaigns).order_by()
    # As in a campaign's progress: all answers and then those of gold, so that indexes answer alone.
    every = _by_campaign(tasks, n=Count("pk"), answers=Sum("answers"))
    gold = _by_campaign(tasks.filter(is_gold__in=[True]), n=Count("pk"), answers=Sum("answers"))
    free = _by_campaign(tasks.filter(is_gold__in=[False]), n=Sum("free"))
    taken = Assignment.objects.filter(campaign__in=campaigns, status=AssignmentStatus.TAKEN, task__is_gold=False)
    held = _by_campaign(taken.order_by(), n=Count("pk"))
    days = answers_by_day(campaigns, last_days())
    alphas = _alphas(campaigns) if user.has_perm("annotation.view_agreementreport") else {}
    waiting = _waiting(campaigns, user) if user.has_perm("annotation.add_review") else {}
    wages = _wages(campaigns)
    made = []
    for campaign in campaigns:
        pk = campaign.pk
        answers = every[pk].get("answers", 0) - gold[pk].get("answers", 0)
        in_hand = held[pk].get("n", 0)
        made.append(
            CampaignRow(
                campaign=campaign,
                tasks=every[pk].get("n", 0) - gold[pk].get("n", 0),
                answers=answers,
                wanted=answers + in_hand + free[pk].get("n", 0),
                in_hand=in_hand,
                days=days.get(pk, ()),
                to_review=waiting.get(pk, 0),
                alpha=alphas.get(pk),
                wage=wages.get(pk),
                earned=money(Decimal(campaign.earned)),
                has_simulated=campaign.has_simulated,
            )
        )
    return made


def _by_campaign(rows: QuerySet[Any], **sums: Any) -> defaultdict[int, dict[str, Any]]:
    totals = rows.values("campaign").annotate(**sums)
    return defaultdict(dict, {figures.pop("campaign"): figures for figures in totals})


def _waiting(campaigns: Sequence[Campaign], user: User) -> dict[int, int]:
    """Return how many tasks of each campaign this person can still decide; those never scored wait too."""
    rows = undecided_by(user).filter(campaign__in=campaigns)
    scored = Counter[int](dict(rows.order_by().values_list("campaign").annotate(Count("pk"))))
    return scored + Counter(never_scored(campaigns))


def _alphas(campaigns: Sequence[Campaign]) -> dict[int, float]:
    rows = AgreementReport.objects.filter(campaign__in=campaigns, answers__gt=0)
    return dict(rows.values_list("campaign", "value__labels__0__value"))


def _wages(campaigns: Sequence[Campaign]) -> dict[int, Decimal | None]:
    """Return what an hour of work has earned, as `real_wage` does for one campaign."""
    people = Participation.objects.filter(campaign__in=campaigns, withdrawn_at=None, imported=0).order_by()
    sums = _by_campaign(people.exclude(simulated("worker")), paid=Sum("earned"), ms=Sum("active_ms"))
    return {
        pk: hourly_wage(figures["paid"], figures["ms"] / 1000)
        for pk, figures in sums.items()
        if figures["paid"] and figures["ms"]
    }


def cells(filters: CampaignFilters, user: User) -> Iterator[list[object]]:
    """Yield the lines of a file with every campaign that matches."""
    for some in batches(matching(filters, user).iterator(chunk_size=CHUNK), CHUNK):
        for row in rows_of(some, user):
            campaign = row.campaign
            yield [
                campaign.name, campaign.status, campaign.sample.name, row.tasks, row.answers, row.wanted, row.to_review,
                row.alpha, row.wage, campaign.currency, row.earned, str(row.has_simulated).lower(),
                campaign.created_at.isoformat(), campaign.created_by.username if campaign.created_by else "",
            ]  # fmt: skip
