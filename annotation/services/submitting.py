"""An answer is stored before anything else happens, and once: a second submit finds the first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F

from annotation.models import (
    Annotation,
    AnnotationVersion,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Participation,
    Placement,
    PlacementState,
    Task,
)
from annotation.providers.base import Outcome
from annotation.quality.trust import points_of
from annotation.selectors import turns
from annotation.selectors.check_tasks import is_explained
from annotation.services import doubts, stopping
from annotation.services.assigning import (
    Idle,
    Turn,
    hold_slot,
    last_turn,
    lock_participation,
    lock_tasks,
    lock_turn,
    next_turn,
    take_turn,
)
from annotation.services.late_answers import why_gone
from annotation.task_types import type_of
from annotation.task_types.base import FieldRemark, Gold, InvalidAnswer, Level, Remark
from annotation.task_types.showing import shown_to
from kernel.clock import now
from kernel.errors import WrongState
from kernel.services import rows
from kernel.values import storable

LARGEST_FORM = 200_000  # bytes of all fields together
MOST_SIGNAL = 2_000_000_000  # what fits into the column
SIGNALS = ("pastes", "pasted", "blurs", "keys")
COUNT_ANSWER = f"UPDATE {Task._meta.db_table} SET answers = answers + 1 WHERE id = %s"  # noqa: S608 - our own table
ANSWERED = (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)
OVER = Turn(None, Idle.HANDED_OVER)
COUNTERS = (
    "given", "answered", "gold_seen", "gold_right", "gold_points", "stopped_at", "active_ms", "earned",
    "last_seen_at",
)  # fmt: skip

GOLD_COUNTERS = ("gold_seen", "gold_right", "gold_points")


@dataclass(frozen=True)
class Submitted:
    """What became of a submit, and the task that follows."""

    person: Participation  # as it is now, with the campaign
    annotation: Annotation
    is_repeat: bool  # it had been submitted before: that answer stands
    is_late: bool  # the place was gone: kept until the team decides
    turn: Turn


@dataclass(frozen=True)
class SentAnswer:
    answer: dict[str, Any]
    shown: dict[str, Any]  # to its author, beyond the question


def _sent(person: Participation, task: Task, form: Mapping[str, str]) -> SentAnswer:
    type_ = type_of(person.campaign)
    answer = type_.parse(task.question, stored_form(form))
    return SentAnswer(answer, shown_to(type_, task.question, task=task.pk, person=person.pk))


def submit(secret: str, assignment_id: int, form: Mapping[str, str]) -> Submitted:
    """Store the answer, close the turn and take the next one. Raises InvalidAnswer, and then nothing has changed."""
    turn = turns.asked(secret, assignment_id)
    person = turn.participation
    is_new = turn.status not in ANSWERED and not person.withdrawn_at
    sent = _sent(person, turn.task, form) if is_new else SentAnswer({}, {})
    done = _submit(secret, assignment_id, sent, form)
    return done if done.turn.is_sure else replace(done, turn=take_turn(secret))


@transaction.atomic(durable=True)
def _submit(secret: str, assignment_id: int, sent: SentAnswer, form: Mapping[str, str]) -> Submitted:
    # Locked: nobody can end the turn or take it back before the transaction ends.
    assignment = lock_turn(secret, assignment_id)
    person = assignment.participation
    if assignment.status in ANSWERED:
        is_late = assignment.status == AssignmentStatus.LATE
        if assignment.is_placed:
            return Submitted(person, assignment.annotation, is_repeat=True, is_late=is_late, turn=OVER)
        return _submitted(person, assignment.annotation, last_turn(person), is_repeat=True, is_late=is_late)
    moment = now()
    if assignment.is_placed:
        return _submit_placed(person, assignment, sent, form, moment)
    was_in_hand = assignment.status == AssignmentStatus.TAKEN
    is_late = why_gone(person, assignment) is not None or not _holds_its_slot(assignment)
    annotation = _store(person, assignment, sent, form, moment)
    _close(person, assignment, annotation, moment, is_late=is_late)
    last = assignment if was_in_hand else last_turn(person)  # a person with an open turn has no later one
    return _submitted(person, annotation, last, is_repeat=False, is_late=is_late)


def _submit_placed(
    person: Participation, assignment: Assignment, sent: SentAnswer, form: Mapping[str, str], moment: datetime
) -> Submitted:
    """Store an answer to what a marketplace gave out: it is always paid, and counts unless its author is excluded."""
    is_late = person.excluded_at is not None
    if assignment.status != AssignmentStatus.TAKEN and not is_late:
        hold_slot(assignment.task_id)
    annotation = _store(person, assignment, sent, form, moment)
    _close(person, assignment, annotation, moment, is_late=is_late)
    opened = Placement.objects.filter(assignment=assignment, state=PlacementState.OPENED)
    opened.update(state=PlacementState.ANSWERED, outcome=Outcome.COMPLETED, answered_at=moment)
    rows.update(person, COUNTERS)
    return Submitted(person, annotation, is_repeat=False, is_late=is_late, turn=OVER)


def _submitted(
    person: Participation, annotation: Annotation, last: Assignment | None, *, is_repeat: bool, is_late: bool
) -> Submitted:
    """Take the next turn, and write the person's counters once for both."""
    turn = next_turn(person, last, holds_task=not is_repeat)
    rows.update(person, COUNTERS)
    return Submitted(person, annotation, is_repeat=is_repeat, is_late=is_late, turn=turn)


