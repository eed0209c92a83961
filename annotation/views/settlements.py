"""Giving a task an answer of its own, and taking it back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotation.models import Campaign, Task
from annotation.selectors.settlements import seen_of
from annotation.services import settling
from annotation.services.reviewing import Unsure
from annotation.services.settling import TaskAnswer
from annotation.task_types.base import form_of
from annotation.views.review_page import NOT_THE_ANSWER, queue_context, queue_url
from kernel.errors import InvalidInput, TesaError
from kernel.values import whole_number
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
    sent = TaskAnswer(
        form,
        ids_in(data, "made_of"),
        data.get("why", ""),
        data.get("confirmed", "").split(),
        data.get("seen", ""),
        ids_in(data, "compared"),
    )
    try:
        if "undo" in data:
            settling.undo(task.pk, by=by, settlement=whole_number(data["undo"]))
            messages.success(request, "Your answer of the task was taken back.")
        else:
            settling.settle(task.pk, sent, by=by)
            messages.success(request, "Your answer of the task is saved.")
    except TesaError as error:
        return _refused(request, campaign, task, sent, error)
    return redirect(queue_url(campaign_id, task=task.pk))


def _refused(request: HttpRequest, campaign: Campaign, task: Task, sent: TaskAnswer, error: TesaError) -> HttpResponse:
    """Show the page again with what was sent; what it was made of is shown as it is now."""
    context = queue_context(request, campaign, str(task.pk))
    if shown := context["settlement"]:
        sources = [answer for pk, answer in shown["choices"].items() if pk in sent.made_of]
        shown |= {"form": sent.form, "why": sent.why, "made_of": [source.pk for source in sources]}
        if not shown["compared"]:
            shown |= {"seen": seen_of(sources)}
        if isinstance(error, Unsure):
            shown |= {"unsure": error.objections}
        else:
            shown |= {"problem": error.sentence if isinstance(error, InvalidInput) else error.message}
    return render(request, "annotation/review/queue.html", context, status=422)
