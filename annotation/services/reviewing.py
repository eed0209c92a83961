"""Reviewers' verdicts: rows that are only ever added. Their outcome is stored beside the annotation."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from annotation.models import Annotation, Campaign, Review, ReviewItem, ReviewState, Verdict
from annotation.quality.verdicts import resolve
from annotation.selectors import review as selectors
from annotation.selectors import review_queue
from annotation.selectors.review import AnswerInReview
from annotation.services import doubts
from annotation.services.assigning import lock_tasks
from annotation.task_types.base import JsonObject, as_objections
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json, batches, storable

MOST_REVIEWERS = 2
MOST_AT_ONCE = 500  # tasks of one bulk accept
AT_A_TIME = 100  # answers a transaction
LONGEST_WHY = 2000
NOTHING_FITS = "nothing_fits"
ALL_AGREE = "All agree."
TOGETHER = (Verdict.ACCEPT, Verdict.EXCLUDE)  # of many answers at once
SAYABLE = (*(value for value in Verdict.values if value != Verdict.UNDO), NOTHING_FITS)


@dataclass(frozen=True)
class Opinion:
    """What a reviewer says about an answer: a verdict, or NOTHING_FITS for a correction to the type's own answer.

    `form` holds a correction. `seen` is the fingerprint of the answer they saw, if known. `confirmed` are objections to
    the correction that they have read and do not share.
    """

    verdict: str
    form: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    seen: str = ""
    confirmed: tuple[str, ...] = ()


class Unsure(InvalidInput):
    """A correction that checks or rules object to; `objections` are their sentences by code."""

    code = "unsure"

    def __init__(self, objections: dict[str, str]) -> None:
        self.objections = objections
        sentence = f"{' '.join(objections.values())} If you are sure, confirm it ({' '.join(objections)})."
        super().__init__(sentence, field="confirmed")


@transaction.atomic(durable=True)
def decide(annotation_id: int, opinion: Opinion, *, by: User) -> Review:
    """Add a verdict and store what all of them come to now."""
    lock_tasks(_tasks_of([annotation_id]))  # verdicts come one after the other, and no correction between
    annotation = Annotation.objects.select_related("assignment__campaign", "assignment__task").get(pk=annotation_id)
    _check(annotation, opinion)
    answer = _answer_of(annotation)
    before = annotation.corrected or annotation.answer
    verdict, after = _outcome(opinion, answer, before)
    row = Review.objects.create(
        annotation=annotation,
        reviewer=by,
        reviewer_name=by.username,
        verdict=verdict,
        before=before,
        after=after,
        why=storable(opinion.why).strip()[:LONGEST_WHY],
    )
    _settle([annotation.pk], annotation.assignment.campaign)
    return row


def _check(annotation: Annotation, opinion: Opinion) -> None:
    if opinion.verdict not in SAYABLE:
        raise InvalidInput(f"choose one of {', '.join(SAYABLE)}", field="verdict")
    if opinion.seen and opinion.seen != selectors.fingerprint(annotation):
        raise WrongState("Its author has changed this answer since you saw it: look at it again.")
    if opinion.verdict == Verdict.COMMENT and not opinion.why.strip():
        raise InvalidInput("enter a note", field="why")


def _outcome(opinion: Opinion, answer: AnswerInReview, before: JsonObject) -> tuple[str, JsonObject | None]:
    """Return the verdict to store, and the answer as it leaves it."""
    if opinion.verdict in (Verdict.CORRECT, NOTHING_FITS):
        corrected = _corrected(opinion, answer)
        if _is_same(corrected, answer):  # a correction to the answer that is there accepts it
            return Verdict.ACCEPT, answer.annotation.answer
        return Verdict.CORRECT, corrected
    if opinion.verdict == Verdict.EXCLUDE:
        return opinion.verdict, None
    return opinion.verdict, answer.annotation.answer if opinion.verdict == Verdict.ACCEPT else before


def _corrected(opinion: Opinion, answer: AnswerInReview) -> JsonObject:
    """Return the reviewer's answer; raises Unsure while objections to it are not confirmed."""
    if opinion.verdict == NOTHING_FITS:
        if answer.type.nothing_fits is None:
            raise InvalidInput("every question of this task has an answer: write it", field="verdict")
        return answer.type.nothing_fits.answer
    corrected, remarks = answer.type.correction(answer.assignment.task.question, opinion.form)
    objections = as_objections(remarks)
    if set(objections) - set(opinion.confirmed):
        raise Unsure(objections)
    return corrected


def _is_same(corrected: JsonObject, answer: AnswerInReview) -> bool:
    settled = answer.type.cleaning.settle(answer.assignment.task.question, corrected)
    if answer.cleaned.is_rejected or settled.outcome != answer.cleaned.outcome:
        return False
    kept = [part.display for part in answer.cleaned.parts if part.unit is not None]
    return [part.display for part in settled.parts] == kept and (bool(kept) or settled.answer == answer.cleaned.answer)


