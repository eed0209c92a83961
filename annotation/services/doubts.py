"""Score tasks for the review by how doubtful their answers are; stored, so that the queue is one indexed read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from annotation.models import Campaign, ReviewItem, ReviewState, Task
from annotation.quality.doubt import Doubt, WeighedAnswer, doubt_of
from annotation.quality.verdicts import CONTESTED, FLAG, standing
from annotation.selectors import review, review_queue
from annotation.selectors.review import AnswerInReview, Known
from annotation.selectors.settlements import SettledTask, settlements_of
from annotation.services.assigning import lock_tasks
from annotation.task_types import type_of
from annotation.task_types.cleaned import Cleaning
from kernel.clock import now
from kernel.values import batches

CHUNK = 50  # tasks a transaction: under 200 ms
FORGET_CHUNK = 500
ANOTHER_LOOK = "The task’s own answer needs another look."


def doubt_of_answers(campaign: Campaign, answers: Sequence[AnswerInReview], *, reports: int) -> Doubt:
    """Return how doubtful a task with these answers is; answers that are not counted take no part."""
    counted = [_answer(answer) for answer in answers if answer.is_counted]
    return doubt_of(counted, type_of(campaign), reports=reports)


def _answer(answer: AnswerInReview) -> WeighedAnswer:
    levels = [concern.level for concern in answer.concerns]
    return WeighedAnswer(answer.cleaned, strong=levels.count("strong"), weak=levels.count("weak"))


def state_of(answers: Sequence[AnswerInReview], own: SettledTask | None = None) -> ReviewState:
    """Return the state of a task's review, from the verdicts on its counted answers and on the task's own answer."""
    verdicts = {answer.annotation.verdict for answer in answers if answer.is_counted and not answer.is_settled}
    if own and own.is_open:
        verdicts.add(own.verdict)
    if CONTESTED in verdicts:
        return ReviewState.CONTESTED
    if FLAG in verdicts:
        return ReviewState.FLAGGED
    return ReviewState.WAITING if verdicts else ReviewState.SETTLED


def done_by(answers: Sequence[AnswerInReview], own: SettledTask | None = None) -> set[int]:
    """Return the reviewers who have spoken on everything unsettled, so that only others can settle the task."""
    voices = [
        {int(entry.reviewer) for entry in standing(review.history_of(answer.reviews)) if entry.reviewer.isdecimal()}
        for answer in answers
        if answer.is_counted and not answer.is_settled
    ]
    if own and own.is_open:
        voices.append({*own.reviewers})
    return set.intersection(*voices) if voices else set()


@dataclass(frozen=True)
class Scored:
    """A task's review item that is not stored, and the reviewers who have nothing left to say about the task."""

    item: ReviewItem
    done_by: set[int]


def score(campaign: Campaign, task_ids: Sequence[int], known: Known | None = None) -> list[Scored]:
    """Score these tasks by their answers as they are now; nothing is stored."""
    answers, reports = review.answers_of_tasks(campaign, task_ids, known), review.open_reports(task_ids)
    counted = dict(Task.objects.filter(pk__in=task_ids).values_list("pk", "answers"))
    settled = settlements_of(task_ids, needed=campaign.reviewers) if type_of(campaign).settles else {}
    scored = []
    for pk in task_ids:
        own = settled.get(pk)
        doubt = doubt_of_answers(campaign, answers[pk], reports=len(reports[pk]))
        item = ReviewItem(
            task_id=pk,
            campaign=campaign,
            score=doubt.score,
            reasons=[*([ANOTHER_LOOK] if own and own.needs_another_look else []), *doubt.reasons],
            is_unanimous=doubt.is_unanimous and not (own and own.is_open),  # nobody accepts that one for many at once
            state=state_of(answers[pk], own),
            answers=counted[pk],
            scored_at=now(),
        )
        scored.append(Scored(item, done_by(answers[pk], own)))
    return scored


def score_new(campaign: Campaign, *, most: int) -> tuple[list[Scored], int]:
    """Score up to `most` tasks that wait for it, without storing it; also return how many more wait."""
    waiting = _waiting(campaign, most + 1)
    left = review_queue.tasks_to_score(campaign).count() - most if len(waiting) > most else 0
    return (score(campaign, waiting[:most]) if waiting else []), left


def _waiting(campaign: Campaign, most: int) -> list[int]:
    return list(review_queue.tasks_to_score(campaign).order_by("pk").values_list("pk", flat=True)[:most])


@transaction.atomic
def score_tasks(campaign: Campaign, task_ids: Sequence[int], known: Known | None = None) -> None:
    """Store the scores and states of these tasks. They are locked, so that their answers do not change meanwhile."""
    lock_tasks(task_ids)
    scored = score(campaign, task_ids, known)
    rows, fields = [task.item for task in scored], ("score", "reasons", "is_unanimous", "state", "answers", "scored_at")
    ReviewItem.objects.bulk_create(rows, update_conflicts=True, unique_fields=["task"], update_fields=fields)
    _store_done({task.item.task_id: task.done_by for task in scored})


def forget_scores(task_ids: Sequence[int]) -> None:
    """Drop the scores of tasks whose answers changed.

    The caller has locked the tasks: otherwise a process that is scoring them would store the old scores again.
    """
    for some in batches(task_ids, FORGET_CHUNK):
        ReviewItem.objects.filter(task_id__in=some).delete()


def _store_done(wanted: Mapping[int, set[int]]) -> None:
    """Synchronise `ReviewItem.done_by`; usually there is nothing to write."""
    through = ReviewItem.done_by.through
    numbers = dict(ReviewItem.objects.filter(task_id__in=wanted).values_list("task_id", "pk"))
    known = set(through.objects.filter(reviewitem_id__in=numbers.values()).values_list("reviewitem_id", "user_id"))
    needed = {(numbers[task], user) for task, users in wanted.items() for user in users}
    for item, user in known - needed:
        through.objects.filter(reviewitem_id=item, user_id=user).delete()
    through.objects.bulk_create(through(reviewitem_id=item, user_id=user) for item, user in sorted(needed - known))


def catch_up(campaign: Campaign, *, most: int) -> int:
    """Score up to `most` tasks that wait for it, store the scores and return how many are left."""
    waiting = _waiting(campaign, most + 1)
    if waiting:
        score_tasks(campaign, waiting[:most])
    return review_queue.tasks_to_score(campaign).count() if len(waiting) > most else 0


def score_campaign(campaign: Campaign, cleaning: Cleaning | None = None) -> Iterator[int]:
    """Score every answered task; yield the number done so far."""
    known = Known.of(campaign, cleaning)
    ids = list(review_queue.answered_tasks(campaign).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        score_tasks(campaign, ids[start : start + CHUNK], known)
        yield min(start + CHUNK, len(ids))
