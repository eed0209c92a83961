"""Practice questions and the quiz as one value: what people learn from before their first task, and its JSON form.

A task type brings lessons along; a campaign may have its own instead. `read_lessons` checks JSON from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from annotation.task_types.base import (
    EMPTY,
    Gold,
    InvalidAnswer,
    JsonObject,
    Judgement,
    Level,
    PracticeQuestion,
    QuizQuestion,
)
from corpus.items import ITEM_KINDS
from kernel.errors import InvalidInput
from kernel.json_fields import Row, list_field, number_field, object_list, object_value, text_field
from kernel.values import Json, canonical_json, content_hash, counted, storable, whole_number

if TYPE_CHECKING:
    from annotation.task_types.base import TaskType

FIELD = "lessons"
MOST_QUESTIONS = 30  # to practise with, and in the quiz
FEWEST_CHOICES, MOST_CHOICES = 2, 10
MOST_KNOWN_ANSWERS = 100  # of one practice question
LONGEST_LINE = 300  # characters of a question or a choice
LONGEST_WORDS = 20_000  # of a reason or an explanation
LONGEST_JSON = 2_000_000
NO_ANSWER = "this is not an answer that people can give"


@dataclass(frozen=True)
class Lessons:
    """What people practise with, and what the quiz asks, in their order."""

    practice: tuple[PracticeQuestion, ...] = ()
    quiz: tuple[QuizQuestion, ...] = ()

    def to_json(self) -> dict[str, Json]:
        practice: list[Json] = [question_as_json(question) for question in self.practice]
        quiz: list[Json] = [question_as_json(question) for question in self.quiz]
        return {"practice": practice, "quiz": quiz}


def lessons_of(type_: TaskType, stored: Mapping[str, Any] | None) -> Lessons:
    """Return the lessons that a campaign stores, or those of its task type where it stores none."""
    if stored is None:
        return Lessons(tuple(type_.practice), tuple(type_.quiz))
    practice = (PracticeQuestion(type_.read(own["item"]), Gold.from_json(own["gold"])) for own in stored["practice"])
    quiz = (QuizQuestion(**{**own, "choices": tuple(own["choices"])}) for own in stored["quiz"])
    return Lessons(tuple(practice), tuple(quiz))


def question_as_json(question: PracticeQuestion | QuizQuestion) -> dict[str, Json]:
    if isinstance(question, PracticeQuestion):
        return {"item": question.item.to_json(), "gold": question.gold.to_json()}
    return {**vars(question), "choices": [*question.choices]}


def fingerprint(question: PracticeQuestion | QuizQuestion) -> str:
    """Return a short hash of a question, by which a stale page is noticed."""
    return content_hash(question_as_json(question))[:16]


# ---- Reading JSON from outside --------------------------------------------------------------------


def read_lessons(value: Any, type_: TaskType) -> Lessons:
    """Return the lessons for a task type, or raise InvalidInput that says which question is wrong, and why."""
    with _at(""):
        _check_storable(value)
        row = object_value(value, "")
        _check_names(row, ("practice", "quiz"))
        rows = {name: object_list({name: row.get(name, [])}, name) for name in ("practice", "quiz")}
        for name, listed in rows.items():
            if len(listed) > MOST_QUESTIONS:
                raise InvalidInput(f"has {len(listed)} questions; at most {MOST_QUESTIONS} are possible", field=name)
    practice, quiz = [], []
    for number, own in enumerate(rows["practice"], 1):
        with _at(f"practice question {number}"):
            practice.append(read_practice_question(own, type_))
    for number, own in enumerate(rows["quiz"], 1):
        with _at(f"quiz question {number}"):
            quiz.append(read_quiz_question(own))
    _check_distinct("practice question", practice)
    _check_distinct("quiz question", quiz)
    return Lessons(tuple(practice), tuple(quiz))


def _check_distinct(part: str, questions: Sequence[PracticeQuestion | QuizQuestion]) -> None:
    first: dict[str, int] = {}
    for number, question in enumerate(questions, 1):
        same = first.setdefault(fingerprint(question), number)
        with _at(f"{part} {number}"):
            if same != number:
                raise InvalidInput(f"it is the same as question {same}; change or remove one of them")


@contextmanager
def _at(place: str) -> Iterator[None]:
    """Let errors say in their sentence where they are."""
    try:
        yield
    except InvalidInput as error:
        where = ", ".join(filter(None, (place, error.field)))
        raise InvalidInput(f"{where}: {error.problem}" if where else error.problem, field=FIELD) from error


@contextmanager
def _within(part: str) -> Iterator[None]:
    """Let errors name the part of a question that they are in."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(error.problem, field=", ".join(filter(None, (part, error.field)))) from error


