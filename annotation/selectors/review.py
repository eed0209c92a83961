"""Reads for the review: what waits, and one task with its answers side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, When

from annotation.cleaning.pipeline import CleanedAnnotation
from annotation.cleaning.stored import raw_annotation
from annotation.cleaning.tesa import TESA
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
from annotation.quality.verdicts import DECISIONS, Said, standing
from annotation.selectors.people import pseudonym_of
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
    found = found.filter(state=state) if state else found.filter(state__in=OPEN_STATES)
    rank = Case(
        *(When(state=name, then=number) for number, name in enumerate(OPEN_STATES)), output_field=IntegerField()
    )
    return found.order_by(rank, "-score", "id")


def counts(campaign: Campaign) -> dict[str, int]:
    """Return how many items are in each state."""
    rows = ReviewItem.objects.filter(campaign=campaign).values_list("state").annotate(Count("pk")).order_by()
    return {state.value: 0 for state in ReviewState} | dict(rows)


@dataclass(frozen=True)
class CampaignToReview:
    """A campaign on the list, with what waits in it."""

    campaign: Campaign
    answered: int
    states: Mapping[str, int]

    @property
    def waiting(self) -> int:
        return self.answered - self.states.get("settled", 0)


def campaigns_to_review() -> list[CampaignToReview]:
    """Return the campaigns in which somebody has answered, the newest first."""
    done = Q(tasks__is_gold=False, tasks__answers__gt=0) & (
        Q(tasks__answers__gte=F("tasks__slots")) | Q(status=CampaignStatus.CLOSED)
    )
    campaigns = Campaign.objects.annotate(answered=Count("tasks", filter=done)).filter(answered__gt=0)
    states: dict[int, dict[str, int]] = {}
    rows = ReviewItem.objects.values_list("campaign_id", "state").annotate(Count("pk")).order_by()
    for campaign_id, state, number in rows:
        states.setdefault(campaign_id, {})[state] = number
    return [CampaignToReview(campaign, campaign.answered, states.get(campaign.pk, {})) for campaign in campaigns]


# ---- One task -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnswerInReview:
    """One person's answer: as it was typed, as it was cleaned, who wrote it and what reviewers said."""

    number: int  # on the page, from 1
    annotation: Annotation
    assignment: Assignment
    person: Participation
    name: str
    cleaned: CleanedAnnotation
    concerns: tuple[WorkerVerdict, ...]
    reviews: tuple[Review, ...]
    seen: str

    @property
    def is_counted(self) -> bool:
        return self.assignment.status == AssignmentStatus.SUBMITTED and self.person.excluded_at is None

    @property
    def is_settled(self) -> bool:
        return self.annotation.verdict in DECISIONS

    @property
    def phrases(self) -> tuple[str, ...]:
        return self.cleaned.phrases

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
    def verdict_label(self) -> str:
        labels = {value: str(label) for value, label in Verdict.choices} | {"contested": "Contested", "flag": "Flagged"}
        return labels.get(self.annotation.verdict, self.annotation.verdict)

    @property
    def words(self) -> list[str]:
        """The words a correction starts from: a reviewer's, or as displayed after cleaning; always two."""
        kept = self.annotation.phrases or [answer.display for answer in self.cleaned.answers if answer.phrase]
        return [*kept, "", ""][:2]

    def needs(self, user_id: int) -> bool:
        """Tell whether this person can still bring the answer's review forward."""
        if not self.is_counted or self.is_settled:
            return False
        return str(user_id) not in {said.reviewer for said in standing(history_of(self.reviews))}


def history_of(reviews: Iterable[Review]) -> list[Said]:
    return [
        Said(row.pk, str(row.reviewer_id or row.reviewer_name), row.verdict, tuple(row.after), row.undoes_id)
        for row in reviews
    ]


def concerns(campaign: Campaign) -> dict[int, list[WorkerVerdict]]:
    """Return what worker filters saw in each person, by the number of their participation, as last looked at."""
    found: dict[int, list[WorkerVerdict]] = {}
    for row in WorkerVerdict.objects.filter(participation__campaign=campaign).order_by("level", "filter"):
        found.setdefault(row.participation_id, []).append(row)
    return found


def answers_of_tasks(campaign: Campaign, task_ids: Sequence[int]) -> dict[int, list[AnswerInReview]]:
    """Return the answers of these tasks, in time or late, in the order they came."""
    rows = (
        Annotation.objects.filter(assignment__task_id__in=task_ids, assignment__status__in=SHOWN)
        .select_related("assignment__task", "assignment__participation__worker")
        .defer("assignment__task__html")
        .prefetch_related("reviews")
        .order_by("id")
    )
    evidence = concerns(campaign)
    found: dict[int, list[AnswerInReview]] = {pk: [] for pk in task_ids}
    for row in rows:
        answers = found[row.assignment.task_id]
        answers.append(_answer(campaign, row, len(answers) + 1, evidence))
    return found


def _answer(
    campaign: Campaign, row: Annotation, number: int, evidence: Mapping[int, list[WorkerVerdict]]
) -> AnswerInReview:
    person = row.assignment.participation
    return AnswerInReview(
        number=number,
        annotation=row,
        assignment=row.assignment,
        person=person,
        name=pseudonym_of(campaign, person.worker),
        cleaned=TESA.clean_annotation(raw_annotation(row.assignment.task.question, row.answer, str(row.pk))),
        concerns=tuple(evidence.get(person.pk, ())),
        reviews=tuple(row.reviews.all()),
        seen=fingerprint(row),
    )


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
