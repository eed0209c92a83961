"""Reviewers' verdicts: rows that are only ever added. What they come to is stored beside the annotation."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.models import Annotation, Campaign, Review, ReviewState, Verdict
from annotation.quality.verdicts import DECISIONS, resolve
from annotation.selectors import review as selectors
from annotation.selectors.review import AnswerInReview
from annotation.services import doubts
from annotation.services.assigning import lock_tasks
from annotation.task_types import TASK_TYPES
from annotation.task_types.aggregation.cleaning.corrections import doubts_about
from annotation.task_types.aggregation.cleaning.pipeline import about_of
from annotation.task_types.cleaned import Cleaning
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import InvalidInput, WrongState
from tesa_site.kernel.models import User
from tesa_site.kernel.services import audit
from tesa_site.kernel.values import Json, storable

MOST_REVIEWERS = 2
MOST_AT_ONCE = 500  # tasks of one bulk accept
AT_A_TIME = 100  # answers a transaction
LONGEST_PHRASE, LONGEST_WHY = 300, 2000
ALL_AGREE = "All agree."


@dataclass(frozen=True)
class Opinion:
    """What a reviewer says about an answer.

    `seen` is the fingerprint of the text they saw, if they tell; `confirmed` are the doubts about a correction they
    were asked about and do not share.
    """

    verdict: str
    phrases: tuple[str, ...] = ()
    why: str = ""
    seen: str = ""
    confirmed: tuple[str, ...] = ()


class Unsure(InvalidInput):
    """A correction that the annotator's checks would ask about; `doubts` are their sentences by code."""

    code = "unsure"

    def __init__(self, doubts: dict[str, str]) -> None:
        self.doubts = doubts
        told = f"{' '.join(doubts.values())} If you are sure, confirm it ({' '.join(doubts)})."
        super().__init__(told, field="confirmed")


@transaction.atomic(durable=True)
def decide(annotation_id: int, opinion: Opinion, *, by: User) -> Review:
    """Add a verdict and store what all of them come to now."""
    annotation = _locked(annotation_id)
    _check(annotation, opinion)
    _ask(annotation, opinion)
    answer = _answer_of(annotation)
    before = list(annotation.phrases if annotation.phrases is not None else answer.units)
    after = _after(opinion, before, answer)
    row = Review.objects.create(
        annotation=annotation,
        reviewer=by,
        reviewer_name=by.username,
        verdict=_verdict(opinion, answer, after),
        before=before,
        after=after,
        why=storable(opinion.why).strip()[:LONGEST_WHY],
    )
    _settle([annotation.pk], annotation.assignment.campaign)
    return row


def _locked(annotation_id: int) -> Annotation:
    """Return the annotation with its task locked: verdicts come one after the other, and no correction between."""
    lock_tasks(Annotation.objects.filter(pk=annotation_id).values_list("assignment__task_id", flat=True))
    return Annotation.objects.select_related("assignment__campaign", "assignment__task").get(pk=annotation_id)


def _check(annotation: Annotation, opinion: Opinion) -> None:
    if opinion.verdict not in Verdict.values or opinion.verdict == Verdict.UNDO:
        known = ", ".join(value for value in Verdict.values if value != Verdict.UNDO)
        raise InvalidInput(f"say one of {known}", field="verdict")
    if opinion.seen and opinion.seen != selectors.fingerprint(annotation):
        raise WrongState("Its author has changed this answer since you saw it: look at it again.")
    if opinion.verdict == Verdict.CORRECT and not _words(opinion.phrases):
        raise InvalidInput("write at least one phrase, or choose “not aggregatable”", field="phrases")
    if opinion.verdict == Verdict.COMMENT and not opinion.why.strip():
        raise InvalidInput("write the remark", field="why")


def _ask(annotation: Annotation, opinion: Opinion) -> None:
    """Ask about a correction what an annotator would be asked; who is sure goes on."""
    if opinion.verdict != Verdict.CORRECT:
        return
    doubts = doubts_of(annotation, opinion.phrases)
    if set(doubts) - set(opinion.confirmed):
        raise Unsure(doubts)


def doubts_of(annotation: Annotation, phrases: Sequence[str]) -> dict[str, str]:
    """Return what speaks against these words in the place of an answer, by code."""
    return doubts_about(_words(phrases), about_of(annotation.assignment.task.question))


def _words(phrases: Sequence[str]) -> list[str]:
    """Return a correction's phrases, tidied; the same one twice counts once."""
    tidy = (" ".join(storable(phrase).split())[:LONGEST_PHRASE] for phrase in phrases)
    return list(dict.fromkeys(filter(None, tidy)))


def _after(opinion: Opinion, before: list[str], answer: AnswerInReview) -> list[str]:
    if opinion.verdict == Verdict.CORRECT:
        return _words(opinion.phrases)
    if opinion.verdict == Verdict.ACCEPT:
        return list(_cleaning(answer).accept(answer.cleaned).units)
    return [] if opinion.verdict in DECISIONS else before


def _verdict(opinion: Opinion, answer: AnswerInReview, after: list[str]) -> str:
    """A correction to the very words that stand there is an acceptance."""
    displayed = [part.display for part in answer.cleaned.parts if part.unit is not None]
    is_same = opinion.verdict == Verdict.CORRECT and after in (displayed, list(answer.units))
    return Verdict.ACCEPT if is_same else opinion.verdict


