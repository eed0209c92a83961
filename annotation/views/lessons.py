"""The page on which a campaign's practice questions and quiz are read and, while it is a draft, changed."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Campaign, CampaignStatus
from annotation.services import lessons as services
from annotation.services.lessons import FIXED, OVERTAKEN, WORDS, Overtaken, Part, Place
from annotation.task_types import type_of
from annotation.task_types.base import PracticeQuestion, QuizQuestion, TaskType
from annotation.task_types.lessons import MOST_QUESTIONS, fingerprint, form_of_quiz, lessons_of, quiz_question_of
from kernel.errors import InvalidInput
from kernel.values import counted, whole_number
from kernel.views.access import requires, signed_in
from kernel.views.downloads import attachment

CHANGED_MEANWHILE = "somebody has changed this question meanwhile. Save again to add yours as another question"
QUIZ_FORM = ("text", "choices", "right", "explanation")


@requires("annotation.view_campaign")
def lessons_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    type_ = type_of(campaign)
    lessons = lessons_of(type_, campaign.lessons)
    is_draft = campaign.status == CampaignStatus.DRAFT
    context = {
        "campaign": campaign,
        "practice": [_practice_row(type_, question) for question in lessons.practice],
        "quiz": [{"question": question, "seen": fingerprint(question)} for question in lessons.quiz],
        "is_own": campaign.lessons is not None,
        "may_change": is_draft and request.user.has_perm("annotation.change_campaign"),
        "why_fixed": "" if is_draft else FIXED,
        "most": MOST_QUESTIONS,
    }
    return render(request, "annotation/campaigns/lessons.html", context)


def _practice_row(type_: TaskType, question: PracticeQuestion) -> dict[str, object]:
    asked = type_.question(question.item)
    accepted = [type_.summary(asked, answer) for answer in question.gold.accepted]
    headline, reason = type_.headline(asked), question.gold.reason
    return {"headline": headline, "accepted": accepted, "reason": reason, "seen": fingerprint(question)}


@requires("annotation.view_campaign")
def lessons_file(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The questions as JSON, as `manage.py create_campaign --lessons` reads them."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    value = lessons_of(type_of(campaign), campaign.lessons).to_json()
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    return attachment(text, f"campaign-{campaign.pk}-lessons.json", "application/json; charset=utf-8")


@require_POST
@requires("annotation.change_campaign")
def change(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Copy the task's own questions, use them again, or move or delete one question."""
    campaign, by = get_object_or_404(Campaign, pk=campaign_id), signed_in(request)
    action = request.POST.get("action", "")
    try:
        if action == "copy":
            changed = services.copy_lessons(campaign.pk, by=by)
        elif action == "reset":
            changed = services.reset_lessons(campaign.pk, by=by)
        elif (place := place_of(request.POST)) and action == "delete":
            changed = services.delete_question(campaign.pk, place, by=by)
        elif place and action in ("up", "down"):
            changed = services.move_question(campaign.pk, place, down=action == "down", by=by)
        else:
            raise Http404
    except Overtaken:
        messages.warning(request, OVERTAKEN)
    except InvalidInput as error:
        messages.error(request, f"{error.problem[:1].upper()}{error.problem[1:]}.")
    else:
        say_what_fits(request, campaign, changed)
    return redirect("campaign-lessons", campaign.pk)


@require_safe
@requires("annotation.change_campaign")
def delete(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Ask whether a question is to be deleted."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    services.check_draft(campaign)
    if (place := place_of(request.GET)) is None:
        raise Http404
    type_ = type_of(campaign)
    try:
        question = services.question_at(lessons_of(type_, campaign.lessons), place)
    except Overtaken:
        messages.warning(request, OVERTAKEN)
        return redirect("campaign-lessons", campaign.pk)
    is_practice = isinstance(question, PracticeQuestion)
    headline = type_.headline(type_.question(question.item)) if is_practice else question.text
    context = {"campaign": campaign, "place": place, "what": WORDS[place.part], "headline": headline}
    return render(request, "annotation/campaigns/lesson_delete.html", context | {"number": place.number + 1})


def place_of(sent: QueryDict, part: str = "") -> Place | None:
    """Return the question that a page showed; None for a new one."""
    part, number = part or sent.get("part", ""), whole_number(sent.get("number", ""))
    if part not in WORDS or number is None:
        return None
    return Place(part, number, sent.get("seen", ""))


def say_what_fits(request: HttpRequest, before: Campaign, after: Campaign) -> None:
    """Say which numbers of the settings have followed the questions."""
    if after.practice != before.practice:
        asked = counted(after.practice, "practice question")
        messages.info(request, f"People are now asked {asked} (before: {before.practice}).")
    if after.quiz_pass != before.quiz_pass:
        needed = counted(after.quiz_pass, "right answer is needed", "right answers are needed")
        now = needed if after.quiz_pass else "There is no quiz any more"
        messages.info(request, f"{now} (before, the pass mark was {before.quiz_pass}).")


@requires("annotation.change_campaign")
def quiz_question(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Write a quiz question, or change one."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    services.check_draft(campaign)
    if request.method != "POST":
        place, form = None, {}
        if number := request.GET.get("number", ""):
            place, question = question_shown(campaign, "quiz", number)
            form = form_of_quiz(question)
        return _quiz_form(request, campaign, place, form)
    place = place_of(request.POST, "quiz")
    form = {name: request.POST.get(name, "") for name in QUIZ_FORM}
    try:
        return saved(request, campaign, place, quiz_question_of(form))
    except Overtaken:
        return _quiz_form(request, campaign, None, form, InvalidInput(CHANGED_MEANWHILE))
    except InvalidInput as error:
        return _quiz_form(request, campaign, place, form, error)


def _quiz_form(
    request: HttpRequest,
    campaign: Campaign,
    place: Place | None,
    form: dict[str, str],
    refused: InvalidInput | None = None,
) -> HttpResponse:
    field = refused.field.partition("[")[0] if refused else ""
    context = {
        "campaign": campaign,
        "place": place,
        "form": form,
        "problem": refused.sentence if refused else "",
        "wrong": field if field in QUIZ_FORM else "",
    }
    return render(request, "annotation/campaigns/lesson_quiz.html", context, status=422 if refused else 200)


def question_shown(campaign: Campaign, part: Part, number: str) -> tuple[Place, Any]:
    """Return the question with this number, from 0, and its place; raises Http404 if there is none."""
    questions = getattr(lessons_of(type_of(campaign), campaign.lessons), part)
    place = whole_number(number)
    if place is None or place >= len(questions):
        raise Http404
    return Place(part, place, fingerprint(questions[place])), questions[place]


def saved(
    request: HttpRequest, campaign: Campaign, place: Place | None, question: PracticeQuestion | QuizQuestion
) -> HttpResponse:
    """Keep a question and lead back to the list; raises InvalidInput or Overtaken."""
    by = signed_in(request)
    if place is None:
        after = services.add_question(campaign.pk, question, by=by)
    else:
        after = services.change_question(campaign.pk, place, question, by=by)
    messages.success(request, f"The {WORDS[services.part_of(question)]} is saved.")
    say_what_fits(request, campaign, after)
    return redirect("campaign-lessons", campaign.pk)
