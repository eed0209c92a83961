"""What people go through before their first task, as they see it, for the team. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.markup import to_html
from annotation.models import Campaign
from annotation.providers import PROVIDERS
from annotation.qualifications import unchecked
from annotation.stages import Stage
from annotation.task_types import type_of
from annotation.task_types.base import PracticeQuestion, TaskType
from annotation.task_types.lessons import lessons_of
from annotation.views.work_pages import gold_quiz, learning
from annotation.views.work_pages.frame import by_field, instructions_parts
from kernel.views.access import requires


@dataclass(frozen=True)
class PreviewStep:
    label: str
    address: str
    is_current: bool


@dataclass(frozen=True)
class PreviewSteps:
    """Where the pages of a preview lead: each to the next one."""

    campaign: Campaign
    current: str  # its address

    def __iter__(self) -> Iterator[PreviewStep]:
        for label, address in self._steps:
            yield PreviewStep(label, address, address == self.current)

    @cached_property
    def _steps(self) -> list[tuple[str, str]]:
        campaign = self.campaign
        asked = min(campaign.practice, len(lessons_of(type_of(campaign), campaign.lessons).practice))
        steps = [("Consent", self.consent), ("Instructions", self.instructions)]
        steps += [(f"Practice {number + 1}", self.practice(number)) for number in range(asked)]
        steps += [("Quiz", self.quiz)] * bool(campaign.quiz_pass)
        first = reverse("campaign-try", args=[campaign.pk, 0])
        return steps + [("First task", first)] * bool(campaign.tasks_made)

    @property
    def home(self) -> str:
        """The next page, or the campaign's after the last."""
        addresses = [address for _, address in self._steps]
        later = addresses[addresses.index(self.current) + 1 :] if self.current in addresses else []
        return later[0] if later else reverse("campaign", args=[self.campaign.pk])

    @property
    def again(self) -> str:
        return self.current

    @property
    def consent(self) -> str:
        return reverse("campaign-preview", args=[self.campaign.pk])

    @property
    def instructions(self) -> str:
        return reverse("preview-instructions", args=[self.campaign.pk])

    @property
    def quiz(self) -> str:
        return reverse("preview-quiz", args=[self.campaign.pk])

    @property
    def leave(self) -> str:
        return reverse("preview-leave", args=[self.campaign.pk])

    def practice(self, number: int) -> str:
        return reverse("preview-practice", args=[self.campaign.pk, number])

    def checks(self, number: int) -> str:
        return reverse("preview-checks", args=[self.campaign.pk, number])


def _campaign(campaign_id: int) -> Campaign:
    return get_object_or_404(Campaign.objects.select_related("instructions"), pk=campaign_id)


def _page(request: HttpRequest, campaign: Campaign, name: str, status: int = 200, **context: Any) -> HttpResponse:
    at = PreviewSteps(campaign, request.path)
    context |= {"campaign": campaign, "provider": PROVIDERS[campaign.provider], "at": at, "preview": at}
    return render(request, f"annotation/work/{name}.html", context, status=status)


@requires("annotation.view_campaign")
def consent(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = _campaign(campaign_id)
    if request.method == "POST":
        return redirect(PreviewSteps(campaign, request.path).home)
    asked = unchecked(campaign.qualifications)
    return _page(request, campaign, "consent", consent=to_html(campaign.consent), requirements=asked)


@require_POST
@requires("annotation.view_campaign")
def leave(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Lead back from a button by which people leave."""
    messages.info(request, "A participant who does not agree leaves here, and nothing about them is kept.")
    return redirect("campaign", _campaign(campaign_id).pk)


@requires("annotation.view_campaign")
def instructions(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = _campaign(campaign_id)
    if request.method == "POST":
        return redirect(PreviewSteps(campaign, request.path).home)
    return _page(request, campaign, "instructions", parts=instructions_parts(campaign))


def _lesson(campaign: Campaign, number: int) -> tuple[TaskType, PracticeQuestion]:
    type_ = type_of(campaign)
    questions = lessons_of(type_, campaign.lessons).practice
    if number >= len(questions):
        raise Http404
    return type_, questions[number]


@requires("annotation.view_campaign")
def practice(request: HttpRequest, campaign_id: int, number: int) -> HttpResponse:
    """A practice question, and the feedback to whatever is answered."""
    campaign = _campaign(campaign_id)
    lesson, at = _lesson(campaign, number), PreviewSteps(campaign, request.path)
    if request.method != "POST":
        return _page(request, campaign, "practice", **learning.question_context(*lesson, number, at))
    form, remarks = learning.sent_form(request, *lesson)
    if remarks:
        context = learning.question_context(*lesson, number, at, form)
        return _page(request, campaign, "practice", 422, findings=by_field(remarks), **context)
    context = learning.feedback_context(campaign, *lesson, number, form, is_next=True)
    return _page(request, campaign, "feedback", answer_at=at.practice(number), **context)


@require_POST
@requires("annotation.view_campaign")
def checks(request: HttpRequest, campaign_id: int, number: int) -> HttpResponse:
    """What the checks say while somebody types."""
    return learning.checks_of(request, *_lesson(_campaign(campaign_id), number))


@requires("annotation.view_campaign")
def quiz(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The quiz, and how it went; each try is the first."""
    campaign = _campaign(campaign_id)
    if not campaign.quiz_pass:
        raise Http404
    if campaign.quiz_gold:
        here = PreviewSteps(campaign, request.path)
        return (
            redirect(here.home)
            if request.method == "POST"
            else _page(request, campaign, "quiz", **gold_quiz.preview_of(campaign))
        )
    form = request.POST.dict()
    context = learning.quiz_of(campaign, form=form)
    if request.method != "POST":
        return _page(request, campaign, "quiz", **context)
    if any(question["chosen"] is None for question in context["questions"]):
        return _page(request, campaign, "quiz", 422, notice=learning.NOTHING_CHOSEN, **context)
    score = sum(question["is_right"] for question in context["questions"])
    stage = Stage.WORK if score >= campaign.quiz_pass else Stage.QUIZ
    return _page(request, campaign, "quiz_result", score=score, stage=stage.value, is_explained=True, **context)