def _answer_of(annotation: Annotation) -> AnswerInReview:
    assignment = annotation.assignment
    answers = selectors.answers_of_tasks(assignment.campaign, [assignment.task_id])[assignment.task_id]
    answer = next((answer for answer in answers if answer.annotation.pk == annotation.pk), None)
    if answer is None:
        raise WrongState("This answer was withdrawn: there is nothing to review.")
    return answer


def _settle(annotation_ids: Sequence[int], campaign: Campaign) -> None:
    """Store what the reviews of these annotations come to, and the state of their tasks, which must be locked."""
    rows = Annotation.objects.filter(pk__in=annotation_ids).select_related("assignment__campaign")
    annotations = list(rows.order_by("pk"))
    reviews: dict[int, list[Review]] = {annotation.pk: [] for annotation in annotations}
    for row in Review.objects.filter(annotation__in=reviews):
        reviews[row.annotation_id].append(row)
    for annotation in annotations:
        history = selectors.history_of(reviews[annotation.pk])
        outcome = resolve(history, needed=annotation.assignment.campaign.reviewers)
        annotation.verdict = outcome.verdict
        annotation.corrected = outcome.corrected
        annotation.reviewed_at = (annotation.reviewed_at or now()) if outcome.decided else None
    Annotation.objects.bulk_update(annotations, ["verdict", "corrected", "reviewed_at"], batch_size=100)
    doubts.score_tasks(campaign, sorted({annotation.assignment.task_id for annotation in annotations}))


def flag_rejected(annotation: Annotation, platform: str, why: str, at: datetime | None) -> None:
    """Flag an imported answer that its platform's requester rejected; a reviewer decides whether it counts.

    The annotation's task must be locked.
    """
    reason = f"Rejected on {platform}{f': {why}' if why else ', without a reason.'}"
    row = Review.objects.create(
        annotation=annotation,
        reviewer_name=f"{platform} requester",
        verdict=Verdict.FLAG,
        why=storable(reason)[:LONGEST_WHY],
        created_at=at or now(),
    )
    outcome = resolve(selectors.history_of([row]), needed=annotation.assignment.campaign.reviewers)
    Annotation.objects.filter(pk=annotation.pk).update(verdict=outcome.verdict)
    doubts.forget_scores([annotation.assignment.task_id])


# ---- Undo -----------------------------------------------------------------------------------------


def undo_last(campaign: Campaign, *, by: User) -> list[Review]:
    """Take back the last thing this person said here, or the whole bulk accept it was part of."""
    last = selectors.last_standing(campaign, by)
    if last is None:
        raise WrongState("You have made no decision here that could be undone.")
    rows = selectors.standing_with(last)
    for some in batches(rows, AT_A_TIME):
        _undo(some, campaign, by=by)
    if last.bulk:
        audit.record("undo bulk accept", campaign, by=by, after={"answers": len(rows), "bulk": last.bulk})
    return rows


@transaction.atomic(durable=True)
def _undo(rows: Sequence[Review], campaign: Campaign, *, by: User) -> None:
    annotation_ids = sorted({row.annotation_id for row in rows})
    lock_tasks(_tasks_of(annotation_ids))
    if any(row.verdict == Verdict.UNDO for row in rows) or Review.objects.filter(undoes__in=rows).exists():
        raise WrongState("It has been undone already.")
    Review.objects.bulk_create(
        Review(
            annotation_id=row.annotation_id,
            reviewer=by,
            reviewer_name=by.username,
            verdict=Verdict.UNDO,
            undoes=row,
            before=row.after,
            after=row.before,
        )
        for row in rows
    )
    _settle(annotation_ids, campaign)


def _tasks_of(annotation_ids: Sequence[int]) -> set[int]:
    return set(Annotation.objects.filter(pk__in=annotation_ids).values_list("assignment__task_id", flat=True))


# ---- Bulk -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Accepted:
    tasks: int
    answers: int


def accept_agreed(campaign: Campaign, *, by: User) -> Accepted:
    """Accept the answers of tasks where all agree and nothing speaks against them; each is looked at again first."""
    doubts.catch_up(campaign, most=doubts.CHUNK)
    waiting = review_queue.waiting_for(campaign, by).filter(state=ReviewState.WAITING, is_unanimous=True)
    ids = list(waiting.values_list("task_id", flat=True)[:MOST_AT_ONCE])
    bulk, tasks, answers = secrets.token_hex(16), 0, 0
    for some in batches(ids, doubts.CHUNK):
        more_tasks, more_answers = _accept_some(campaign, some, bulk, by)
        tasks, answers = tasks + more_tasks, answers + more_answers
    if tasks:
        after: Json = {"tasks": tasks, "answers": answers, "bulk": bulk}
        audit.record("bulk accept", campaign, by=by, after=after, reason=ALL_AGREE)
    return Accepted(tasks, answers)


