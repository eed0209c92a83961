"""Scoring tasks for the review: how doubtful their answers are, stored so that the queue is one indexed read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django.db import transaction

from annotation.models import Campaign, ReviewItem, ReviewState, Task
from annotation.quality.doubt import Answer, Doubt, doubt_of
from annotation.quality.verdicts import CONTESTED, FLAG, standing
from annotation.selectors import review
from annotation.selectors.review import AnswerInReview, Known
from annotation.services.assigning import lock_tasks
from annotation.task_types import TASK_TYPES
from annotation.task_types.cleaned import Cleaning
from tesa_site.kernel.clock import now

CHUNK = 50  # tasks a transaction: under 200 ms
FORGET_CHUNK = 500


def doubt_of_answers(campaign: Campaign, answers: Sequence[AnswerInReview], *, reports: int) -> Doubt:
    """Return how doubtful a task with these answers is; answers that are not counted take no part."""
    counted = [_answer(answer) for answer in answers if answer.is_counted]
    return doubt_of(counted, TASK_TYPES[campaign.task_type], reports=reports)


def _answer(answer: AnswerInReview) -> Answer:
    levels = [concern.level for concern in answer.concerns]
    return Answer(answer.cleaned, strong=levels.count("strong"), weak=levels.count("weak"))


def state_of(answers: Sequence[AnswerInReview]) -> ReviewState:
    """Return what the verdicts on a task's counted answers come to."""
    verdicts = {one.annotation.verdict for one in answers if one.is_counted and not one.is_settled}
    if CONTESTED in verdicts:
        return ReviewState.CONTESTED
    if FLAG in verdicts:
        return ReviewState.FLAGGED
    return ReviewState.WAITING if verdicts else ReviewState.SETTLED


def done_by(answers: Sequence[AnswerInReview]) -> set[int]:
    """Return the reviewers who have spoken on every answer that is not settled, so that only others can help."""
    voices = [
        {int(entry.reviewer) for entry in standing(review.history_of(one.reviews)) if entry.reviewer.isdecimal()}
        for one in answers
        if one.is_counted and not one.is_settled
    ]
    return set.intersection(*voices) if voices else set()


@transaction.atomic
def score_tasks(campaign: Campaign, task_ids: Sequence[int], known: Known | None = None) -> None:
    """Score these tasks again and bring their state up to date; nobody changes their answers meanwhile."""
    lock_tasks(task_ids)
    answers, reports = review.answers_of_tasks(campaign, task_ids, known), review.open_reports(task_ids)
    counted = dict(Task.objects.filter(pk__in=task_ids).values_list("pk", "answers"))
    rows = []
    for pk in task_ids:
        doubt = doubt_of_answers(campaign, answers[pk], reports=len(reports[pk]))
        rows.append(
            ReviewItem(
                task_id=pk,
                campaign=campaign,
                score=doubt.score,
                reasons=list(doubt.reasons),
                is_unanimous=doubt.is_unanimous,
                state=state_of(answers[pk]),
                answers=counted[pk],
                scored_at=now(),
            )
        )
    fields = ("score", "reasons", "is_unanimous", "state", "answers", "scored_at")
    ReviewItem.objects.bulk_create(rows, update_conflicts=True, unique_fields=["task"], update_fields=fields)
    _store_done({pk: done_by(answers[pk]) for pk in task_ids})


def forget_scores(task_ids: Sequence[int]) -> None:
    """Let these tasks wait to be scored anew: of their answers some count no more, count again, or say something else.

    Call it with the tasks locked, or somebody who scores them now would bring back what was.
    """
    for start in range(0, len(task_ids), FORGET_CHUNK):
        ReviewItem.objects.filter(task_id__in=task_ids[start : start + FORGET_CHUNK]).delete()


def _store_done(wanted: Mapping[int, set[int]]) -> None:
    """Write who has nothing more to say about each task; mostly there is nothing to write."""
    through = ReviewItem.done_by.through
    numbers = dict(ReviewItem.objects.filter(task_id__in=wanted).values_list("task_id", "pk"))
    known = set(through.objects.filter(reviewitem_id__in=numbers.values()).values_list("reviewitem_id", "user_id"))
    asked = {(numbers[task], user) for task, users in wanted.items() for user in users}
    for item, user in known - asked:
        through.objects.filter(reviewitem_id=item, user_id=user).delete()
    through.objects.bulk_create(through(reviewitem_id=item, user_id=user) for item, user in sorted(asked - known))


def catch_up(campaign: Campaign, *, most: int) -> int:
    """Score up to `most` tasks that wait for it; return how many are left."""
    waiting = list(review.tasks_to_score(campaign).order_by("pk").values_list("pk", flat=True)[: most + 1])
    if waiting[:most]:
        score_tasks(campaign, waiting[:most])
    return review.tasks_to_score(campaign).count() if len(waiting) > most else 0


def score_campaign(campaign: Campaign, cleaning: Cleaning | None = None) -> Iterator[int]:
    """Score every answered task; yields how many are done so far."""
    known = Known.of(campaign, cleaning)
    ids = list(review.answered_tasks(campaign).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        score_tasks(campaign, ids[start : start + CHUNK], known)
        yield min(start + CHUNK, len(ids))
