"""Reads for the review of one task: its answers side by side, with what is known about each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentStatus,
    Campaign,
    Participation,
    ProblemReport,
    Review,
    Task,
    Verdict,
    WorkerVerdict,
)
from annotation.quality.verdicts import CONTESTED, DECISIONS, FLAG, ReviewEntry, standing
from annotation.selectors.participants import pseudonym_of
from annotation.task_types import type_of
from annotation.task_types.base import TaskType, as_objections
from annotation.task_types.cleaned import CleanedAnswer, CleanedPart, Cleaning
from kernel.models import User
from kernel.values import content_hash

NOTHING = "nothing_fits"  # what a page marks when the outcome is the type's own "nothing fits"
SHOWN = (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)


def fingerprint(annotation: Annotation) -> str:
    """Return what a reviewer saw of an answer, so that a verdict on an earlier text can be refused."""
    return content_hash(annotation.answer)[:16]


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
    needs_viewer: bool = False
    chosen: str = ""  # what the page marks: the viewer's own verdict, else the outcome
    reason: str = ""  # of the viewer's verdict

    @property
    def name(self) -> str:
        return self.person.name

    @property
    def letter(self) -> str:
        """What the page calls the answer where it shows several in one text: A to Z, then AA."""
        before, last = divmod(self.number - 1, 26)
        return (chr(ord("A") + (before - 1) % 26) if before else "") + chr(ord("A") + last)

    @property
    def pseudonym(self) -> str:
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
    def active_seconds(self) -> float:
        return (self.annotation.active_ms or 0) / 1000

    @property
    def summary(self) -> str:
        """The answer in one line, as its author gave it."""
        return self.type.summary(self.assignment.task.question, self.annotation.answer)

    @property
    def correction_summary(self) -> str:
        """The reviewers' answer in one line; "" if there is none."""
        corrected = self.annotation.corrected
        return self.type.summary(self.assignment.task.question, corrected) if corrected else ""

    @property
    def typed(self) -> list[str]:
        return [part.raw for part in self.cleaned.parts if part.raw != part.display]

    @property
    def typing(self) -> str:
        """How it was typed, as far as its author agreed to its being recorded."""
        seen = self.annotation.signals or {}
        names = (("keys", "keys"), ("pastes", "pastes"), ("pasted", "characters pasted"), ("blurs", "page left"))
        return ", ".join(f"{label}: {seen[name]}" for name, label in names if name in seen)

    @property
    def type(self) -> TaskType:
        return type_of(self.campaign)

    @property
    def verdict_label(self) -> str:
        verdict, corrected = self.annotation.verdict, self.annotation.corrected
        return {CONTESTED: "Contested", FLAG: "Flagged"}.get(verdict) or decision_label(self.type, verdict, corrected)

    @property
    def correction_form(self) -> dict[str, str]:
        """The form a correction starts from: the reviewers' answer, or the cleaned one."""
        corrected, question = self.annotation.corrected, self.assignment.task.question
        if corrected and not self.type.is_skip(corrected):
            return self.type.form(question, corrected)
        return self.type.cleaned_form(question, self.cleaned)

    @property
    def parts(self) -> list[tuple[CleanedPart, bool]]:
        """Each part with whether a rule leaves it out: an accepted part stays although a rule objects."""
        is_accepted = self.chosen == Verdict.ACCEPT
        kept = self.type.cleaning.accept(self.cleaned) if is_accepted else self.cleaned
        return [(part, after.unit is None) for part, after in zip(self.cleaned.parts, kept.parts, strict=True)]

    @property
    def remarks(self) -> list[tuple[str, bool]]:
        """What rules say about it, and whether that leaves a part out."""
        marks = [(mark, self.chosen != Verdict.ACCEPT) for mark in self.cleaned.marks]
        marks += [(mark, is_out) for part, is_out in self.parts for mark in part.marks]
        remarks = []
        for mark, is_out in marks:
            is_out_now = mark.discards and is_out and self.chosen not in (Verdict.CORRECT, NOTHING, Verdict.EXCLUDE)
            tail = " Cleaning leaves this out." if is_out_now else ""
            if mark.discards and not is_out:
                tail = " It was accepted, so it stays."
            if not mark.missing:
                remarks.append((f"{mark.why}{tail}", is_out_now))
        return remarks

    @property
    def rules(self) -> list[str]:
        """What each cleaning rule did that changed or marked something, in sentences."""
        names = dict.fromkeys(name for part in self.cleaned.parts for name in part.applied)
        return [*filter(None, map(self.type.cleaning.explain, names))]

    @property
    def warned(self) -> list[str]:
        """The warnings its author saw and confirmed, as sentences; the code where the answer has changed since."""
        question = self.assignment.task.question
        form = self.type.form(question, self.annotation.answer)
        known = as_objections(self.type.checks(question, form))
        return [known.get(code, code.rpartition(":")[2]) for code in self.annotation.warnings]

    @property
    def history(self) -> list[ReviewLine]:
        return [_line(self.type, self.assignment.task.question, row) for row in self.reviews]

    @property
    def is_discussed(self) -> bool:
        """Tell whether reviewers wrote or contest something that the next one should read."""
        has_words = any(row.why and not row.bulk and row.verdict != Verdict.EXCLUDE for row in self.reviews)
        return has_words or self.annotation.verdict in (CONTESTED, FLAG)

    def needs(self, user_id: int) -> bool:
        """Tell whether this person can still bring the answer's review forward."""
        if not self.is_counted or self.is_settled:
            return False
        return str(user_id) not in {entry.reviewer for entry in standing(history_of(self.reviews))}

    def as_seen_by(self, user_id: int) -> AnswerInReview:
        """Return the answer without what others decided, as long as this person's own decision is still to come.

        A second review is worth something only when it does not know the first: where there are two, remarks wait too,
        and of a flag its reason. A third reviewer, who settles what two contest, sees both.
        """
        entries = standing(history_of(self.reviews))
        mine = next((entry for entry in entries if entry.reviewer == str(user_id)), None)
        chosen, reason = self._marked(mine)
        seen = replace(self, needs_viewer=self.needs(user_id), chosen=chosen, reason=reason)
        voices = [entry for entry in entries if entry.verdict in DECISIONS]
        if self.is_settled or self.annotation.verdict == CONTESTED:
            return seen
        if mine in voices:
            return replace(seen, is_decided_by_viewer=self.is_counted)
        is_blind = self.campaign.reviewers > 1
        shown = (row if row.reviewer_id == user_id else _as_shown_to_others(row, is_blind) for row in self.reviews)
        return replace(seen, reviews=tuple(row for row in shown if row), is_decided_by_others=bool(voices))

    def _marked(self, mine: ReviewEntry | None) -> tuple[str, str]:
        """Return which verdict the page marks as chosen, and the viewer's reason for it."""
        verdict, answer = (mine.verdict, mine.answer) if mine else (self.annotation.verdict, self.annotation.corrected)
        is_nothing = verdict == Verdict.CORRECT and answer is not None and self.type.is_skip(answer)
        reason = next((row.why for row in self.reviews if mine and row.pk == mine.number), "")
        return NOTHING if is_nothing else verdict, reason


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
    hints_of_answers = type_.hints(item, [answer.cleaned for answer in answers])
    return [replace(answer, hints=hints) for answer, hints in zip(answers, hints_of_answers, strict=True)]