@transaction.atomic
def _accept_some(campaign: Campaign, task_ids: Sequence[int], bulk: str, by: User) -> tuple[int, int]:
    lock_tasks(task_ids)
    answers, reports = selectors.answers_of_tasks(campaign, task_ids), selectors.open_reports(task_ids)
    agreed = [
        pk for pk in task_ids if doubts.doubt_of_answers(campaign, answers[pk], reports=len(reports[pk])).is_unanimous
    ]
    chosen = [answer for pk in agreed for answer in answers[pk] if answer.needs(by.pk)]
    _say(Verdict.ACCEPT, chosen, campaign, by, why=ALL_AGREE, bulk=bulk)
    return len({answer.assignment.task_id for answer in chosen}), len(chosen)


def _say(
    verdict: str, chosen: Sequence[AnswerInReview], campaign: Campaign, by: User, *, bulk: str, why: str = ""
) -> None:
    Review.objects.bulk_create(
        Review(
            annotation=answer.annotation,
            reviewer=by,
            reviewer_name=by.username,
            verdict=verdict,
            before=answer.annotation.corrected or answer.annotation.answer,
            after=answer.annotation.answer if verdict == Verdict.ACCEPT else None,
            why=why,
            bulk=bulk,
        )
        for answer in chosen
    )
    if chosen:
        _settle([answer.annotation.pk for answer in chosen], campaign)


@transaction.atomic(durable=True)
def accept_task(campaign: Campaign, task_id: int, *, by: User) -> int:
    """Accept the answers of a task that wait for this person and return how many; undone together.

    What a cleaning rule discards is left to be looked at: only an accept of its own brings it back into a release.
    """
    lock_tasks([task_id])
    answers = selectors.answers_of_tasks(campaign, [task_id])[task_id]
    chosen = [answer for answer in answers if answer.needs(by.pk) and not answer.cleaned.is_offending]
    _say(Verdict.ACCEPT, chosen, campaign, by, bulk=secrets.token_hex(16))
    return len(chosen)


@transaction.atomic(durable=True)
def decide_many(campaign: Campaign, annotation_ids: Sequence[int], verdict: str, *, by: User, why: str = "") -> int:
    """Accept or exclude these answers and return how many; undone together.

    Answers that do not count and those already decided so are left as they are. So is, for an accept, what a cleaning
    rule discards: only an accept of its own brings it back into a release.
    """
    if verdict not in TOGETHER:
        raise InvalidInput("choose accept or exclude", field="verdict")
    rows = Annotation.objects.filter(pk__in=annotation_ids, assignment__campaign=campaign)
    wanted = set(rows.filter(assignment__task__is_gold=False).values_list("pk", flat=True))
    task_ids = sorted(_tasks_of(sorted(wanted)))
    lock_tasks(task_ids)
    answers = [answer for some in selectors.answers_of_tasks(campaign, task_ids).values() for answer in some]
    chosen = [
        answer
        for answer in answers
        if answer.annotation.pk in wanted and answer.is_counted and answer.as_seen_by(by.pk).chosen != verdict
        if verdict == Verdict.EXCLUDE or not answer.cleaned.is_offending
    ]
    _say(verdict, chosen, campaign, by, bulk=secrets.token_hex(16), why=storable(why).strip()[:LONGEST_WHY])
    return len(chosen)


# ---- How many must look ---------------------------------------------------------------------------


def set_reviewers(campaign_id: int, number: int, *, by: User) -> Campaign:
    """Set how many reviewers each answer needs; earlier reviews are counted again."""
    if not 0 <= number <= MOST_REVIEWERS:
        raise InvalidInput("must be 0, 1 or 2", field="reviewers")
    with transaction.atomic(durable=True):
        campaign = Campaign.objects.select_for_update().get(pk=campaign_id)
        before = campaign.reviewers
        if before == number:
            return campaign
        campaign.reviewers = number
        campaign.save(update_fields=["reviewers"])
        audit.record("set reviewers", campaign, by=by, before={"reviewers": before}, after={"reviewers": number})
    reviewed = Annotation.objects.filter(assignment__campaign=campaign, reviews__isnull=False).distinct()
    ids = list(reviewed.order_by("assignment__task_id", "id").values_list("pk", flat=True))
    for some in batches(ids, doubts.CHUNK):
        with transaction.atomic():
            lock_tasks(_tasks_of(some))
            _settle(some, campaign)
    settled = ReviewItem.objects.filter(campaign=campaign, task__settlements__isnull=False).distinct()
    for tasks in batches(settled.order_by("task_id").values_list("task_id", flat=True), doubts.CHUNK):
        doubts.score_tasks(campaign, tasks)
    return campaign
