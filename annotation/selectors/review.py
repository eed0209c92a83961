"""Reads for the review: what waits, and one task with its answers side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, When

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Participation,
    ProblemReport,
    Review,
    ReviewItem,
    ReviewState,
    Task,
    Verdict,
    WorkerVerdict,
)
from annotation.quality.verdicts import CONTESTED, DECISIONS, ReviewEntry, standing
from annotation.selectors.people import pseudonym_of
from annotation.selectors.progress import has_simulated
from annotation.task_types import TASK_TYPES
from annotation.task_types.base import TaskType
from annotation.task_types.cleaned import CleanedAnswer, Cleaning
from tesa_site.kernel.models import User
from tesa_site.kernel.values import content_hash

SHOWN = (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)
OPEN_STATES = (ReviewState.CONTESTED, ReviewState.FLAGGED, ReviewState.WAITING)


def fingerprint(annotation: Annotation) -> str:
    """Return what a reviewer saw of an answer, so that a verdict on an earlier text can be refused."""
    return content_hash(annotation.answer)[:16]


# ---- The queue ------------------------------------------------------------------------------------


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
    found = ReviewItem.objects.filter(campaign=campaign)
    if state:
        return found.filter(state=state).order_by("-score", "id")
    return found.order_by("-score", "id")


def waiting_for(campaign: Campaign, user: User, *, state: str = "") -> QuerySet[ReviewItem]:
    """Return what this person can still decide, contested and flagged ones first, then the most doubtful."""
    through = ReviewItem.done_by.through.objects.filter(reviewitem_id=OuterRef("pk"), user_id=user.pk)
    found = ReviewItem.objects.filter(~Exists(through), campaign=campaign)
    if state:
        return found.filter(state=state).order_by("-score", "id")
    found = found.filter(state__in=OPEN_STATES)
    rank = Case(
        *(When(state=name, then=number) for number, name in enumerate(OPEN_STATES)), output_field=IntegerField()
    )
    return found.order_by(rank, "-score", "id")


def next_for(
    campaign: Campaign, user: User, skipped: Sequence[int] = (), new: Sequence[ReviewItem] = ()
) -> ReviewItem | None:
    """Return the first item that waits for this person, skipped ones last. Reads the index of each state: no sorting.

    `new` are items that wait for this person too, but are not stored yet.
    """
    left_out = [*skipped, *(item.task_id for item in new)]
    for state in OPEN_STATES:
        stored = waiting_for(campaign, user, state=state).exclude(task_id__in=left_out).select_related("task__member")
        items = [*stored[:1], *(item for item in new if item.state == state and item.task_id not in skipped)]
        if items:
            return max(items, key=lambda item: item.score)
    return next_for(campaign, user, new=new) if skipped else None


def not_scored(campaign: Campaign) -> int:
    """Return how many answered tasks wait without a place in the queue: they were never scored."""
    return answered_tasks(campaign).filter(review_item=None).count()


def counts(campaign: Campaign, unscored: int | None = None) -> dict[str, int]:
    """Return how many answered tasks are in each state; those never scored wait (counted here, unless they were)."""
    rows = ReviewItem.objects.filter(campaign=campaign).values_list("state").annotate(Count("pk")).order_by()
    found = {state.value: 0 for state in ReviewState} | dict(rows)
    return found | {"waiting": found["waiting"] + (not_scored(campaign) if unscored is None else unscored)}


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
    has_simulated: bool

    @property
    def waiting(self) -> int:
        """As the campaign's own pages count: those never scored wait."""
        return self.states.get("waiting", 0) + self.not_scored


def campaigns_to_review() -> list[CampaignToReview]:
    """Return the campaigns in which somebody has answered, the newest first."""
    done = Q(tasks__is_gold=False, tasks__answers__gt=0) & (
        Q(tasks__answers__gte=F("tasks__slots")) | Q(status=CampaignStatus.CLOSED)
    )
    new = done & Q(tasks__review_item=None)
    campaigns = Campaign.objects.annotate(
        answered=Count("tasks", filter=done), new=Count("tasks", filter=new), has_simulated=has_simulated()
    )
    states: dict[int, dict[str, int]] = {}
    rows = ReviewItem.objects.values_list("campaign_id", "state").annotate(Count("pk")).order_by()
    for campaign_id, state, number in rows:
        states.setdefault(campaign_id, {})[state] = number
    return [
        CampaignToReview(one, one.answered, one.new, states.get(one.pk, {}), one.has_simulated)
        for one in campaigns
        if one.answered
    ]


