"""What a reviewer does: each a POST that ends on the next page to look at."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Annotation, Campaign, Review
from annotation.selectors import review as selectors
from annotation.selectors.assessed import job_at_work
from annotation.services import assessing, reviewing
from annotation.services.reviewing import Opinion, Unsure
from annotation.task_types import TASK_TYPES
from tesa_site.kernel import jobs
from tesa_site.kernel.errors import InvalidInput, TesaError, WrongState
from tesa_site.kernel.values import counted
from tesa_site.kernel.views.access import requires, signed_in

DONE = {
    "accept": "accepted",
    "correct": "corrected",
    "exclude": "excluded",
    "flag": "flagged for somebody else",
    "comment": "remark kept",
}


NOT_THE_ANSWER = {"csrfmiddlewaretoken", "verdict", "why", "seen", "confirmed"}


def _queue_url(campaign_id: int, **query: object) -> str:
    url = reverse("admin:review-queue", args=[campaign_id])
    return f"{url}?{urlencode(query)}" if query else url


@require_POST
@requires("annotation.add_review")
def decide(request: HttpRequest, campaign_id: int, annotation_id: int) -> HttpResponse:
    """Store a verdict; then the next answer of the task, or the next task."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    rows = Annotation.objects.select_related("assignment")
    annotation = get_object_or_404(rows, pk=annotation_id, assignment__campaign=campaign)
    task_id, given = annotation.assignment.task_id, request.POST
    form = {name: text for name, text in given.dict().items() if name not in NOT_THE_ANSWER}
    confirmed = tuple(given.get("confirmed", "").split())
    opinion = Opinion(given.get("verdict", ""), form, given.get("why", ""), given.get("seen", ""), confirmed)
    try:
        review = reviewing.decide(annotation.pk, opinion, by=signed_in(request))
    except Unsure:  # the page asks, with the correction in place
        return redirect(_queue_url(campaign_id, **form, task=task_id, answer=annotation.pk, confirm=1))
    except TesaError as error:
        messages.error(request, error.message)
        return redirect(_queue_url(campaign_id, task=task_id, answer=annotation.pk))
    messages.success(request, f"Answer {_number(campaign, annotation)}: {_done(campaign, review)}.")
    if review.verdict == "comment":
        return redirect(_queue_url(campaign_id, task=task_id, answer=annotation.pk))
    answers = selectors.answers_of_tasks(campaign, [task_id])[task_id]
    left = [one for one in answers if one.needs(signed_in(request).pk)]
    return redirect(_queue_url(campaign_id, task=task_id) if left else _queue_url(campaign_id))


def _done(campaign: Campaign, review: Review) -> str:
    nothing = TASK_TYPES[campaign.task_type].nothing_fits
    is_nothing = review.verdict == "correct" and nothing and review.after == nothing.answer
    return nothing.label.lower() if nothing and is_nothing else DONE[review.verdict]


def _number(campaign: Campaign, annotation: Annotation) -> int:
    task_id = annotation.assignment.task_id
    answers = selectors.answers_of_tasks(campaign, [task_id])[task_id]
    return next(one.number for one in answers if one.annotation.pk == annotation.pk)


@require_POST
@requires("annotation.add_review")
def undo(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Take back one's last word, and look at that answer again."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    try:
        rows = reviewing.undo_last(campaign, by=signed_in(request))
    except TesaError as error:
        messages.error(request, error.message)
        return redirect(_queue_url(campaign_id))
    if len(rows) > 1:
        messages.success(request, f"The bulk accept of {counted(len(rows), 'answer')} is undone.")
        return redirect(_queue_url(campaign_id))
    annotation = Annotation.objects.select_related("assignment").get(pk=rows[0].annotation_id)
    messages.success(request, f"Undone: {_done(campaign, rows[0])}.")
    return redirect(_queue_url(campaign_id, task=annotation.assignment.task_id, answer=annotation.pk))


@require_POST
@requires("annotation.add_review")
def accept_agreed(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    done = reviewing.accept_agreed(campaign, by=signed_in(request))
    tasks = counted(done.tasks, "task")
    answers = counted(done.answers, "answer")
    told = f"{answers} of {tasks} {'is' if done.answers == 1 else 'are'} accepted: all agree there."
    messages.success(request, told if done.tasks else "There is no task in which all agree.")
    return redirect(_queue_url(campaign_id))


@require_POST
@requires("annotation.add_review")
def set_reviewers(request: HttpRequest, campaign_id: int) -> HttpResponse:
    get_object_or_404(Campaign, pk=campaign_id)
    number = request.POST.get("reviewers", "")
    if not (number.isascii() and number.isdecimal()):
        raise InvalidInput("must be 0, 1 or 2", field="reviewers")
    campaign = reviewing.set_reviewers(campaign_id, int(number[:3]), by=signed_in(request))
    messages.success(request, f"Each answer needs {counted(campaign.reviewers, 'reviewer')}.")
    return redirect(_queue_url(campaign_id))


@require_POST
@requires("annotation.add_review")
def assess(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Start the job that measures agreement and scores every task; where it is at work already, show that one."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    try:
        job = assessing.start(campaign, by=signed_in(request))
    except WrongState as error:
        at_work = job_at_work(campaign)
        if at_work is None:  # it has ended between the two
            messages.error(request, error.message)
            return redirect(_queue_url(campaign_id))
        messages.info(request, "The answers are being assessed already.")
        return redirect("job", at_work.pk)
    jobs.nudge(job)
    return redirect("job", job.pk)
