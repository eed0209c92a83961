"""Changing what people learn from before their first task, while nobody has met it yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.db import transaction

from annotation.models import Campaign, CampaignStatus
from annotation.services.campaigns import OTHER_ITEM, SAMPLED, check_apart
from annotation.task_types import type_of
from annotation.task_types.base import Gold, PracticeQuestion, QuizQuestion
from annotation.task_types.lessons import Lessons, fingerprint, lessons_of, question_as_json, read_lessons
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json

Part = Literal["practice", "quiz"]
Question = PracticeQuestion | QuizQuestion
WORDS: dict[Part, str] = {"practice": "practice question", "quiz": "quiz question"}
FIXED = (
    "Practice questions and the quiz can be changed only while a campaign is a draft, so that everybody who takes part "
    "meets the same ones. Duplicate the campaign to change them in the copy."
)
OVERTAKEN = "The questions have changed since this page was opened, so nothing was changed. They are shown below."


class Overtaken(WrongState):
    """The question is not where the page showed it."""


@dataclass(frozen=True)
class Place:
    """A question as a page showed it: its number in its part, from 0, and its fingerprint."""

    part: Part
    number: int
    seen: str


def copy_lessons(campaign_id: int, *, by: User | None) -> Campaign:
    """Give a draft the questions of its task type as its own; they stay if it has some."""

    def copy(campaign: Campaign, lessons: Lessons) -> Lessons:
        return read_lessons(lessons.to_json(), type_of(campaign))

    return _change(campaign_id, "copy lessons", copy, by)


@transaction.atomic(durable=True)
def reset_lessons(campaign_id: int, *, by: User | None) -> Campaign:
    """Let a draft use the questions of its task type again; only the audit trail keeps its own."""
    campaign = _draft(campaign_id)
    if campaign.lessons is None:
        return campaign
    before, type_ = campaign.lessons, type_of(campaign)
    campaign.lessons = None
    _fit(campaign, lessons_of(type_, before), lessons_of(type_, None))
    campaign.save(update_fields=["lessons", "practice", "quiz_pass"])
    audit.record("reset lessons", campaign, by=by, before=before, after=_asked(campaign))
    return campaign


def add_question(campaign_id: int, question: Question, *, by: User | None) -> Campaign:
    """Add a question behind the others of its part; one that is there already is not added again."""
    part = part_of(question)

    def add(campaign: Campaign, lessons: Lessons) -> Lessons:
        questions = getattr(lessons, part)
        return lessons if question in questions else _with(lessons, part, [*questions, question])

    return _change(campaign_id, f"add {WORDS[part]}", add, by, after=question)


def change_question(campaign_id: int, place: Place, question: Question, *, by: User | None) -> Campaign:
    """Put another question in a place; raises Overtaken if neither the old nor the new one stands there."""

    def change(campaign: Campaign, lessons: Lessons) -> Lessons:
        questions = list(getattr(lessons, place.part))
        if questions[place.number : place.number + 1] == [question]:
            return lessons
        question_at(lessons, place)
        questions[place.number] = question
        return _with(lessons, place.part, questions)

    return _change(campaign_id, f"edit {WORDS[place.part]}", change, by, place=place, after=question)


def delete_question(campaign_id: int, place: Place, *, by: User | None) -> Campaign:
    def delete(campaign: Campaign, lessons: Lessons) -> Lessons:
        gone = question_at(lessons, place)
        return _with(lessons, place.part, [own for own in getattr(lessons, place.part) if own is not gone])

    return _change(campaign_id, f"delete {WORDS[place.part]}", delete, by, place=place)


def move_question(campaign_id: int, place: Place, *, down: bool, by: User | None) -> Campaign:
    """Let a question change places with the next or the previous one, if there is one."""

    def move(campaign: Campaign, lessons: Lessons) -> Lessons:
        question_at(lessons, place)
        questions, other = list(getattr(lessons, place.part)), place.number + (1 if down else -1)
        if 0 <= other < len(questions):
            questions[place.number], questions[other] = questions[other], questions[place.number]
        return _with(lessons, place.part, questions)

    return _change(campaign_id, f"move {WORDS[place.part]} {'down' if down else 'up'}", move, by, place=place)


def _with(lessons: Lessons, part: Part, questions: list[Any]) -> Lessons:
    return (
        replace(lessons, practice=tuple(questions)) if part == "practice" else replace(lessons, quiz=tuple(questions))
    )


def part_of(question: Question) -> Part:
    return "practice" if isinstance(question, PracticeQuestion) else "quiz"


def question_at(lessons: Lessons, place: Place) -> Any:
    """Return the question of a place; raises Overtaken if another one stands there by now."""
    questions = getattr(lessons, place.part)
    if not (place.number < len(questions) and fingerprint(questions[place.number]) == place.seen):
        raise Overtaken(OVERTAKEN)
    return questions[place.number]


def check_item(campaign: Campaign, item: Any) -> None:
    """Raise if an item cannot be practised with in this campaign."""
    type_ = type_of(campaign)
    if missing := type_.missing_texts(item):
        raise InvalidInput(f"write the text “{missing[0]}”, which the task shows")
    try:
        check_apart(Lessons((PracticeQuestion(item, Gold(())),)), type_, campaign.sample)
    except InvalidInput as error:
        raise InvalidInput(f"{SAMPLED}; {OTHER_ITEM}") from error


def check_draft(campaign: Campaign) -> None:
    if campaign.status != CampaignStatus.DRAFT:
        raise WrongState(FIXED)


@transaction.atomic(durable=True)
def _change(
    campaign_id: int,
    action: str,
    changed: Callable[[Campaign, Lessons], Lessons],
    by: User | None,
    *,
    place: Place | None = None,
    after: Question | None = None,
) -> Campaign:
    campaign = _draft(campaign_id)
    type_ = type_of(campaign)
    lessons = lessons_of(type_, campaign.lessons)
    kept = read_lessons(changed(campaign, lessons).to_json(), type_)
    if campaign.lessons is not None and kept == lessons:
        return campaign
    check_apart(kept, type_, campaign.sample, known=lessons)
    before: dict[str, Json] = {**_asked(campaign)}
    if place:
        before |= {"number": place.number + 1, "question": question_as_json(question_at(lessons, place))}
    _fit(campaign, lessons, kept)
    campaign.lessons = kept.to_json()
    campaign.save(update_fields=["lessons", "practice", "quiz_pass"])
    now: dict[str, Json] = {**_asked(campaign)} | ({"question": question_as_json(after)} if after else {})
    audit.record(action, campaign, by=by, before=before, after=now)
    return campaign


def _draft(campaign_id: int) -> Campaign:
    rows = Campaign.objects.select_related("sample").select_for_update(of=("self",), no_key=True)
    campaign = rows.get(pk=campaign_id)
    check_draft(campaign)
    return campaign


def _asked(campaign: Campaign) -> dict[str, Json]:
    return {"practice": campaign.practice, "quiz_pass": campaign.quiz_pass}


def _fit(campaign: Campaign, before: Lessons, after: Lessons) -> None:
    """Let the number asked follow where all were asked, and let neither number exceed what there is."""
    if campaign.practice == len(before.practice):
        campaign.practice = len(after.practice)
    campaign.practice = min(campaign.practice, len(after.practice))
    campaign.quiz_pass = min(campaign.quiz_pass, len(after.quiz))