# ---- One task -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnswerInReview:
    """One person's answer: as it was typed, as it was cleaned, who wrote it and what reviewers said."""

    number: int  # on the page, from 1
    campaign: Campaign
    annotation: Annotation
    assignment: Assignment
    person: Participation
    cleaned: CleanedAnswer
    concerns: tuple[WorkerVerdict, ...]
    reviews: tuple[Review, ...]
    hints: tuple[str, ...] = ()  # sentences of the task type: shown, never applied
    is_decided_by_others: bool = False  # and what they decided is not among the reviews: see `as_seen_by`
    is_decided_by_viewer: bool = False  # and waits for somebody else

    @property
    def name(self) -> str:
        return pseudonym_of(self.campaign, self.person.worker)

    @property
    def is_simulated(self) -> bool:
        return self.person.worker.is_simulated

    @property
    def seen(self) -> str:
        return fingerprint(self.annotation)

    @property
    def is_counted(self) -> bool:
        return self.assignment.status == AssignmentStatus.SUBMITTED and self.person.excluded_at is None

    @property
    def is_settled(self) -> bool:
        return self.annotation.verdict in DECISIONS

    @property
    def units(self) -> tuple[str, ...]:
        return self.cleaned.units

    @property
    def active_seconds(self) -> float:
        return (self.annotation.active_ms or 0) / 1000

    @property
    def typing(self) -> str:
        """How it was typed, as far as its author agreed to its being recorded."""
        seen = self.annotation.signals or {}
        names = (("keys", "keys"), ("pastes", "pastes"), ("pasted", "characters pasted"), ("blurs", "page left"))
        return ", ".join(f"{label}: {seen[name]}" for name, label in names if name in seen)

    @property
    def type(self) -> TaskType:
        return TASK_TYPES[self.campaign.task_type]

    @property
    def verdict_label(self) -> str:
        if self.annotation.verdict in ("contested", "flag"):
            return {"contested": "Contested", "flag": "Flagged"}[self.annotation.verdict]
        return decision_label(self.type, self.annotation.verdict, self.annotation.corrected)

    @property
    def correction_form(self) -> dict[str, str]:
        """The form a correction starts from: the reviewers' answer, or the cleaned one."""
        corrected = self.annotation.corrected
        return self.type.form(corrected) if corrected else self.type.cleaned_form(self.cleaned)

    @property
    def history(self) -> list[ReviewLine]:
        return [_line(self.type, row) for row in self.reviews]

    def needs(self, user_id: int) -> bool:
        """Tell whether this person can still bring the answer's review forward."""
        if not self.is_counted or self.is_settled:
            return False
        return str(user_id) not in {entry.reviewer for entry in standing(history_of(self.reviews))}

    def as_seen_by(self, user_id: int) -> AnswerInReview:
        """Return the answer without what others decided, as long as this person's own decision is still to come.

        A second review is worth something only when it does not know the first: where there are two, remarks wait too,
        and of a flag its reason. Who is asked to settle what two contest sees both.
        """
        voices = [entry for entry in standing(history_of(self.reviews)) if entry.verdict in DECISIONS]
        is_open = not self.is_settled and self.annotation.verdict != CONTESTED
        if not is_open:
            return self
        if any(entry.reviewer == str(user_id) for entry in voices):
            return replace(self, is_decided_by_viewer=self.is_counted)
        is_blind = self.campaign.reviewers > 1
        shown = (row if row.reviewer_id == user_id else _as_shown_to_others(row, is_blind) for row in self.reviews)
        return replace(self, reviews=tuple(row for row in shown if row), is_decided_by_others=bool(voices))


def _as_shown_to_others(row: Review, is_blind: bool) -> Review | None:
    """Return what somebody who has not decided may know of it; None for a decision, or what takes one back."""
    verdict = row.undoes.verdict if row.undoes else row.verdict
    if verdict in DECISIONS or (is_blind and verdict == Verdict.COMMENT):
        return None
    if not is_blind:
        return row
    shown = copy(row)
    shown.why = ""
    return shown


def with_hints(answers: Sequence[AnswerInReview], item: Any, type_: TaskType) -> list[AnswerInReview]:
    """Return a task's answers with the hints that its type has for reviewers."""
    hints = type_.hints(item, [answer.cleaned for answer in answers])
    return [replace(answer, hints=found) for answer, found in zip(answers, hints, strict=True)]


def decision_label(type_: TaskType, verdict: str, answer: Mapping[str, Any] | None) -> str:
    """Return what a page calls a verdict; a correction to "nothing fits" has the task type's own word."""
    if verdict == Verdict.CORRECT and type_.nothing_fits and answer == type_.nothing_fits.answer:
        return type_.nothing_fits.label
    return str(dict(Verdict.choices).get(verdict, verdict))


