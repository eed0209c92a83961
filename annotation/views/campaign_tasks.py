"""Single tasks of a campaign, for the team: choosing which are hidden gold, and trying them as annotators see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Campaign, CampaignStatus, Task
from annotation.quality.trust import GoldMisses
from annotation.selectors.check_tasks import gold_misses
from annotation.services import gold as services
from annotation.task_types import type_of
from annotation.task_types.base import FieldRemark, Gold, InvalidAnswer, form_of, template_of
from annotation.views.previews import PreviewSteps
from annotation.views.work_pages.answering import form_context
from annotation.views.work_pages.learning import remarks_as_json
from kernel.errors import InvalidInput
from kernel.models import User
from kernel.values import counted
from kernel.views.access import requires, signed_in

PER_PAGE = 20


@dataclass(frozen=True)
class GoldTask:
    """A task on the page with its gold form: the known answers, or what was typed and refused."""

    task: Task
    headline: str
    form: Mapping[str, str]
    accepted: Sequence[str] = ()  # each known answer in a line
    problem: str = ""
    misses: GoldMisses | None = None

    @property
    def is_withdrawn(self) -> bool:
        return self.task.is_gold and not self.task.gold


@requires("annotation.view_campaign")
def gold_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return _page(request, get_object_or_404(Campaign, pk=campaign_id), request.GET.get("page", ""))


def _page(request: HttpRequest, campaign: Campaign, number: str, refused: GoldTask | None = None) -> HttpResponse:
    show = request.GET.get("show", "") if request.GET.get("show", "") in ("gold", "wrong") else ""
    tasks = Task.objects.filter(campaign=campaign).select_related("campaign").order_by("position")
    chosen = tasks.filter(is_gold=True).count()
    misses = gold_misses(campaign) if chosen else {}
    wrong = [pk for pk, counts in misses.items() if counts.looks_wrong]
    shown = {"": tasks, "gold": tasks.filter(is_gold=True), "wrong": tasks.filter(pk__in=wrong)}[show]
    page = Paginator(shown, PER_PAGE).get_page(number)
    type_ = type_of(campaign)
    context = {
        "campaign": campaign,
        "task_type": type_,
        "form_template": template_of(type_, "form"),
        "gold_template": template_of(type_, "gold"),
        "page": page,
        "choices": [
            refused if refused and refused.task == task else _choice(task, misses.get(task.pk)) for task in page
        ],
        "wrong": len(wrong),
        "chosen": chosen,
        "left": campaign.tasks_made - chosen,
        "show": show,
        "is_open": campaign.status in (CampaignStatus.DRAFT, CampaignStatus.PAUSED),
    }
    return render(request, "annotation/campaigns/gold.html", context, status=422 if refused else 200)


def _choice(task: Task, misses: GoldMisses | None = None) -> GoldTask:
    type_ = type_of(task.campaign)
    headline = type_.headline(task.question)
    if not task.gold:
        return GoldTask(task, headline, {})
    gold = Gold.from_json(task.gold)
    accepted = [type_.summary(task.question, answer) for answer in gold.accepted]
    return GoldTask(task, headline, type_.gold_form(task.question, gold), accepted, misses=misses)


@require_POST
@requires("annotation.change_campaign")
def set_gold(request: HttpRequest, task_id: int) -> HttpResponse:
    task = get_object_or_404(Task, pk=task_id)
    form, user = form_of(request.POST.lists()), signed_in(request)
    number = form.get("page", "")
    if form.get("action") == "unset":
        services.unset_gold(task.pk, by=user)
        messages.success(request, f"Task {task.position + 1} is an ordinary task again.")
    elif form.get("action") == "withdraw":
        done = services.withdraw_gold(task.pk, by=user)
        messages.success(request, f"Task {task.position + 1} is withdrawn as a check task. {_judged_again(done)}")
    else:
        try:
            message = _save_gold(task, form, user)
        except InvalidInput as error:
            return _page(request, task.campaign, number, replace(_choice(task), form=form, problem=error.problem))
        messages.success(request, message)
    query = f"?page={number}" if number.isdecimal() else ""
    return redirect(f"{reverse('campaign-gold', args=[task.campaign_id])}{query}#task-{task.pk}")


def _save_gold(task: Task, form: Mapping[str, str], user: User) -> str:
    """Store known answers; return what to say about it."""
    if form.get("action") != "correct":
        services.set_gold(task.pk, form, by=user)
        return f"Task {task.position + 1} is now a check task."
    done = services.correct_gold(task.pk, form, by=user)
    return f"The known answers of task {task.position + 1} are corrected. {_judged_again(done)}"


def _judged_again(done: services.Rejudged) -> str:
    return f"{counted(done.answers, 'answer was', 'answers were')} judged again, {done.changed:,} of them otherwise."


def _task(campaign_id: int, position: int) -> Task:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    return get_object_or_404(Task.objects.select_related("campaign"), campaign=campaign, position=position)


@requires("annotation.view_campaign")
def try_out(request: HttpRequest, campaign_id: int, position: int) -> HttpResponse:
    task = _task(campaign_id, position)
    form, remarks, outcome = form_of(request.POST.lists()), tuple[FieldRemark, ...](), {}
    if request.method == "POST":
        try:
            outcome = _outcome(task, form)
        except InvalidAnswer as refused:
            remarks = refused.remarks
    context = {
        "campaign": task.campaign,
        "preview": PreviewSteps(task.campaign, reverse("campaign-try", args=[campaign_id, 0])),
        "task": task,
        **form_context(task.campaign, task, form if remarks else None, remarks),
        "last": task.campaign.tasks_made - 1,
        **outcome,
    }
    return render(request, "annotation/campaigns/try.html", context, status=422 if remarks else 200)


def _outcome(task: Task, form: Mapping[str, str]) -> dict[str, object]:
    """Return what would have been stored."""
    type_ = type_of(task.campaign)
    answer = type_.parse(task.question, form)
    hit = type_.judge(answer, Gold.from_json(task.gold), task.question).is_hit if task.gold else None
    summary = type_.summary(task.question, answer)
    return {"answer": summary, "confirmed_checks": form.get("confirmed", "").split(), "hit": hit}


@require_POST
@requires("annotation.view_campaign")
def check(request: HttpRequest, campaign_id: int, position: int) -> HttpResponse:
    """What the checks say while somebody types."""
    task = _task(campaign_id, position)
    remarks = type_of(task.campaign).checks(task.question, form_of(request.POST.lists()))
    return JsonResponse({"saved": False, "findings": remarks_as_json(remarks)})
