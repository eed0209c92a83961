"""Practice with feedback, and the quiz: what comes between the instructions and the first task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation import selectors
from annotation.models import Participation
from annotation.providers.base import Outcome
from annotation.services import finishing, joining
from annotation.stages import QUIZ_TRIES, Stage
from annotation.task_types import TASK_TYPES
from annotation.task_types.base import FieldFinding, Gold, InvalidAnswer, PracticeQuestion, QuizQuestion, TaskType
from annotation.views.frame import by_field, frame, worker_page

NOT_SHOWN = ("signals", "confirmed")  # what the page's script sends along
MOST_FIELDS, LONGEST_SHOWN = 8, 200  # of a practice answer: it has to fit into an address
NOTHING_CHOSEN = "Choose one answer for each question. Nothing has been counted yet."


def told(findings: Sequence[FieldFinding]) -> list[dict[str, str]]:
    """Return what the page's script shows while somebody types."""
    return [{"field": one.field, "level": one.finding.level, "why": one.finding.why} for one in findings]


# ---- Practice ---------------------------------------------------------------------------------------


def _lesson(person: Participation, number: int) -> tuple[TaskType, PracticeQuestion]:
    type_ = TASK_TYPES[person.campaign.task_type]
    if joining.stage(person) in (Stage.CONSENT, Stage.INSTRUCTIONS, Stage.WITHDRAWN):
        raise Http404
    if number > person.practised or number >= min(person.campaign.practice, len(type_.practice)):
        raise Http404
    return type_, type_.practice[number]


