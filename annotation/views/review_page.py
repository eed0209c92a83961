"""What the page of the review shows: one task, its answers as this person may see them, and the task's own answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from django.db.models import Sum
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from annotation.models import Annotation, Campaign, ReviewItem, Task, Verdict
from annotation.quality.verdicts import CONTESTED, OPEN
from annotation.selectors import assessed, market, piece_votes, review_queue, settlements
from annotation.selectors import review as selectors
from annotation.selectors.review import AnswerInReview
from annotation.selectors.settlements import SettledTask
from annotation.services import doubts
from annotation.services.market import marketplaces
from annotation.task_types import type_of
from annotation.task_types.base import ComparedAnswer, as_objections, form_of, template_of
from corpus.selectors.articles import article_of
from kernel import selectors as kernel_selectors
from kernel.errors import InvalidInput
from kernel.views.access import signed_in
from kernel.views.ticked import ids_in

SCORED_AT_ONCE = 5  # newly answered tasks that a page scores without storing it; a job scores the rest
SEGMENTS = {"": "To review", "contested": "Contested", "flagged": "Flagged", "settled": "Decided"}
# The page's own fields. Those of an answer have other names: `answer_field` of task types.
NOT_THE_ANSWER = {"csrfmiddlewaretoken", "verdict", "why", "seen", "confirmed", "made_of", "compared", "undo"}


def queue_url(campaign_id: int, **query: object) -> str:
    url = reverse("admin:review-queue", args=[campaign_id])
    return f"{url}?{urlencode(query)}" if query else url


def queue_context(request: HttpRequest, campaign: Campaign, asked: str) -> dict[str, Any]:
    """Return what the page shows: the task that was asked for, or the next one."""
    user = signed_in(request)
    scored, unscored = doubts.score_new(campaign, most=SCORED_AT_ONCE)
    new = [(row.item, row.item.state in review_queue.OPEN_STATES and user.pk not in row.done_by) for row in scored]
    not_scored = review_queue.not_scored(campaign) if scored else 0
    state = request.GET.get("state", "")
    state = state if state in SEGMENTS else ""
    waiting = review_queue.segment(campaign, user, "", new, not_scored)
    shown = review_queue.segment(campaign, user, state, new, 0) if state else waiting
    item = _item(asked, campaign, shown, [item for item, _ in new])
    counts = {**review_queue.counts(campaign, not_scored), "": waiting.total}
    assessment = assessed.assessment(campaign, is_due=bool(unscored))
    context: dict[str, Any] = {
        "campaign": campaign,
        "item": item,
        "state": state,
        "segments": segments_of(counts),
        "counts": counts,
        "total": shown.total,
        "waiting_for_you": waiting.total,
        "unanimous": waiting.unanimous,
        "unscored": unscored,
        "can_undo": selectors.last_standing(campaign, user) is not None,
        "assessment": assessment,
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]) if assessment.is_due else (),
        "reviewer_choices": (0, 1, 2),
        "unpaid": market.waiting_for_pay(campaign) if marketplaces.is_marketplace(campaign) else 0,
        "pays_after_review": marketplaces.pays_after_review(campaign),
    }
    if not item:
        context["answers_given"] = campaign.tasks.filter(is_gold=False).aggregate(n=Sum("answers"))["n"] or 0
    if item:
        context["number"], context["previous"], context["next"] = shown.place(item.task_id)
        context["reports"] = selectors.open_reports([item.task_id])[item.task_id]
        context["article"] = article_of(item.task.member.value) if user.has_perm("corpus.view_article") else None
        context |= answers_context(request, campaign, item.task)
        cleaned = [own.cleaned for own in context["answers"] if own.is_counted]
        context["votes"] = piece_votes.votes_on_task(item.task, cleaned)
        context["opened"] = _opened(request, context["answers"])
        context["settlement"] = settlement_context(request, campaign, item.task, context["answers"])
    return context


def segments_of(counts: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """Return the state, label and number of tasks of each part of the review."""
    return [(state, label, counts[state]) for state, label in SEGMENTS.items()]


def _item(asked: str, campaign: Campaign, shown: review_queue.Segment, new: Sequence[ReviewItem]) -> ReviewItem | None:
    task_id = int(asked[:15]) if asked.isdecimal() else next(iter(shown.task_ids), None)
    if task_id is None:
        return None
    if matching := [item for item in new if item.task_id == task_id]:
        return matching[0]
    if asked and review_queue.tasks_to_score(campaign).filter(pk=task_id).exists():
        return doubts.score(campaign, [task_id])[0].item
    return get_object_or_404(ReviewItem.objects.select_related("task__member"), campaign=campaign, task_id=task_id)


def answers_context(request: HttpRequest, campaign: Campaign, task: Task) -> dict[str, Any]:
    """Return a task's answers as this person may see them, and what its type brings to show them."""
    stored, user_id = selectors.answers_of_tasks(campaign, [task.pk])[task.pk], signed_in(request).pk
    type_ = type_of(campaign)
    answers = [
        answer.as_seen_by(user_id) for answer in selectors.with_hints(stored, type_.read(task.member.value), type_)
    ]
    asked = request.GET.get("answer", "")
    chosen = [answer for answer in answers if str(answer.annotation.pk) == asked]
    open_ones = [answer for answer in answers if answer.needs_viewer]
    return {
        "task": task,
        "answers": answers,
        "current": next(iter([*chosen, *open_ones, *answers]), None),
        "open": len(open_ones),
        "task_type": type_,
        "nothing_fits": type_.nothing_fits,
        "task_template": template_of(type_, "review_task"),
        "answer_template": template_of(type_, "review_answer"),
        "form_template": template_of(type_, "form"),
        "correction_template": template_of(type_, "review_correction"),
    }


