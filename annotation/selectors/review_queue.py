"""Reads for the review's queue: what waits, in which order, and in which campaigns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, When

from annotation.models import Campaign, CampaignStatus, ReviewItem, ReviewState, Task
from annotation.selectors.progress import has_simulated
from kernel.models import User

OPEN_STATES = (ReviewState.CONTESTED, ReviewState.FLAGGED, ReviewState.WAITING)
MOST_UNSCORED = 500  # tasks at the end of the queue; a job scores them long before somebody gets there


def answered_tasks(campaign: Campaign) -> QuerySet[Task]:
    """Return the tasks that can be reviewed: everybody has answered, or the campaign is closed."""
    tasks = Task.objects.filter(campaign=campaign, is_gold=False, answers__gt=0)
    return tasks if campaign.status == CampaignStatus.CLOSED else tasks.filter(answers__gte=F("slots"))


def tasks_to_score(campaign: Campaign) -> QuerySet[Task]:
    """Return the answered tasks that were not scored yet, or before their last answer came."""
    scored = ReviewItem.objects.filter(task=OuterRef("pk"), answers=OuterRef("answers"))
    return answered_tasks(campaign).filter(~Exists(scored))


def items(campaign: Campaign, *, state: str = "") -> QuerySet[ReviewItem]:
    """Return a campaign's items, contested ones first, then by doubt."""
    rows = ReviewItem.objects.filter(campaign=campaign).order_by("-score", "id")
    return rows.filter(state=state) if state else rows


def undecided_by(user: User) -> QuerySet[ReviewItem]:
    """Return what this person can still decide, in all campaigns."""
    through = ReviewItem.done_by.through.objects.filter(reviewitem_id=OuterRef("pk"), user_id=user.pk)
    return ReviewItem.objects.filter(~Exists(through), state__in=OPEN_STATES)


def open_but_decided_by(campaign: Campaign, user: User) -> int:
    """Return how many open items of a campaign this person has decided, and others have not."""
    return ReviewItem.objects.filter(campaign=campaign, state__in=OPEN_STATES, done_by=user).count()


def waiting_for(campaign: Campaign, user: User) -> QuerySet[ReviewItem]:
    """Return what this person can still decide, contested and flagged ones first, then the most doubtful."""
    ranks = (When(state=name, then=number) for number, name in enumerate(OPEN_STATES))
    rows = undecided_by(user).filter(campaign=campaign)
    return rows.order_by(Case(*ranks, output_field=IntegerField()), "-score", "id")


@dataclass(frozen=True)
class Segment:
    """The tasks of the review that a person goes through, in order; `total` counts those never scored too."""

    task_ids: Sequence[int]
    total: int
    unanimous: int = 0  # tasks without a decision where all agree

    def place(self, task_id: int) -> tuple[int | None, int | None, int | None]:
        """Return the number of this task from 1, and the tasks before and after it."""
        if task_id not in self.task_ids:
            return None, None, None
        at = self.task_ids.index(task_id)
        before, after = self.task_ids[max(0, at - 1) : at], self.task_ids[at + 1 : at + 2]
        return at + 1, next(iter(before), None), next(iter(after), None)