def decision_label(type_: TaskType, verdict: str, answer: Mapping[str, Any] | None) -> str:
    """Return what a page calls a verdict; a correction to "nothing fits" has the task type's own word."""
    if verdict == Verdict.CORRECT and type_.nothing_fits and answer and type_.is_skip(answer):
        return type_.nothing_fits.label
    return "Note" if verdict == Verdict.COMMENT else str(dict(Verdict.choices).get(verdict, verdict))


@dataclass(frozen=True)
class ReviewLine:
    """One line of the history: what was decided, and the answer that a correction put in place."""

    review: Review
    label: str
    correction: str = ""
    undone: ReviewLine | None = None


def _line(type_: TaskType, question: Mapping[str, Any], row: Review) -> ReviewLine:
    label = decision_label(type_, row.verdict, row.after)
    is_reworded = label == Verdict.CORRECT.label
    correction = type_.summary(question, row.after) if is_reworded and row.after else ""
    return ReviewLine(row, label, correction, _line(type_, question, row.undoes) if row.undoes else None)


def history_of(reviews: Iterable[Review]) -> list[ReviewEntry]:
    return [
        ReviewEntry(row.pk, str(row.reviewer_id or row.reviewer_name), row.verdict, row.after, row.undoes_id)
        for row in reviews
    ]


def concerns(campaign: Campaign) -> dict[int, list[WorkerVerdict]]:
    """Return what worker filters saw in each person, by the number of their participation, as last looked at."""
    verdicts: dict[int, list[WorkerVerdict]] = {}
    for row in WorkerVerdict.objects.filter(participation__campaign=campaign).order_by("level", "filter"):
        verdicts.setdefault(row.participation_id, []).append(row)
    return verdicts


@dataclass(frozen=True)
class Known:
    """What answers are read with: the cleaning, and the evidence about their authors. Many tasks can share it."""

    cleaning: Cleaning
    evidence: Mapping[int, Sequence[WorkerVerdict]]

    @classmethod
    def of(cls, campaign: Campaign, cleaning: Cleaning | None = None) -> Known:
        return cls(cleaning or type_of(campaign).cleaning, concerns(campaign))


def answers_of_tasks(
    campaign: Campaign, task_ids: Sequence[int], known: Known | None = None
) -> dict[int, list[AnswerInReview]]:
    """Return the answers of these tasks, in time or late, in the order they came."""
    known = known or Known.of(campaign)
    rows = _shown_of(task_ids)
    reviews: dict[int, list[Review]] = {row.pk: [] for row in rows}
    for review in Review.objects.filter(annotation_id__in=reviews).select_related("undoes").order_by("id"):
        reviews[review.annotation_id].append(review)
    by_task: dict[int, list[AnswerInReview]] = {pk: [] for pk in task_ids}
    for row in rows:
        answers, turn = by_task[row.assignment.task_id], row.assignment
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
    return by_task


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
    reports: dict[int, list[ProblemReport]] = {pk: [] for pk in task_ids}
    rows = ProblemReport.objects.filter(assignment__task_id__in=task_ids, settled_at=None)
    for row in rows.select_related("assignment").order_by("id"):
        reports[row.assignment.task_id].append(row)
    return reports


def replaced_by(row: Review) -> str:
    """Return the verdict of the same reviewer that stood before this one; "" if there was none."""
    rows = Review.objects.filter(annotation_id=row.annotation_id, reviewer_id=row.reviewer_id, pk__lt=row.pk)
    entries = standing(history_of(rows))
    return entries[-1].verdict if entries else ""


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