def _holds_its_slot(assignment: Assignment) -> bool:
    """Take the slot again if the turn is not in hand any more; False when somebody else was quicker."""
    if assignment.status == AssignmentStatus.TAKEN or assignment.task.is_gold:
        return True
    return bool(Task.objects.filter(pk=assignment.task_id, free__gt=0).update(free=F("free") - 1))


def _store(
    person: Participation, assignment: Assignment, sent: SentAnswer, form: Mapping[str, str], moment: datetime
) -> Annotation:
    signals = _signals(form.get("signals", "")) if person.signals_agreed else {}
    active = signals.pop("active_ms", None)
    seconds = max(0, int((moment - assignment.taken_at).total_seconds()))
    if assignment.task.is_gold:
        # A correction of the known answers may have been stored since the task was read with the turn.
        gold = Task.objects.select_for_update(no_key=True).values_list("gold", flat=True)
        assignment.task.gold = gold.get(pk=assignment.task_id)
    is_hit, score = judged(person.campaign, assignment.task, sent.answer)
    annotation = Annotation(
        assignment=assignment,
        answer=sent.answer,
        shown=sent.shown,
        seconds=seconds,
        active_ms=None if active is None else min(active, seconds * 1000 + 999),
        signals=signals or None,
        warnings=_confirmed(form),
        is_gold_hit=is_hit,
        gold_score=score,
        created_at=moment,
    )
    rows.insert(annotation)
    return annotation


def _confirmed(form: Mapping[str, str]) -> list[str]:
    """Return what the page had asked about and its author is sure of."""
    return sorted(set(storable(form.get("confirmed", "")).split()))[:20]


def judged(campaign: Campaign, task: Task, answer: dict[str, Any]) -> tuple[bool | None, float | None]:
    """Return whether the answer to a check task is right, and how close it comes; (None, None) for other tasks."""
    if not task.is_gold or not task.gold:
        return None, None
    judgement = type_of(campaign).judge(answer, Gold.from_json(task.gold), task.question)
    return judgement.is_hit, judgement.score


def _signals(text: str) -> dict[str, int]:
    """Return the counts a page sent along; what cannot be one is left out."""
    try:
        counts = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(counts, dict):
        return {}
    names = ("active_ms", *SIGNALS)
    return {name: counts[name] for name in names if type(counts.get(name)) is int and 0 <= counts[name] <= MOST_SIGNAL}


def _close(
    person: Participation, assignment: Assignment, annotation: Annotation, moment: datetime, *, is_late: bool
) -> None:
    reward = 0 if is_late and not assignment.is_placed else person.campaign.reward
    status = AssignmentStatus.LATE if is_late else AssignmentStatus.SUBMITTED
    assignment.status, assignment.ended_at, assignment.reward, assignment.draft = status, moment, reward, None
    rows.update(assignment, ("status", "ended_at", "reward", "draft"))
    if not is_late:
        with connection.cursor() as cursor:
            cursor.execute(COUNT_ANSWER, [assignment.task_id])
    person.answered += 1
    count_judgement(person, annotation)
    if annotation.is_gold_hit is not None:
        stopping.stop_if_due(person, moment)
    person.active_ms += annotation.seconds * 1000 if annotation.active_ms is None else annotation.active_ms
    person.earned += reward
    person.last_seen_at = moment