def segment(
    campaign: Campaign, user: User, state: str, new: Sequence[tuple[ReviewItem, bool]], unscored: int
) -> Segment:
    """Return the tasks in this state, or what this person can decide, as `waiting_for` orders them.

    `new` are items that are not stored yet, each with whether it waits for this person. `unscored` tasks were never
    scored and come last, so that a person who goes from task to task reaches them too.
    """
    queue = items(campaign, state=state) if state else waiting_for(campaign, user)
    # As an integer: SQLite's booleans are converted one by one.
    agreed = Case(When(is_unanimous=True, then=1), default=0, output_field=IntegerField())
    stored = [*queue.order_by().values_list("state", "score", "pk", "task_id", agreed)]
    fresh = {item.task_id for item, _ in new}
    rows = [row for row in stored if row[3] not in fresh] + [
        (item.state, item.score, 0, item.task_id, item.is_unanimous)
        for item, waits in new
        if (item.state == state if state else waits)
    ]
    rows.sort(key=lambda row: (not state and OPEN_STATES.index(row[0]), -row[1], row[2]))
    unanimous = sum(row[4] and row[0] == ReviewState.WAITING for row in rows)
    last = _never_scored(campaign).exclude(pk__in=fresh).order_by("pk") if unscored else Task.objects.none()
    task_ids = [row[3] for row in rows] + [*last.values_list("pk", flat=True)[:MOST_UNSCORED]]
    return Segment(task_ids, len(rows) if state else len(stored) + unscored, unanimous)


def not_scored(campaign: Campaign) -> int:
    """Return how many answered tasks were never scored."""
    return _never_scored(campaign).count()


def _never_scored(campaign: Campaign) -> QuerySet[Task]:
    return answered_tasks(campaign).filter(review_item=None)


def never_scored(campaigns: Iterable[Campaign]) -> dict[int, int]:
    """Return the same number for each of these campaigns that has such tasks."""
    tasks = _answered_anywhere().filter(campaign__in=campaigns, review_item=None)
    return dict(tasks.values_list("campaign").annotate(Count("pk")))


def _answered_anywhere() -> QuerySet[Task]:
    """Return the tasks that can be reviewed, of all campaigns."""
    done = Q(answers__gte=F("slots")) | Q(campaign__status=CampaignStatus.CLOSED)
    return Task.objects.filter(done, is_gold=False, answers__gt=0).order_by()


def counts(campaign: Campaign, unscored: int | None = None) -> dict[str, int]:
    """Return how many answered tasks are in each state; those never scored wait (counted here, unless they were)."""
    rows = ReviewItem.objects.filter(campaign=campaign).values_list("state").annotate(Count("pk")).order_by()
    by_state = {state.value: 0 for state in ReviewState} | dict(rows)
    return by_state | {"waiting": by_state["waiting"] + (not_scored(campaign) if unscored is None else unscored)}


def open_tasks(campaigns: Iterable[Campaign]) -> dict[str, int]:
    """Return how many tasks of these campaigns wait, are contested or flagged."""
    totals: Counter[str] = Counter()
    for campaign in campaigns:
        totals.update(counts(campaign))
    return {state.value: totals[state.value] for state in ReviewState if state != ReviewState.SETTLED}


@dataclass(frozen=True)
class CampaignToReview:
    """A campaign on the list, with what waits in it."""

    campaign: Campaign
    answered: int
    not_scored: int
    states: Mapping[str, int]

    @property
    def waiting(self) -> int:
        """As the campaign's own pages count: those never scored wait."""
        return self.states.get("waiting", 0) + self.not_scored


def to_review(campaigns: Iterable[Campaign]) -> list[CampaignToReview]:
    """Return those of these campaigns in which somebody has answered."""
    new = Count("pk", filter=Q(review_item=None))
    tasks = _answered_anywhere().values_list("campaign").annotate(Count("pk"), new=new)
    numbers = {campaign_id: (answered, unscored) for campaign_id, answered, unscored in tasks}
    states: dict[int, dict[str, int]] = {}
    rows = ReviewItem.objects.values_list("campaign_id", "state").annotate(Count("pk")).order_by()
    for campaign_id, state, number in rows:
        states.setdefault(campaign_id, {})[state] = number
    return [
        CampaignToReview(campaign, *numbers[campaign.pk], states.get(campaign.pk, {}))
        for campaign in campaigns
        if campaign.pk in numbers
    ]


def campaigns_to_review() -> list[CampaignToReview]:
    """Return the campaigns in which somebody has answered, the newest first."""
    return to_review(Campaign.objects.annotate(has_simulated=has_simulated()).order_by("-id"))
