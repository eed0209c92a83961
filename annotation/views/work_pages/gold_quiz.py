"""The quiz of a campaign's own check tasks: one page each, in the form of the task itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from annotation.models import Campaign, Participation, Task
from annotation.providers.base import Outcome
from annotation.selectors import annotators
from annotation.selectors.check_tasks import known_answers
from annotation.selectors.quiz_tasks import QuizPlace, quiz_place, usable
from annotation.services import finishing
from annotation.services.gold_quiz import answer_quiz
from annotation.stages import QUIZ_TRIES, Stage
from annotation.task_types import type_of
from annotation.task_types.base import EMPTY, FieldRemark, Gold, InvalidAnswer, form_of, template_of
from annotation.task_types.lessons import compared
from annotation.views.work_pages.frame import by_field, frame, render
from kernel.values import whole_number

NOT_SHOWN = ("signals", "confirmed", "task")  # fields of the page, not of the answer


def context(person: Participation, form: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the page of the next task in somebody's quiz."""
    place = quiz_place(person)
    return question_of(person.campaign, place, tries=person.quiz_tries, form=form)


def question_of(
    campaign: Campaign, place: QuizPlace, *, tries: int = 0, form: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what the page of one check task in a quiz shows."""
    type_, task = type_of(campaign), place.task
    shown = {
        "gold_quiz": place,
        "number": len(place.answers) + 1,
        "tries_left": QUIZ_TRIES - tries,
        "pass_mark": min(campaign.quiz_pass, place.number_of_tasks),
    }
    if task is None:
        return shown
    return shown | {
        "task_html": task.html,
        "question": task.question,
        "template": template_of(type_, "form"),
        "task_type": type_,
        "form": type_.starting_form(task.question) if form is None else form,
    }


def preview_of(campaign: Campaign) -> dict[str, Any]:
    """Return the first page of the quiz as the team previews it."""
    tasks = usable(campaign).order_by("position")
    place = QuizPlace(min(campaign.quiz_gold, tasks.count()), (), (), tasks.first())
    return question_of(campaign, place)


def page(request: HttpRequest, person: Participation) -> HttpResponse:
    """Keep an answer and lead on: to the next task, or to how the try went."""
    if request.method != "POST":
        is_between = quiz_place(person).answers or not person.quiz_tries
        return redirect("work", person.secret) if is_between and not person.quiz_passed_at else _result(request, person)
    sent = form_of(request.POST.lists())
    task_id, form = whole_number(sent.get("task", "")), {n: text for n, text in sent.items() if n not in NOT_SHOWN}
    place = quiz_place(person)
    if place.task is not None and place.task.pk == task_id:
        remarks = tuple(type_of(person.campaign).checks(place.task.question, form))
        if any(objection.remark.code == EMPTY for objection in remarks):
            return _again(request, person, form, remarks)
        try:
            answer_quiz(person.secret, place.task.pk, form)
        except InvalidAnswer as refused:
            return _again(request, person, form, refused.remarks)
    return redirect("work-quiz", person.secret)


def _again(
    request: HttpRequest, person: Participation, form: Mapping[str, str], remarks: Sequence[FieldRemark]
) -> HttpResponse:
    shown = frame(person) | context(person, form) | {"findings": by_field(tuple(remarks))}
    return render(request, "annotation/work/quiz.html", shown, status=422)


def _result(request: HttpRequest, person: Participation) -> HttpResponse:
    """Show how the last try went; known answers of missed tasks only once no further try can use them."""
    stage = annotators.stage(person)
    if stage == Stage.WITHDRAWN:
        raise Http404
    answers = person.quiz_chosen.get("answers", [])
    tasks = Task.objects.in_bulk([answer["task"] for answer in answers])
    rows = [_row(person.campaign, tasks[answer["task"]], answer) for answer in answers if answer["task"] in tasks]
    shown = {
        "rows": rows,
        "score": person.quiz_score,
        "stage": stage.value,
        "pass_mark": min(person.campaign.quiz_pass, len(answers)),
        "completion": finishing.conclude(person, Outcome.SCREENED_OUT) if stage == Stage.SCREENED_OUT else None,
    }
    return render(request, "annotation/work/gold_quiz_result.html", frame(person) | shown)


def _row(campaign: Campaign, task: Task, answer: Mapping[str, Any]) -> dict[str, Any]:
    type_, (known, reason) = type_of(campaign), known_answers(campaign, task)
    gold = Gold.from_json(task.gold or {"accepted": []})
    result = compared(type_, task.question, gold, answer["form"])
    return {
        "headline": type_.headline(task.question),
        "answer": type_.summary(task.question, result[0]) if result else "an answer that could not be submitted",
        "is_hit": answer["is_hit"],
        "known": known,
        "reason": reason,
    }
