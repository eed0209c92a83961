"""Practice with feedback, and the quiz: what comes between the instructions and the first task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.models import Campaign, Participation
from annotation.providers.base import Outcome
from annotation.selectors import annotators
from annotation.services import finishing, joining
from annotation.stages import QUIZ_TRIES, Stage
from annotation.task_types import type_of
from annotation.task_types.base import (
    EMPTY,
    FieldRemark,
    InvalidAnswer,
    PracticeQuestion,
    QuizQuestion,
    TaskType,
    form_of,
    template_of,
)
from annotation.task_types.lessons import judged, lessons_of
from annotation.views.work_pages import gold_quiz
from annotation.views.work_pages.frame import Steps, by_field, frame, render, worker_page


class LearningSteps(Protocol):
    """Where an answer to a practice question goes, and what is typed meanwhile."""

    def practice(self, number: int) -> str: ...

    def checks(self, number: int) -> str: ...


NOT_SHOWN = ("signals", "confirmed")  # what the page's script sends along
NOTHING_CHOSEN = "Choose one answer for each question. Nothing has been counted yet."


def remarks_as_json(remarks: Sequence[FieldRemark]) -> list[dict[str, str]]:
    """Return what the page's script shows while somebody types."""
    return [
        {"field": objection.field, "level": objection.remark.level, "why": objection.remark.why}
        for objection in remarks
    ]


# ---- Practice ---------------------------------------------------------------------------------------


def _lesson(person: Participation, number: int) -> tuple[TaskType, PracticeQuestion]:
    type_ = type_of(person.campaign)
    if annotators.stage(person) in (Stage.CONSENT, Stage.INSTRUCTIONS, Stage.WITHDRAWN):
        raise Http404
    questions = lessons_of(type_, person.campaign.lessons).practice[: person.campaign.practice]
    if number > person.practised or number >= len(questions):
        raise Http404
    return type_, questions[number]