def practice_context(
    person: Participation, number: int | None = None, form: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the real page of a task, with a question whose answers are known: the next one, unless told which."""
    number = person.practised if number is None else number
    type_, lesson = _lesson(person, number)
    return {
        "number": number,
        "task_html": type_.html(lesson.instance),
        "question": type_.question(lesson.instance),
        "template": type_.template,
        "form": form or {},
    }


@worker_page
def practice(request: HttpRequest, secret: str, number: int) -> HttpResponse:
    """Take a practice answer, then tell what there is to say of it; whatever it is, the question counts as done.

    It can be tried again with `?again=1`, as often as somebody likes.
    """
    person = selectors.participation(secret)
    if request.method != "POST":
        if "again" in request.GET:
            return render(request, "annotation/work/practice.html", frame(person) | practice_context(person, number))
        form = _given(request, _practice_of(person, number))
        return redirect("work", secret) if form is None else _feedback(request, person, number, form)
    type_, lesson = _lesson(person, number)
    question = type_.question(lesson.instance)
    fields = [(name, str(text)[:LONGEST_SHOWN]) for name, text in request.POST.items() if name not in NOT_SHOWN]
    form = dict(fields[:MOST_FIELDS])
    findings = tuple(type_.checks(question, form))
    if any(one.finding.code == "empty" for one in findings):
        context = frame(person) | practice_context(person, number, form) | {"findings": by_field(findings)}
        return render(request, "annotation/work/practice.html", context, status=422)
    joining.practise(secret, number)
    return _show(reverse("work-practice", args=[secret, number]), form, _practice_of(person, number))


def _practice_of(person: Participation, number: int) -> str:
    return f"{person.secret} practice {number}"


def _show(page: str, form: Mapping[str, str], whose: str) -> HttpResponse:
    """Lead on to what is said of an answer, so that Back and a reload send nothing again.

    The answer travels in the address, signed: only what was sent is judged, and nothing of it has to be kept. `whose`:
    the person, the page and the try, so that it is of use nowhere else.
    """
    return redirect(f"{page}?given={signing.dumps(form, salt=whose, compress=True)}")


def _given(request: HttpRequest, whose: str) -> dict[str, str] | None:
    try:
        return dict(signing.loads(request.GET.get("given", ""), salt=whose))
    except signing.BadSignature:
        return None


def _feedback(request: HttpRequest, person: Participation, number: int, form: Mapping[str, str]) -> HttpResponse:
    type_, lesson = _lesson(person, number)
    question = type_.question(lesson.instance)
    findings = type_.checks(question, form)
    context = {
        "number": number,
        "is_last": number + 1 >= person.campaign.practice,
        "lesson": lesson,
        "question": question,
        "whys": [one.finding.why for one in findings],
        **_judged(type_, lesson, form),
    }
    return render(request, "annotation/work/feedback.html", frame(person) | context)


def _judged(type_: TaskType, lesson: PracticeQuestion, form: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer in a line, and whether it is one of those we thought of."""
    question = type_.question(lesson.instance)
    sure = " ".join(f"{one.field}:{one.finding.code}" for one in type_.checks(question, form))
    try:
        answer = type_.parse(question, {**form, "confirmed": sure})
    except InvalidAnswer:
        return {"answer": " / ".join(filter(None, (form.get("phrase_1"), form.get("phrase_2")))), "is_blocked": True}
    return {
        "answer": type_.summary(answer),
        "is_hit": type_.is_hit(answer, Gold(lesson.accepted), question),
        "is_impossible": bool(answer.get("impossible")),
    }


@worker_page
@require_POST
def practice_checks(request: HttpRequest, secret: str, number: int) -> HttpResponse:
    """The checks of a practice answer while it is typed; nothing is kept."""
    type_, lesson = _lesson(selectors.participation(secret), number)
    findings = type_.checks(type_.question(lesson.instance), request.POST.dict())
    return JsonResponse({"saved": False, "findings": told(findings)})


# ---- Quiz -------------------------------------------------------------------------------------------


def quiz_context(person: Participation, form: Mapping[str, str] | None = None) -> dict[str, Any]:
    questions = TASK_TYPES[person.campaign.task_type].quiz
    return {
        "questions": [
            _asked(number, one, form or {}, turned=person.quiz_tries) for number, one in enumerate(questions)
        ],
        "try_number": person.quiz_tries,
        "tries_left": QUIZ_TRIES - person.quiz_tries,
        "pass_mark": person.campaign.quiz_pass,
    }


def _asked(number: int, question: QuizQuestion, form: Mapping[str, str], *, turned: int) -> dict[str, Any]:
    """Return a question, what was chosen and whether that is right; each try has its choices in another order."""
    choices = list(enumerate(question.choices))
    given = form.get(f"question_{number}", "")
    chosen = next((place for place, _ in choices if given == str(place)), None)
    turned %= len(choices)
    return {
        "name": f"question_{number}",
        "text": question.text,
        "choices": choices[turned:] + choices[:turned],
        "chosen": chosen,
        "is_right": chosen == question.right,
        "right": question.choices[question.right],
        "given": "" if chosen is None else question.choices[chosen],
        "explanation": question.explanation,
    }


@worker_page
def quiz(request: HttpRequest, secret: str) -> HttpResponse:
    """Count a try at the quiz, then explain every answer of it; of what was not counted nothing is told."""
    person = selectors.participation(secret)
    if request.method != "POST":
        chosen = _given(request, _quiz_of(person, person.quiz_tries))
        return redirect("work", secret) if chosen is None else _quiz_result(request, person, chosen)
    form = request.POST.dict()
    if not person.campaign.quiz_pass:
        raise Http404
    context = quiz_context(person, form)
    if any(one["chosen"] is None for one in context["questions"]):
        told_ = {"notice": NOTHING_CHOSEN}
        return render(request, "annotation/work/quiz.html", frame(person) | context | told_, status=422)
    score = sum(one["is_right"] for one in context["questions"])
    tries = person.quiz_tries
    if form.get("try") == str(tries) and joining.take_quiz(secret, score, number=tries):
        chosen = {one["name"]: str(one["chosen"]) for one in context["questions"]}
        return _show(reverse("work-quiz", args=[secret]), chosen, _quiz_of(person, tries + 1))
    person.refresh_from_db()
    if not person.quiz_tries:
        return redirect("work", secret)
    return _show(reverse("work-quiz", args=[secret]), {}, _quiz_of(person, person.quiz_tries))  # a second click


def _quiz_of(person: Participation, tries: int) -> str:
    return f"{person.secret} quiz {tries}"


def _quiz_result(request: HttpRequest, person: Participation, form: Mapping[str, str]) -> HttpResponse:
    """Tell how the last try went, with what was chosen in it where that is known."""
    context = quiz_context(person, form)
    context |= {"score": person.quiz_score, "stage": joining.stage(person).value, "is_explained": bool(form)}
    if joining.stage(person) == Stage.SCREENED_OUT:
        context["completion"] = finishing.conclude(person, Outcome.SCREENED_OUT)
    return render(request, "annotation/work/quiz_result.html", frame(person) | context)
