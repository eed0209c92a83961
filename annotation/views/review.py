"""The review: campaigns with what waits in them, one task at a time, lists by state, and a dry run of the cleaning.

Each thing that a reviewer does is a POST that ends on the next page to look at.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Annotation, Campaign, Participation, Review, ReviewItem, ReviewState, Task, Verdict
from annotation.quality.verdicts import DECISIONS
from annotation.selectors import assessed, review_queue
from annotation.selectors import cleaned as cleaned_selectors
from annotation.selectors import review as selectors
from annotation.services import assessing, reviewing
from annotation.services.reviewing import Opinion, Unsure
from annotation.task_types import cleaning_named, type_of
from annotation.task_types.base import form_of
from annotation.views.review_page import (
    NOT_THE_ANSWER,
    answers_context,
    queue_context,
    queue_url,
    segments_of,
    unsure,
)
from kernel.errors import InvalidInput, TesaError, WrongState
from kernel.values import counted
from kernel.views.access import requires, signed_in
from kernel.views.jobs import follow
from kernel.views.ticked import ids_in

PER_PAGE = 50
MOST_TO_COMPARE = 5000  # answers: more take longer than a page may
DONE = {
    "accept": "accepted",
    "correct": "corrected",
    "exclude": "excluded",
    "flag": "flagged for a second opinion",
    "comment": "note saved",
}
STATES = {"": "All tasks", "waiting": "To review", "contested": "Contested", "flagged": "Flagged", "settled": "Decided"}
CHANGES = {
    "lost": "kept before, discarded after",
    "regained": "discarded before, kept after",
    "renamed": "kept, but counted as another {unit}",
    "noted": "the same {unit}, other remarks",
}
LEFT = {
    "accept": "accepted already, not counted, or with an objection of a cleaning rule, to be decided one by one",
    "exclude": "excluded already, or not counted",
}


@requires("annotation.add_review")
def campaign_list(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/review/campaigns.html", {"rows": review_queue.campaigns_to_review()})


@requires("annotation.add_review")
def queue(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """One task at a time: the passage and every answer, each with its decision."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    if why_not := _not_reviewed(request, campaign):
        messages.info(request, why_not)
        return redirect("admin:review-queue", campaign.pk)
    context = queue_context(request, campaign, request.GET.get("task", ""))
    return render(request, "annotation/review/queue.html", context)


def _not_reviewed(request: HttpRequest, campaign: Campaign) -> str:
    """Return why the task that was asked for is not in the review; empty if it may be."""
    asked = request.GET.get("task", "")
    task = Task.objects.filter(campaign=campaign, pk=int(asked[:15])).first() if asked.isdecimal() else None
    if not task or ReviewItem.objects.filter(task=task).exists():
        return ""
    if task.is_gold:
        return f"Task {task.position + 1} is a check task: its answers are not reviewed."
    if review_queue.answered_tasks(campaign).filter(pk=task.pk).exists():
        return ""
    return f"Task {task.position + 1} still waits for answers: it can be reviewed when it has them all."


