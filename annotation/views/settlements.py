"""Giving a task an answer of its own, and taking it back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotation.models import Campaign, Task
from annotation.services import settling
from annotation.services.reviewing import Unsure
from annotation.task_types.base import form_of
from annotation.views.review_page import NOT_THE_ANSWER, queue_context, queue_url
from kernel.errors import TesaError
from kernel.views.access import requires, signed_in
from kernel.views.ticked import ids_in


@require_POST
@requires("annotation.add_review")
def settle(request: HttpRequest, campaign_id: int, task_id: int) -> HttpResponse:
    """Give the task an answer of its own, or take one's own back."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    task = get_object_or_404(Task, pk=task_id, campaign=campaign)
    data, by = request.POST, signed_in(request)
    form = {name: text for name, text in form_of(data.lists()).items() if name not in NOT_THE_ANSWER}
    try:
        if "undo" in data:
            settling.undo(task.pk, by=by)
            messages.success(request, "Your answer of the task was taken back.")
        else:
            confirmed = data.get("confirmed", "").split()
            made_of = ids_in(data, "made_of")
            settling.settle(task.pk, form, by=by, made_of=made_of, why=data.get("why", ""), confirmed=confirmed)
            messages.success(request, "The task has your answer.")
    except TesaError as error:
        context = queue_context(request, campaign, str(task.pk))
        if context["settlement"]:
            unsure = error.objections if isinstance(error, Unsure) else {}
            context["settlement"] |= {"form": form, "problem": error.message, "unsure": unsure}
        return render(request, "annotation/review/queue.html", context, status=422)
    return redirect(queue_url(campaign_id, task=task.pk))