def _cleaning(answer: AnswerInReview) -> Cleaning:
    return TASK_TYPES[answer.campaign.task_type].cleaning


def _answer_of(annotation: Annotation) -> AnswerInReview:
    assignment = annotation.assignment
    answers = selectors.answers_of_tasks(assignment.campaign, [assignment.task_id])[assignment.task_id]
    found = next((one for one in answers if one.annotation.pk == annotation.pk), None)
    if found is None:
        raise WrongState("This answer was withdrawn: there is nothing to review.")
    return found


def _settle(annotation_ids: Sequence[int], campaign: Campaign) -> None:
    """Store what the reviews of these annotations come to, and the state of their tasks, which must be locked."""
    rows = Annotation.objects.filter(pk__in=annotation_ids).select_related("assignment__campaign")
    annotations = list(rows.order_by("pk"))
    reviews: dict[int, list[Review]] = {annotation.pk: [] for annotation in annotations}
    for row in Review.objects.filter(annotation__in=reviews):
        reviews[row.annotation_id].append(row)
    for annotation in annotations:
        history = selectors.history_of(reviews[annotation.pk])
        found = resolve(history, needed=annotation.assignment.campaign.reviewers)
        annotation.verdict = found.verdict
        annotation.phrases = None if found.phrases is None else list(found.phrases)
        annotation.reviewed_at = (annotation.reviewed_at or now()) if found.decided else None
    Annotation.objects.bulk_update(annotations, ["verdict", "phrases", "reviewed_at"], batch_size=100)
    doubts.score_tasks(campaign, sorted({annotation.assignment.task_id for annotation in annotations}))


def flag_rejected(annotation: Annotation, platform: str, why: str, at: datetime | None) -> Review:
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
    found = resolve(selectors.history_of([row]), needed=annotation.assignment.campaign.reviewers)
    Annotation.objects.filter(pk=annotation.pk).update(verdict=found.verdict)
    doubts.forget_scores([annotation.assignment.task_id])
    return row


# ---- Undo -----------------------------------------------------------------------------------------


def undo_last(campaign: Campaign, *, by: User) -> list[Review]:
    """Take back the last thing this person said here, or the whole bulk accept it was part of."""
    last = selectors.last_standing(campaign, by)
    if last is None:
        raise WrongState("You have said nothing here that could be undone.")
    rows = selectors.standing_with(last)
    for start in range(0, len(rows), AT_A_TIME):
        _undo(rows[start : start + AT_A_TIME], campaign, by=by)
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


def accept_agreed(campaign: Campaign, *, by: User, most: int = MOST_AT_ONCE) -> Accepted:
    """Accept the answers of tasks where all agree and nothing speaks against them; each is looked at again first."""
    found = selectors.waiting_for(campaign, by, state=ReviewState.WAITING).filter(is_unanimous=True)
    ids = list(found.values_list("task_id", flat=True)[:most])
    bulk, tasks, answers = secrets.token_hex(16), 0, 0
    for start in range(0, len(ids), doubts.CHUNK):
        more_tasks, more_answers = _accept_some(campaign, ids[start : start + doubts.CHUNK], bulk, by)
        tasks, answers = tasks + more_tasks, answers + more_answers
    if tasks:
        told: Json = {"tasks": tasks, "answers": answers, "bulk": bulk}
        audit.record("bulk accept", campaign, by=by, after=told, reason=ALL_AGREE)
    return Accepted(tasks, answers)


@transaction.atomic
def _accept_some(campaign: Campaign, task_ids: Sequence[int], bulk: str, by: User) -> tuple[int, int]:
    lock_tasks(task_ids)
    found, reports = selectors.answers_of_tasks(campaign, task_ids), selectors.open_reports(task_ids)
    agreed = [
        pk for pk in task_ids if doubts.doubt_of_answers(campaign, found[pk], reports=len(reports[pk])).is_unanimous
    ]
    chosen = [one for pk in agreed for one in found[pk] if one.needs(by.pk)]
    Review.objects.bulk_create(
        Review(
            annotation=one.annotation,
            reviewer=by,
            reviewer_name=by.username,
            verdict=Verdict.ACCEPT,
            before=list(one.units),
            after=list(one.units),
            why=ALL_AGREE,
            bulk=bulk,
        )
        for one in chosen
    )
    if chosen:
        _settle([one.annotation.pk for one in chosen], campaign)
    return len({one.assignment.task_id for one in chosen}), len(chosen)


# ---- How many must look ---------------------------------------------------------------------------


def set_reviewers(campaign_id: int, number: int, *, by: User) -> Campaign:
    """Say how many reviewers each answer needs; what was said so far is counted anew."""
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
    for start in range(0, len(ids), doubts.CHUNK):
        _settle_anew(ids[start : start + doubts.CHUNK], campaign)
    return campaign


@transaction.atomic
def _settle_anew(annotation_ids: Sequence[int], campaign: Campaign) -> None:
    lock_tasks(_tasks_of(annotation_ids))
    _settle(annotation_ids, campaign)