def _check_storable(value: Any) -> None:
    try:
        text = canonical_json(value)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("has a number that is not finite, or is nested too deeply") from error
    if len(text) > LONGEST_JSON:
        raise InvalidInput(f"must be at most {LONGEST_JSON:,} characters as JSON")
    if "\\u0000" in text or storable(text) != text:
        raise InvalidInput("contains NUL characters or half of a character")


def _check_names(row: Row, known: Sequence[str]) -> None:
    if unknown := [name for name in row if name not in known]:
        raise InvalidInput(f"there is no field “{unknown[0][:40]}”; the fields are {', '.join(known)}")


def read_practice_question(value: Row, type_: TaskType) -> PracticeQuestion:
    _check_names(value, ("item", "gold"))
    row, gold = object_value(value.get("item"), "item"), object_value(value.get("gold"), "gold")
    with _within("item"):
        item = ITEM_KINDS[type_.item_kind].from_row(dict(row))
        if missing := type_.missing_texts(item):
            raise InvalidInput(f"there is no text “{missing[0]}”, which the task shows")
    with _within("gold"):
        return PracticeQuestion(item, _read_gold(gold, type_, item))


def _read_gold(row: Row, type_: TaskType, item: Any) -> Gold:
    _check_names(row, ("accepted", "reason"))
    answers = tuple(dict(answer) for answer in object_list(row, "accepted"))
    if not 1 <= len(answers) <= MOST_KNOWN_ANSWERS:
        raise InvalidInput(f"must be 1 to {MOST_KNOWN_ANSWERS} known answers, not {len(answers)}", field="accepted")
    question = type_.question(item)
    for number, answer in enumerate(answers):
        why = _why_no_answer(answer, type_, question) or _why_not_right(answer, type_, item)
        if why:
            raise InvalidInput(why, field=f"accepted[{number}]")
    return Gold(answers, _words(row, "reason"))


def _why_no_answer(answer: JsonObject, type_: TaskType, question: Mapping[str, Json]) -> str:
    """Return why this cannot be a known answer; "" if the form for known answers can give it."""
    try:
        known = type_.gold(question, type_.gold_form(question, Gold((answer,))))
        is_same = canonical_json([*known.accepted]) == canonical_json([answer])
    except InvalidInput as error:
        return error.problem.rstrip(".")
    except (LookupError, TypeError, ValueError, AttributeError):  # it has another shape than the type's answers
        return NO_ANSWER
    return "" if is_same else NO_ANSWER


def _why_not_right(answer: JsonObject, type_: TaskType, item: Any) -> str:
    """Return why a participant who sends this known answer would not be told that it is right; "" if they would be.

    What it leaves out has no right answer: participants write something there.
    """
    question = type_.question(item)
    form = type_.form(question, answer)
    remarks = type_.checks(question, form)
    blocking = [own.remark for own in remarks if own.remark.level == Level.BLOCK and own.remark.code != EMPTY]
    is_whole = all(own.remark.code != EMPTY for own in remarks)
    if not blocking and not (is_whole and not is_right(type_, PracticeQuestion(item, Gold((answer,))), form)):
        return ""
    why = f": {blocking[0].why.rstrip('.')}" if blocking else "; give another known answer"
    return f"“{type_.summary(question, answer)}” would not be accepted from a participant{why}"