@dataclass(frozen=True)
class ReviewLine:
    """One line of the history: what was decided, and the answer that a correction put in place."""

    review: Review
    label: str
    correction: str = ""
    undone: ReviewLine | None = None


def _line(type_: TaskType, row: Review) -> ReviewLine:
    label = decision_label(type_, row.verdict, row.after)
    is_reworded = label == Verdict.CORRECT.label
    correction = type_.summary(row.after) if is_reworded and row.after else ""
    return ReviewLine(row, label, correction, _line(type_, row.undoes) if row.undoes else None)


def history_of(reviews: Iterable[Review]) -> list[ReviewEntry]:
    return [
        ReviewEntry(row.pk, str(row.reviewer_id or row.reviewer_name), row.verdict, row.after, row.undoes_id)
        for row in reviews
    ]


def concerns(campaign: Campaign) -> dict[int, list[WorkerVerdict]]:
    """Return what worker filters saw in each person, by the number of their participation, as last looked at."""
    found: dict[int, list[WorkerVerdict]] = {}
    for row in WorkerVerdict.objects.filter(participation__campaign=campaign).order_by("level", "filter"):
        found.setdefault(row.participation_id, []).append(row)
    return found


@dataclass(frozen=True)
class Known:
    """What answers are read with: the cleaning, and the evidence about their authors. Many tasks can share it."""

    cleaning: Cleaning
    evidence: Mapping[int, Sequence[WorkerVerdict]]

    @classmethod
    def of(cls, campaign: Campaign, cleaning: Cleaning | None = None) -> Known:
        return cls(cleaning or TASK_TYPES[campaign.task_type].cleaning, concerns(campaign))


def answers_of_tasks(
    campaign: Campaign, task_ids: Sequence[int], known: Known | None = None
) -> dict[int, list[AnswerInReview]]:
    """Return the answers of these tasks, in time or late, in the order they came."""
    known = known or Known.of(campaign)
    rows = _shown_of(task_ids)
    reviews: dict[int, list[Review]] = {row.pk: [] for row in rows}
    for review in Review.objects.filter(annotation_id__in=reviews).select_related("undoes").order_by("id"):
        reviews[review.annotation_id].append(review)
    found: dict[int, list[AnswerInReview]] = {pk: [] for pk in task_ids}
    for row in rows:
        answers, turn = found[row.assignment.task_id], row.assignment
        answers.append(
            AnswerInReview(
                number=len(answers) + 1,
                campaign=campaign,
                annotation=row,
                assignment=turn,
                person=turn.participation,
                cleaned=known.cleaning.clean(turn.task.question, row.answer),
                concerns=tuple(known.evidence.get(turn.participation_id, ())),
                reviews=tuple(reviews[row.pk]),
            )
        )
    return found


def _shown_of(task_ids: Sequence[int]) -> list[Annotation]:
    """Return the annotations of these tasks with all that belongs to them; tasks and people are read once each.

    The status is looked at here: asked for it, SQLite walks through every answer of the installation instead.
    """
    rows = Annotation.objects.filter(assignment__task_id__in=task_ids).select_related("assignment").order_by("id")
    shown = [row for row in rows if row.assignment.status in SHOWN]
    tasks = Task.objects.defer("html").in_bulk(list(task_ids))
    people = Participation.objects.select_related("worker").in_bulk({row.assignment.participation_id for row in shown})
    for row in shown:
        row.assignment.task = tasks[row.assignment.task_id]
        row.assignment.participation = people[row.assignment.participation_id]
    return shown


def open_reports(task_ids: Sequence[int]) -> dict[int, list[ProblemReport]]:
    """Return what annotators reported about these tasks and nobody has settled."""
    found: dict[int, list[ProblemReport]] = {pk: [] for pk in task_ids}
    rows = ProblemReport.objects.filter(assignment__task_id__in=task_ids, settled_at=None)
    for row in rows.select_related("assignment").order_by("id"):
        found[row.assignment.task_id].append(row)
    return found


def last_standing(campaign: Campaign, user: User) -> Review | None:
    """Return the last thing this person said in the campaign and has not undone."""
    rows = Review.objects.filter(annotation__assignment__campaign=campaign, reviewer=user, undone_by=None)
    return rows.exclude(verdict="undo").order_by("-id").first()


def standing_with(row: Review) -> list[Review]:
    """Return the review, or those of the bulk accept it is part of that have not been undone."""
    if not row.bulk:
        return [row]
    rows = Review.objects.filter(reviewer_id=row.reviewer_id, bulk=row.bulk, undone_by=None)
    return list(rows.exclude(verdict="undo").order_by("id"))