def _opened(request: HttpRequest, answers: Sequence[AnswerInReview]) -> dict[str, Any]:
    """Return which form of which answer is open; a correction that was just refused comes back with the objections."""
    asked = request.GET.get("answer", "")
    for answer in answers:
        if "confirm" in request.GET and str(answer.annotation.pk) == asked:
            form = form_of(request.GET.lists())
            with suppress(InvalidInput):
                _, remarks = answer.type.correction(answer.assignment.task.question, form)
                return unsure(answer.annotation, form, as_objections(remarks))
    return {"answer": asked, "form": request.GET.get("open", "")}


def unsure(annotation: Annotation, form: dict[str, str], objections: dict[str, str]) -> dict[str, Any]:
    return {"answer": str(annotation.pk), "form": "correct", "fields": form, "unsure": objections}


def compared_answers(answers: Sequence[AnswerInReview]) -> dict[int, ComparedAnswer]:
    """Return the answers that can be shown together, by id: those that count and are not excluded; {}: too few."""
    shown = [own for own in answers if own.is_counted and own.annotation.verdict != Verdict.EXCLUDE]
    compared = {
        own.annotation.pk: ComparedAnswer(own.letter, own.name, own.annotation.corrected or own.annotation.answer)
        for own in shown
    }
    return compared if len(compared) > 1 else {}


def settlement_context(
    request: HttpRequest, campaign: Campaign, task: Task, answers: Sequence[AnswerInReview]
) -> dict[str, Any] | None:
    """Return the task's own answer as this person may see it, and the form they start from; None for other types."""
    type_, user = type_of(campaign), signed_in(request)
    if not type_.settles:
        return None
    outcome = settlements.settlements_of([task.pk], needed=campaign.reviewers).get(task.pk, SettledTask(OPEN))
    rows = settlements.seen_by(task.pk, user, needed=campaign.reviewers)
    mine = next((row for row in rows if row.reviewer_id == user.pk), None)
    kept = None if not mine or mine.pk in outcome.outdated or "of" in request.GET else mine
    counted = settlements.counted_answers(task.pk)
    ids = ids_in(request.GET, "of") or (mine.made_of if mine else [])
    sources = [answer for pk, answer in counted.items() if pk in ids]
    compared = compared_answers(answers) if type_.reviews_together else {}
    pieces = [source.corrected or source.answer for source in sources] or [own.value for own in compared.values()]
    answer = mine.answer if mine and kept else type_.composed(task.question, pieces)
    return {
        "rows": [(row, type_.summary(task.question, row.answer or {}), row.pk in outcome.outdated) for row in rows],
        "mine": mine,
        "why": mine.why if mine else "",
        "choices": counted,
        "made_of": [source.pk for source in sources],
        "compared": compared,
        "seen": settlements.seen_of(counted[pk] for pk in compared) if compared else settlements.seen_of(sources),
        "is_kept": kept is not None,
        "form": type_.form(task.question, answer) if answer else {},
        "needs_another_look": outcome.needs_another_look and any(row.pk in outcome.outdated for row in rows),
        "is_contested": outcome.verdict == CONTESTED,
        "waits": outcome.verdict == OPEN and user.pk in outcome.reviewers,
    }
