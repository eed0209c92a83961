"""Choosing which tasks are hidden gold, and what is accepted there."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Campaign, CampaignStatus, Task
from annotation.services import gold as services
from tesa_site.access import requires, signed_in

PER_PAGE = 20


@requires("annotation.view_campaign")
def gold_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    is_gold = request.GET.get("show", "") == "gold"
    tasks = Task.objects.filter(campaign=campaign).order_by("position")
    chosen = tasks.filter(is_gold=True).count()
    page = Paginator(tasks.filter(is_gold=True) if is_gold else tasks, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "page": page,
        "chosen": chosen,
        "show": "gold" if is_gold else "",
        "is_open": campaign.status in (CampaignStatus.DRAFT, CampaignStatus.PAUSED),
    }
    return render(request, "annotation/campaigns/gold.html", context)


@require_POST
@requires("annotation.change_campaign")
def set_gold(request: HttpRequest, task_id: int) -> HttpResponse:
    task = get_object_or_404(Task, pk=task_id)
    given, user = request.POST, signed_in(request)
    if given.get("action") == "unset":
        services.unset_gold(task.pk, by=user)
        messages.success(request, f"Task {task.position} is an ordinary task.")
    else:
        phrases = given.get("phrases", "").splitlines()
        services.set_gold(task.pk, phrases=phrases, impossible=bool(given.get("impossible")), by=user)
        messages.success(request, f"Task {task.position} is gold.")
    number = given.get("page", "")
    query = f"?page={number}" if number.isdecimal() else ""
    return redirect(f"{reverse('campaign-gold', args=[task.campaign_id])}{query}#task-{task.pk}")