def practice_context(
    person: Participation, number: int | None = None, form: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the real page of a task, with a question whose answers are known: the next one, unless told which."""
    number = person.practised if number is None else number
    return question_context(*_lesson(person, number), number, Steps(person.secret), form)


def question_context(
    type_: TaskType, lesson: PracticeQuestion, number: int, at: LearningSteps, form: Mapping[str, str] | None = None
) -> dict[str, Any]:
    question = type_.question(lesson.item)
    return {
        "number": number,
        "answer_at": at.practice(number),
        "checks_at": at.checks(number),
        "task_html": type_.html(lesson.item),
        "question": question,
        "template": template_of(type_, "form"),
        "task_type": type_,
        "form": type_.starting_form(question) if form is None else form,
    }


@worker_page
def practice(request: HttpRequest, secret: str, number: int) -> HttpResponse:
    """Keep a practice answer and lead on to its feedback, so that Back and a reload send nothing again.

    Whatever the answer is, the question counts as done, unless the campaign wants all of them right. It can be tried
    again with `?again=1`, as often as people like.
    """
    person = annotators.participation(secret)
    if request.method != "POST":
        if "again" in request.GET:
            return render(request, "annotation/work/practice.html", frame(person) | practice_context(person, number))
        sent = person.practice_answers.filter(number=number).first()
        return redirect("work", secret) if sent is None else _feedback(request, person, number, sent.form)
    form, remarks = sent_form(request, *_lesson(person, number))
    if remarks:
        return _asked_again(request, person, number, form, remarks)
    try:
        joining.practise(secret, number, form)
    except InvalidAnswer as refused:
        return _asked_again(request, person, number, form, refused.remarks)
    return redirect("work-practice", secret, number)


def sent_form(
    request: HttpRequest, type_: TaskType, lesson: PracticeQuestion
) -> tuple[dict[str, str], tuple[FieldRemark, ...]]:
    """Return what was sent, and all remarks if something is still to be answered."""
    form = {name: text for name, text in form_of(request.POST.lists()).items() if name not in NOT_SHOWN}
    remarks = tuple(type_.checks(type_.question(lesson.item), form))
    return form, remarks if any(objection.remark.code == EMPTY for objection in remarks) else ()


def _asked_again(
    request: HttpRequest,
    person: Participation,
    number: int,
    form: Mapping[str, str],
    remarks: tuple[FieldRemark, ...],
) -> HttpResponse:
    context = frame(person) | practice_context(person, number, form) | {"findings": by_field(remarks)}
    return render(request, "annotation/work/practice.html", context, status=422)


def _feedback(request: HttpRequest, person: Participation, number: int, form: Mapping[str, str]) -> HttpResponse:
    context = feedback_context(
        person.campaign, *_lesson(person, number), number, form, is_next=number == person.practised
    )
    at = {"answer_at": Steps(person.secret).practice(number)}
    return render(request, "annotation/work/feedback.html", frame(person) | at | context)


def feedback_context(
    campaign: Campaign,
    type_: TaskType,
    lesson: PracticeQuestion,
    number: int,
    form: Mapping[str, str],
    *,
    is_next: bool,
) -> dict[str, Any]:
    """Return how an answer was judged; `is_next`: the person has not answered a later question yet."""
    question = type_.question(lesson.item)
    remarks = type_.checks(question, form)
    is_open, how = campaign.practice_must_be_right and is_next, _judged(type_, lesson, form)
    return {
        "number": number,
        "must_try_again": is_open and not ("judgement" in how and how["judgement"].is_hit),
        "is_last": number + 1 >= campaign.practice,
        "template": template_of(type_, "feedback"),
        "task_type": type_,
        "question": question,
        "item": lesson.item,
        "form": form,
        "reason": lesson.gold.reason,
        "accepted": [type_.summary(question, answer) for answer in lesson.gold.accepted],
        "whys": [objection.remark.why for objection in remarks],
        **how,
    }


def _judged(type_: TaskType, lesson: PracticeQuestion, form: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer and how it was judged; neither where it could not be submitted."""
    if (result := judged(type_, lesson, form)) is None:
        return {"is_blocked": True}
    answer, judgement = result
    return {"answer": answer, "summary": type_.summary(type_.question(lesson.item), answer), "judgement": judgement}


@worker_page
@require_POST
def practice_checks(request: HttpRequest, secret: str, number: int) -> HttpResponse:
    """The checks of a practice answer while it is typed; nothing is kept."""
    return checks_of(request, *_lesson(annotators.participation(secret), number))


def checks_of(request: HttpRequest, type_: TaskType, lesson: PracticeQuestion) -> HttpResponse:
    remarks = type_.checks(type_.question(lesson.item), form_of(request.POST.lists()))
    return JsonResponse({"saved": False, "findings": remarks_as_json(remarks)})


# ---- Quiz -------------------------------------------------------------------------------------------


def quiz_context(person: Participation, form: Mapping[str, str] | None = None) -> dict[str, Any]:
    if person.campaign.quiz_gold:
        return gold_quiz.context(person, form)
    return quiz_of(person.campaign, person.quiz_tries, form)


def quiz_of(campaign: Campaign, tries: int = 0, form: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the quiz of somebody who has tried it this often before."""
    questions = lessons_of(type_of(campaign), campaign.lessons).quiz
    return {
        "questions": [_asked(number, question, form or {}, turned=tries) for number, question in enumerate(questions)],
        "try_number": tries,
        "tries_left": QUIZ_TRIES - tries,
        "pass_mark": campaign.quiz_pass,
    }


def _asked(number: int, question: QuizQuestion, form: Mapping[str, str], *, turned: int) -> dict[str, Any]:
    """Return a question, what was chosen and whether that is right; each try has its choices in another order."""
    choices = list(enumerate(question.choices))
    sent = form.get(f"question_{number}", "")
    chosen = next((place for place, _ in choices if sent == str(place)), None)
    turned %= len(choices)
    return {
        "name": f"question_{number}",
        "text": question.text,
        "choices": choices[turned:] + choices[:turned],
        "chosen": chosen,
        "is_right": chosen == question.right,
        "right": question.choices[question.right],
        "chosen_text": "" if chosen is None else question.choices[chosen],
        "explanation": question.explanation,
    }


@worker_page
def quiz(request: HttpRequest, secret: str) -> HttpResponse:
    """Count a try at the quiz and lead on to its explanation. Only counted tries are explained."""
    person = annotators.participation(secret)
    if person.campaign.quiz_gold:
        return gold_quiz.page(request, person)
    if request.method != "POST":
        return _quiz_result(request, person) if person.quiz_tries else redirect("work", secret)
    form = request.POST.dict()
    if not person.campaign.quiz_pass:
        raise Http404
    context = quiz_context(person, form)
    if any(question["chosen"] is None for question in context["questions"]):
        context["notice"] = NOTHING_CHOSEN
        return render(request, "annotation/work/quiz.html", frame(person) | context, status=422)
    score = sum(question["is_right"] for question in context["questions"])
    if form.get("try") == str(person.quiz_tries):
        chosen = {question["name"]: str(question["chosen"]) for question in context["questions"]}
        joining.take_quiz(secret, score, number=person.quiz_tries, chosen=chosen)  # a second click changes nothing
    return redirect("work-quiz", secret)


def _quiz_result(request: HttpRequest, person: Participation) -> HttpResponse:
    """Show how the last try went, question by question where the choices are known."""
    chosen = person.quiz_chosen
    context = quiz_context(person, chosen)
    context |= {"score": person.quiz_score, "stage": annotators.stage(person).value, "is_explained": bool(chosen)}
    if annotators.stage(person) == Stage.SCREENED_OUT:
        context["completion"] = finishing.conclude(person, Outcome.SCREENED_OUT)
    return render(request, "annotation/work/quiz_result.html", frame(person) | context)