def count_judgement(person: Participation, annotation: Annotation, by: int = 1) -> None:
    """Add this judgement to the counters of a locked person, or with -1 take it away; the caller saves them."""
    person.gold_seen += by * (annotation.is_gold_hit is not None)
    person.gold_right += by * (annotation.is_gold_hit is True)
    person.gold_points += by * points_of(annotation.is_gold_hit, annotation.gold_score)


def stored_form(form: Mapping[str, str]) -> dict[str, str]:
    """Return the form as it can be stored. One that is too large raises InvalidAnswer: a cut answer is lost work."""
    kept = {storable(name): storable(text) for name, text in form.items()}
    sizes = {name: len(name.encode()) + len(text.encode()) for name, text in kept.items()}
    if (size := sum(sizes.values())) > LARGEST_FORM:
        why = f"This is too long to be stored: {size:,} bytes of at most {LARGEST_FORM:,}. Please shorten it."
        raise InvalidAnswer([FieldRemark(max(sizes, key=sizes.__getitem__), Remark("large", Level.BLOCK, why))])
    return kept


@dataclass(frozen=True)
class Draft:
    """A draft that is stored."""

    remarks: list[FieldRemark]  # what the checks say of it
    is_safe: bool  # its author holds the task and is not excluded: an answer now would count


def save_draft(secret: str, assignment_id: int, form: Mapping[str, str]) -> Draft | None:
    """Keep what has been typed so far, and say what the checks think of it; None when the turn is over."""
    turn = turns.asked(secret, assignment_id)
    draft = stored_form(form)
    is_in_hand = _keep_draft(turn, AssignmentStatus.TAKEN, draft)
    if not is_in_hand and not _keep_draft(turn, AssignmentStatus.EXPIRED, draft):
        return None
    person = turn.participation
    remarks = type_of(person.campaign).checks(turn.task.question, draft)
    return Draft(remarks, is_safe=is_in_hand and person.excluded_at is None)


@transaction.atomic
def _keep_draft(turn: Assignment, status: AssignmentStatus, draft: dict[str, str]) -> bool:
    """Store a draft in one statement, which finds the turn only while it has this status."""
    turn.draft, turn.draft_at = draft, now()
    return rows.update(turn, ("draft", "draft_at"), still={"status": status})


@transaction.atomic(durable=True)
def correct(secret: str, assignment_id: int, form: Mapping[str, str]) -> Annotation:
    """Replace an answer of one's own, until it is reviewed or the campaign is closed; the earlier text is kept."""
    person = lock_participation(secret)
    lock_tasks(person.assignments.filter(pk=assignment_id).values_list("task_id", flat=True))  # reviewers wait
    annotation = correctable(person, assignment_id)
    task = annotation.assignment.task
    answer = type_of(person.campaign).parse(task.question, stored_form(form))
    if answer == annotation.answer:
        return annotation
    AnnotationVersion.objects.create(annotation=annotation, answer=annotation.answer)
    annotation.answer, annotation.corrected_at = answer, now()
    annotation.warnings = _confirmed(form)
    count_judgement(person, annotation, -1)
    annotation.is_gold_hit, annotation.gold_score = judged(person.campaign, task, answer)
    count_judgement(person, annotation)
    stopping.stop_if_due(person, annotation.corrected_at)
    annotation.save(update_fields=["answer", "corrected_at", "warnings", "is_gold_hit", "gold_score"])
    doubts.forget_scores([task.pk])
    person.corrections += 1
    person.save(update_fields=["corrections", "stopped_at", *GOLD_COUNTERS])
    return annotation


def correctable(person: Participation, assignment_id: int) -> Annotation:
    """Return this person's annotation while they may still correct it; raises WrongState when they may not."""
    rows = Annotation.objects.select_related("assignment__task")
    annotation = rows.get(assignment_id=assignment_id, assignment__participation=person)
    if is_explained(person.campaign, annotation):
        raise WrongState("You have been shown the known answer to this task: yours cannot be changed any more.")
    if annotation.reviewed_at:
        raise WrongState("This answer has been reviewed: it cannot be changed any more.")
    if person.campaign.status == CampaignStatus.CLOSED:
        raise WrongState("The campaign is closed: answers cannot be changed any more.")
    return annotation