def read_quiz_question(value: Row) -> QuizQuestion:
    _check_names(value, ("text", "choices", "right", "explanation"))
    choices = tuple(_line({field: own}, field) for field, own in _numbered(value, "choices"))
    if not FEWEST_CHOICES <= len(choices) <= MOST_CHOICES:
        limits = f"{FEWEST_CHOICES} to {MOST_CHOICES}"
        raise InvalidInput(f"there must be {limits} choices, not {len(choices)}", field="choices")
    if twice := next((own for own in choices if choices.count(own) > 1), ""):
        raise InvalidInput(f"“{twice}” occurs twice", field="choices")
    right = number_field(value, "right")
    if right is None or right >= len(choices):
        raise InvalidInput(f"must be the number of a choice, from 0 to {len(choices) - 1}", field="right")
    return QuizQuestion(_line(value, "text"), choices, right, _words(value, "explanation"))


def quiz_question_of(form: Mapping[str, str]) -> QuizQuestion:
    """Return the question of a form with one choice on each line; `right` is the number of a line, from 1."""
    choices: list[Json] = [line for line in form.get("choices", "").splitlines() if line.strip()]
    if not form.get("text", "").strip():
        raise InvalidInput("write the question", field="text")
    explanation, right = form.get("explanation", ""), whole_number(form.get("right", "").strip())
    row: Row = {"text": form["text"], "choices": choices, "right": 0, "explanation": explanation}
    question = read_quiz_question(row)
    if right is None or not 1 <= right <= len(choices):
        raise InvalidInput(f"enter the number of the right choice, from 1 to {len(choices)}", field="right")
    return replace(question, right=right - 1)


def form_of_quiz(question: QuizQuestion) -> dict[str, str]:
    """Return the form that gives a question."""
    choices = "\n".join(question.choices)
    return {**vars(question), "choices": choices, "right": str(question.right + 1)}


def _numbered(row: Row, field: str) -> list[tuple[str, Json]]:
    return [(f"{field}[{number}]", own) for number, own in enumerate(list_field(row, field))]


def _line(row: Row, field: str) -> str:
    """Return a text that is needed, in one line."""
    text = " ".join(text_field(row, field, is_required=True).split())
    if len(text) > LONGEST_LINE:
        raise InvalidInput(f"must have at most {LONGEST_LINE} characters", field=field)
    return text


def _words(row: Row, field: str) -> str:
    text = text_field(row, field).strip()
    if len(text) > LONGEST_WORDS:
        raise InvalidInput(f"must have at most {counted(LONGEST_WORDS, 'character')}", field=field)
    return text


# ---- Practising -----------------------------------------------------------------------------------


def judged(type_: TaskType, lesson: PracticeQuestion, form: Mapping[str, str]) -> tuple[JsonObject, Judgement] | None:
    """Return the answer that a form gives and how it compares; None where it could not be submitted."""
    return compared(type_, type_.question(lesson.item), lesson.gold, form)


def compared(
    type_: TaskType, question: JsonObject, gold: Gold, form: Mapping[str, str]
) -> tuple[JsonObject, Judgement] | None:
    """Return the answer to a question that a form gives and how it compares with known ones; None as `judged`."""
    sure = " ".join(f"{objection.field}:{objection.remark.code}" for objection in type_.checks(question, form))
    try:
        answer = type_.parse(question, {**form, "confirmed": sure})
    except InvalidAnswer:
        return None
    return answer, type_.judge(answer, gold, question)


def is_right(type_: TaskType, lesson: PracticeQuestion, form: Mapping[str, str]) -> bool:
    result = judged(type_, lesson, form)
    return result is not None and result[1].is_hit