@requires("annotation.add_review")
def task_list(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Every task of the review by state, the most doubtful first."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    asked = request.GET.get("state", "")
    state = asked if asked in ReviewState.values else ""
    rows = Paginator(review_queue.items(campaign, state=state).select_related("task"), PER_PAGE)
    not_scored, page = review_queue.not_scored(campaign), rows.get_page(request.GET.get("page"))
    headline, counts = type_of(campaign).headline, review_queue.counts(campaign, not_scored)
    counts[""] = sum(counts.values())
    context = {
        "campaign": campaign,
        "page": page,
        "rows": [(item, headline(item.task.question), STATES[item.state]) for item in page],
        "segments": [(name, label, counts[name]) for name, label in STATES.items()],
        "not_scored": not_scored,
        "waiting_for_you": review_queue.waiting_for(campaign, signed_in(request)).count() + not_scored,
        "state": state,
    }
    return render(request, "annotation/review/tasks.html", context)


@requires("annotation.add_review")
def cleaning(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """What other cleaning rules would alter; nothing is stored."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    type_ = type_of(campaign)
    before = cleaning_named(type_, request.GET.get("from", next(iter(type_.cleanings))))
    after = cleaning_named(type_, request.GET.get("to", type_.cleaning.name))
    answers = cleaned_selectors.submitted(campaign).count()
    context: dict[str, Any] = {"campaign": campaign, "before": before, "after": after, "answers": answers}
    words = context["words"] = type_.answer_words
    context["cleanings"] = type_.cleanings
    if answers <= MOST_TO_COMPARE:
        run = cleaned_selectors.dry_run(campaign, before, after)
        page = Paginator(run.shown, PER_PAGE).get_page(request.GET.get("page"))
        kinds = [(kind, number, CHANGES[kind].format(unit=words.unit)) for kind, number in run.counts.items()]
        context |= {"run": run, "page": page, "kinds": kinds}
    return render(request, "annotation/review/cleaning.html", context)


@require_POST
@requires("annotation.add_review")
def decide(request: HttpRequest, campaign_id: int, annotation_id: int) -> HttpResponse:
    """Store a verdict. A script gets the answer as it is now; a plain form goes on to what is left."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    rows = Annotation.objects.select_related("assignment__task__member")
    annotation = get_object_or_404(rows, pk=annotation_id, assignment__campaign=campaign)
    task, data = annotation.assignment.task, request.POST
    form = {name: text for name, text in form_of(data.lists()).items() if name not in NOT_THE_ANSWER}
    confirmed = tuple(data.get("confirmed", "").split())
    opinion = Opinion(data.get("verdict", ""), form, data.get("why", ""), data.get("seen", ""), confirmed)
    try:
        review = reviewing.decide(annotation.pk, opinion, by=signed_in(request))
    except Unsure as error:  # the page asks, with the correction in place
        if request.htmx:  # type: ignore[attr-defined]
            return _fragment(request, campaign, annotation, opened=unsure(annotation, form, error.objections))
        return redirect(queue_url(campaign_id, **form, task=task.pk, answer=annotation.pk, confirm=1))
    except TesaError as error:
        if request.htmx:  # type: ignore[attr-defined]
            return _fragment(request, campaign, annotation, problem=error.message)
        messages.error(request, error.message)
        return redirect(queue_url(campaign_id, task=task.pk, answer=annotation.pk))
    if request.htmx:  # type: ignore[attr-defined]
        return _fragment(request, campaign, annotation, done=_done(campaign, review))
    shown = answers_context(request, campaign, task)
    number = next(answer.number for answer in shown["answers"] if answer.annotation.pk == annotation.pk)
    messages.success(request, f"Answer {number}: {_done(campaign, review)}.")
    if review.verdict == Verdict.COMMENT:
        return redirect(queue_url(campaign_id, task=task.pk, answer=annotation.pk))
    return redirect(queue_url(campaign_id, task=task.pk) if shown["open"] else queue_url(campaign_id))


def _fragment(request: HttpRequest, campaign: Campaign, annotation: Annotation, **more: Any) -> HttpResponse:
    """Return one answer as it is now, with how far the task is; a refusal has the status 422."""
    shown = answers_context(request, campaign, annotation.assignment.task)
    answer = next((answer for answer in shown["answers"] if answer.annotation.pk == annotation.pk), None)
    context = {"campaign": campaign, "can_undo": True, **shown, **more, "answer": answer, "current": None}
    if "done" in more:
        not_scored = review_queue.not_scored(campaign)
        waiting = review_queue.waiting_for(campaign, signed_in(request)).count() + not_scored
        counts = {**review_queue.counts(campaign, not_scored), "": waiting}
        context |= {"segments": segments_of(counts), "waiting_for_you": waiting}
    return render(request, "annotation/review/_saved.html", context, status=200 if "done" in more else 422)


def _done(campaign: Campaign, review: Review) -> str:
    nothing = type_of(campaign).nothing_fits
    if nothing and review.verdict == Verdict.CORRECT and review.after == nothing.answer:
        return nothing.label.lower()
    earlier = selectors.replaced_by(review) if review.verdict == Verdict.FLAG else ""
    return f"{DONE[review.verdict]}{f', and no longer {DONE[earlier]}' if earlier in DECISIONS else ''}"


@require_POST
@requires("annotation.add_review")
def undo(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Take back one's last word, and look at that answer again."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    try:
        rows = reviewing.undo_last(campaign, by=signed_in(request))
    except TesaError as error:
        messages.error(request, error.message)
        return redirect(queue_url(campaign_id))
    annotation = Annotation.objects.select_related("assignment").get(pk=rows[0].annotation_id)
    where = {"task": annotation.assignment.task_id, "answer": annotation.pk}
    if len(rows) > 1:
        messages.success(request, f"Undone: {counted(len(rows), 'answer')} {DONE[rows[0].verdict]} at once.")
        return redirect(queue_url(campaign_id, task=where["task"]))
    still = annotation.verdict == rows[0].verdict  # a reason that came later is undone by itself
    messages.success(request, f"Undone: {'the reason' if still and rows[0].why else _done(campaign, rows[0])}.")
    return redirect(queue_url(campaign_id, **where))


@require_POST
@requires("annotation.add_review")
def accept(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Accept the answers of one task, or of every task where all agree."""
    campaign, task = get_object_or_404(Campaign, pk=campaign_id), request.POST.get("task", "")
    if task.isdecimal():
        row = get_object_or_404(Task, pk=int(task[:15]), campaign=campaign)
        number = reviewing.accept_task(campaign, row.pk, by=signed_in(request))
        left = answers_context(request, campaign, row)["open"]
        messages.success(request, f"{counted(number, 'answer')} accepted.{' Look at what is left.' if left else ''}")
        return redirect(queue_url(campaign_id, task=row.pk) if left else queue_url(campaign_id))
    done = reviewing.accept_agreed(campaign, by=signed_in(request))
    message = f"{counted(done.answers, 'answer')} of {counted(done.tasks, 'unanimous task')} accepted."
    messages.success(request, message if done.tasks else "There is no unanimous task to accept.")
    return redirect(queue_url(campaign_id))


@require_POST
@requires("annotation.add_review")
def decide_many(request: HttpRequest, campaign_id: int, person_id: int) -> HttpResponse:
    """Accept or exclude the ticked answers of one participant, and show their page again."""
    person = get_object_or_404(Participation.objects.select_related("campaign"), pk=person_id, campaign=campaign_id)
    ids = ids_in(request.POST, "answer")
    verdict, why = request.POST.get("verdict", ""), request.POST.get("why", "")
    done = reviewing.decide_many(person.campaign, ids[:PER_PAGE], verdict, by=signed_in(request), why=why)
    if done:
        messages.success(request, f"{counted(done, 'answer')} {DONE[verdict]}. Undo takes this back on the Review tab.")
    if done < len(ids):
        messages.info(request, f"{counted(len(ids) - done, 'answer')} left as before ({LEFT[verdict]}).")
    if not ids:
        messages.error(request, "Tick the answers first.")
    query = request.GET.urlencode()
    return redirect(f"{reverse('campaign-person', args=[person.pk])}{f'?{query}' if query else ''}")


@require_POST
@requires("annotation.add_review")
def set_reviewers(request: HttpRequest, campaign_id: int) -> HttpResponse:
    get_object_or_404(Campaign, pk=campaign_id)
    number = request.POST.get("reviewers", "")
    if not (number.isascii() and number.isdecimal()):
        raise InvalidInput("must be 0, 1 or 2", field="reviewers")
    campaign = reviewing.set_reviewers(campaign_id, int(number[:3]), by=signed_in(request))
    messages.success(request, f"Each answer now needs {counted(campaign.reviewers, 'reviewer')}.")
    return redirect(queue_url(campaign_id))


@require_POST
@requires("annotation.add_review")
def assess(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Start the job that measures agreement and scores every task; where it is at work already, show that one."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    try:
        job = assessing.start(campaign, by=signed_in(request))
    except WrongState as error:
        at_work = assessed.job_at_work(campaign)
        if at_work is None:  # it has ended between the two
            messages.error(request, error.message)
            return redirect(queue_url(campaign_id))
        messages.info(request, "The answers are being measured already.")
        return follow(request, at_work)
    return follow(request, job)
