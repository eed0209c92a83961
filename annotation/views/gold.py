"""Choosing which tasks are hidden gold, and what is accepted there."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Campaign, CampaignStatus, Task
from annotation.services import gold as services
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.views.access import requires, signed_in

PER_PAGE = 20


@dataclass(frozen=True)
class Choice:
    """A task on the page, and what its form holds: what is accepted, or what was typed and refused."""

    task: Task
    phrases: str
    impossible: bool
    problem: str = ""


@requires("annotation.view_campaign")
def gold_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return _page(request, get_object_or_404(Campaign, pk=campaign_id), request.GET.get("page", ""))


def _page(request: HttpRequest, campaign: Campaign, number: str, refused: Choice | None = None) -> HttpResponse:
    is_gold = request.GET.get("show", "") == "gold"
    tasks = Task.objects.filter(campaign=campaign).order_by("position")
    chosen = tasks.filter(is_gold=True).count()
    page = Paginator(tasks.filter(is_gold=True) if is_gold else tasks, PER_PAGE).get_page(number)
    context = {
        "campaign": campaign,
        "page": page,
        "choices": [refused if refused and refused.task == task else _choice(task) for task in page],
        "chosen": chosen,
        "left": campaign.tasks_made - chosen,
        "show": "gold" if is_gold else "",
        "is_open": campaign.status in (CampaignStatus.DRAFT, CampaignStatus.PAUSED),
    }
    return render(request, "annotation/campaigns/gold.html", context, status=422 if refused else 200)


def _choice(task: Task) -> Choice:
    gold = task.gold or {}
    return Choice(task, "\n".join(gold.get("phrases", ())), bool(gold.get("impossible")))


@require_POST
@requires("annotation.change_campaign")
def set_gold(request: HttpRequest, task_id: int) -> HttpResponse:
    task = get_object_or_404(Task, pk=task_id)
    given, user = request.POST, signed_in(request)
    number, phrases, impossible = given.get("page", ""), given.get("phrases", ""), bool(given.get("impossible"))
    if given.get("action") == "unset":
        services.unset_gold(task.pk, by=user)
        messages.success(request, f"Task {task.position + 1} is an ordinary task: it is answered as data.")
    else:
        try:
            services.set_gold(task.pk, phrases=phrases.splitlines(), impossible=impossible, by=user)
        except InvalidInput as error:
            refused = Choice(task, phrases, impossible, error.problem)
            return _page(request, task.campaign, number, refused)
        messages.success(request, f"Task {task.position + 1} is gold: it is no longer one of those answered as data.")
    query = f"?page={number}" if number.isdecimal() else ""
    return redirect(f"{reverse('campaign-gold', args=[task.campaign_id])}{query}#task-{task.pk}")
