"""The review: campaigns with what waits in them, one task at a time, lists by state, and a dry run of the cleaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from annotation.models import Campaign, ReviewItem, ReviewState
from annotation.selectors import assessed
from annotation.selectors import cleaned as cleaned_selectors
from annotation.selectors import review as selectors
from annotation.selectors.review import AnswerInReview
from annotation.services import doubts, reviewing
from annotation.task_types import TASK_TYPES, cleaning_named
from annotation.task_types.base import template_of
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.views.access import requires, signed_in

SCORED_AT_ONCE = 5  # newly answered tasks that a page scores without storing it; a job scores the rest
PER_PAGE = 50
MOST_TO_COMPARE = 5000  # answers: more take longer than a page may


@requires("annotation.add_review")
def campaign_list(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/review/campaigns.html", {"rows": selectors.campaigns_to_review()})


@requires("annotation.add_review")
def queue(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """One task at a time: the passage, the answers side by side, one key for each verdict."""
    campaign, user = get_object_or_404(Campaign, pk=campaign_id), signed_in(request)
    scored, unscored = doubts.score_new(campaign, most=SCORED_AT_ONCE)
    new = [task.item for task in scored if task.item.state in selectors.OPEN_STATES and user.pk not in task.done_by]
    skipped = [int(number[:15]) for number in request.GET.getlist("skip") if number.isdecimal()][-20:]
    waiting, not_scored = selectors.waiting_for(campaign, user), selectors.not_scored(campaign)
    item = _item(request, campaign, skipped, new)
    agreed = waiting.filter(state=ReviewState.WAITING, is_unanimous=True).exclude(task_id__in=[i.task_id for i in new])
    assessment = assessed.assessment(campaign, is_due=bool(unscored))
    context: dict[str, Any] = {
        "campaign": campaign,
        "item": item,
        "waiting": waiting.count() + not_scored,
        "counts": selectors.counts(campaign, not_scored),
        "agreed": agreed.count() + sum(i.is_unanimous and i.state == ReviewState.WAITING for i in new),
        "unscored": unscored,
        "can_undo": selectors.last_standing(campaign, user) is not None,
        "assessment": assessment,
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]) if assessment.is_due else (),
        "reviewer_choices": (0, 1, 2),
    }
    if item:
        context |= _task_context(request, campaign, item, skipped)
    return render(request, "annotation/review/queue.html", context)


def _item(
    request: HttpRequest, campaign: Campaign, skipped: Sequence[int], new: Sequence[ReviewItem]
) -> ReviewItem | None:
    rows = ReviewItem.objects.select_related("task__member")
    asked = request.GET.get("task", "")
    if asked.isdecimal():
        task_id = int(asked[:15])
        if selectors.tasks_to_score(campaign).filter(pk=task_id).exists():
            return doubts.score(campaign, [task_id])[0].item
        return get_object_or_404(rows.filter(campaign=campaign), task_id=task_id)
    return selectors.next_for(campaign, signed_in(request), skipped, new)


def _task_context(request: HttpRequest, campaign: Campaign, item: ReviewItem, skipped: Sequence[int]) -> dict[str, Any]:
    found, user_id = selectors.answers_of_tasks(campaign, [item.task_id]), signed_in(request).pk
    type_ = TASK_TYPES[campaign.task_type]
    read = type_.read(item.task.member.value)
    answers = [one.as_seen_by(user_id) for one in selectors.with_hints(found[item.task_id], read, type_)]
    current = _current(request, answers)
    return {
        "task": item.task,
        "answers": answers,
        "current": current,
        "nothing_fits": type_.nothing_fits,
        "answer_template": template_of(type_, "review_answer"),
        "correction_template": template_of(type_, "review_correction"),
        **_correction(request, current),
        "reports": selectors.open_reports([item.task_id])[item.task_id],
        "skip_query": urlencode({"skip": [*skipped, item.task_id]}, doseq=True),
    }


def _current(request: HttpRequest, answers: Sequence[AnswerInReview]) -> AnswerInReview | None:
    """Return the answer the keys are for: the one asked for, else the first that needs this person."""
    asked = request.GET.get("answer", "")
    chosen = [one for one in answers if str(one.annotation.pk) == asked]
    user_id = signed_in(request).pk
    return next(iter([*chosen, *(one for one in answers if one.needs(user_id)), *answers]), None)


def _correction(request: HttpRequest, current: AnswerInReview | None) -> dict[str, Any]:
    """Return the form of a correction; one that was just refused comes back with the objections to it."""
    if current is None or "confirm" not in request.GET:
        return {"form": current.correction_form if current else {}}
    form = request.GET.dict()
    try:
        _, findings = current.type.correction(current.assignment.task.question, form)
    except InvalidInput:
        return {"form": current.correction_form}
    objections = reviewing.as_objections(findings)
    return {"form": form, "unsure": objections, "confirmed": " ".join(objections)}


@requires("annotation.add_review")
def task_list(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Every task of the review by state, the most doubtful first."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    asked = request.GET.get("state", "")
    state = asked if asked in ReviewState.values else ""
    rows = Paginator(selectors.items(campaign, state=state).select_related("task"), PER_PAGE)
    not_scored, page = selectors.not_scored(campaign), rows.get_page(request.GET.get("page"))
    headline = TASK_TYPES[campaign.task_type].headline
    context = {
        "campaign": campaign,
        "page": page,
        "rows": [(item, headline(item.task.question)) for item in page],
        "counts": selectors.counts(campaign, not_scored),
        "not_scored": not_scored,
        "state": state,
        "query": urlencode({"state": state}) if state else "",
    }
    return render(request, "annotation/review/tasks.html", context)


@requires("annotation.add_review")
def cleaning(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """What other cleaning rules would alter; nothing is stored."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    type_ = TASK_TYPES[campaign.task_type]
    before = cleaning_named(type_, request.GET.get("from", next(iter(type_.cleanings))))
    after = cleaning_named(type_, request.GET.get("to", type_.cleaning.name))
    answers = cleaned_selectors.submitted(campaign).count()
    context: dict[str, Any] = {"campaign": campaign, "before": before, "after": after, "answers": answers}
    context["cleanings"] = type_.cleanings
    if answers <= MOST_TO_COMPARE:
        found = cleaned_selectors.dry_run(campaign, before, after)
        page = Paginator(found.shown, PER_PAGE).get_page(request.GET.get("page"))
        context |= {"found": found, "page": page, "query": urlencode({"from": before.name, "to": after.name})}
    return render(request, "annotation/review/cleaning.html", context)
