"""The review: campaigns with what waits in them, one task at a time, lists by state, and a dry run of the cleaning.

Each thing that a reviewer does is a POST that ends on the next page to look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Annotation, Campaign, Participation, Review, ReviewItem, ReviewState, Task, Verdict
from annotation.quality.verdicts import CONTESTED, DECISIONS
from annotation.selectors import assessed, market, review_queue, settlements
from annotation.selectors import cleaned as cleaned_selectors
from annotation.selectors import review as selectors
from annotation.selectors.review import AnswerInReview
from annotation.services import assessing, doubts, reviewing, settling
from annotation.services.market import marketplaces
from annotation.services.reviewing import Opinion, Unsure
from annotation.task_types import cleaning_named, type_of
from annotation.task_types.base import as_objections, form_of, template_of
from corpus.selectors.articles import article_of
from kernel import selectors as kernel_selectors
from kernel.errors import InvalidInput, TesaError, WrongState
from kernel.values import counted
from kernel.views.access import requires, signed_in
from kernel.views.jobs import follow
from kernel.views.ticked import ids_in

SCORED_AT_ONCE = 5  # newly answered tasks that a page scores without storing it; a job scores the rest
PER_PAGE = 50
MOST_TO_COMPARE = 5000  # answers: more take longer than a page may
DONE = {
    "accept": "accepted",
    "correct": "corrected",
    "exclude": "excluded",
    "flag": "flagged for a second opinion",
    "comment": "note saved",
}
SEGMENTS = {"": "To review", "contested": "Contested", "flagged": "Flagged", "settled": "Decided"}
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
# The page's own fields. Those of an answer have other names: `answer_field` of task types.
NOT_THE_ANSWER = {"csrfmiddlewaretoken", "verdict", "why", "seen", "confirmed", "made_of"}


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
    return render(request, "annotation/review/queue.html", _queue(request, campaign, request.GET.get("task", "")))


def _queue(request: HttpRequest, campaign: Campaign, asked: str) -> dict[str, Any]:
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
        "segments": _segments(counts),
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
    if item:
        context["number"], context["previous"], context["next"] = shown.place(item.task_id)
        context["reports"] = selectors.open_reports([item.task_id])[item.task_id]
        context["article"] = article_of(item.task.member.value) if user.has_perm("corpus.view_article") else None
        context |= _answers(request, campaign, item.task)
        context["opened"] = _opened(request, context["answers"])
        context["settlement"] = _settlement(request, campaign, item.task)
    return context


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


def _segments(counts: Mapping[str, int]) -> list[tuple[str, str, int]]:
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


def _answers(request: HttpRequest, campaign: Campaign, task: Task) -> dict[str, Any]:
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
                return _unsure(answer.annotation, form, as_objections(remarks))
    return {"answer": asked, "form": request.GET.get("open", "")}


def _unsure(annotation: Annotation, form: dict[str, str], objections: dict[str, str]) -> dict[str, Any]:
    return {"answer": str(annotation.pk), "form": "correct", "fields": form, "unsure": objections}


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


def _queue_url(campaign_id: int, **query: object) -> str:
    url = reverse("admin:review-queue", args=[campaign_id])
    return f"{url}?{urlencode(query)}" if query else url


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
            return _fragment(request, campaign, annotation, opened=_unsure(annotation, form, error.objections))
        return redirect(_queue_url(campaign_id, **form, task=task.pk, answer=annotation.pk, confirm=1))
    except TesaError as error:
        if request.htmx:  # type: ignore[attr-defined]
            return _fragment(request, campaign, annotation, problem=error.message)
        messages.error(request, error.message)
        return redirect(_queue_url(campaign_id, task=task.pk, answer=annotation.pk))
    if request.htmx:  # type: ignore[attr-defined]
        return _fragment(request, campaign, annotation, done=_done(campaign, review))
    shown = _answers(request, campaign, task)
    number = next(answer.number for answer in shown["answers"] if answer.annotation.pk == annotation.pk)
    messages.success(request, f"Answer {number}: {_done(campaign, review)}.")
    if review.verdict == Verdict.COMMENT:
        return redirect(_queue_url(campaign_id, task=task.pk, answer=annotation.pk))
    return redirect(_queue_url(campaign_id, task=task.pk) if shown["open"] else _queue_url(campaign_id))


def _fragment(request: HttpRequest, campaign: Campaign, annotation: Annotation, **more: Any) -> HttpResponse:
    """Return one answer as it is now, with how far the task is; a refusal has the status 422."""
    shown = _answers(request, campaign, annotation.assignment.task)
    answer = next((answer for answer in shown["answers"] if answer.annotation.pk == annotation.pk), None)
    context = {"campaign": campaign, "can_undo": True, **shown, **more, "answer": answer, "current": None}
    if "done" in more:
        not_scored = review_queue.not_scored(campaign)
        waiting = review_queue.waiting_for(campaign, signed_in(request)).count() + not_scored
        counts = {**review_queue.counts(campaign, not_scored), "": waiting}
        context |= {"segments": _segments(counts), "waiting_for_you": waiting}
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
        return redirect(_queue_url(campaign_id))
    annotation = Annotation.objects.select_related("assignment").get(pk=rows[0].annotation_id)
    where = {"task": annotation.assignment.task_id, "answer": annotation.pk}
    if len(rows) > 1:
        messages.success(request, f"Undone: {counted(len(rows), 'answer')} {DONE[rows[0].verdict]} at once.")
        return redirect(_queue_url(campaign_id, task=where["task"]))
    still = annotation.verdict == rows[0].verdict  # a reason that came later is undone by itself
    messages.success(request, f"Undone: {'the reason' if still and rows[0].why else _done(campaign, rows[0])}.")
    return redirect(_queue_url(campaign_id, **where))


@require_POST
@requires("annotation.add_review")
def accept(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Accept the answers of one task, or of every task where all agree."""
    campaign, task = get_object_or_404(Campaign, pk=campaign_id), request.POST.get("task", "")
    if task.isdecimal():
        row = get_object_or_404(Task, pk=int(task[:15]), campaign=campaign)
        number = reviewing.accept_task(campaign, row.pk, by=signed_in(request))
        left = _answers(request, campaign, row)["open"]
        messages.success(request, f"{counted(number, 'answer')} accepted.{' Look at what is left.' if left else ''}")
        return redirect(_queue_url(campaign_id, task=row.pk) if left else _queue_url(campaign_id))
    done = reviewing.accept_agreed(campaign, by=signed_in(request))
    message = f"{counted(done.answers, 'answer')} of {counted(done.tasks, 'unanimous task')} accepted."
    messages.success(request, message if done.tasks else "There is no unanimous task to accept.")
    return redirect(_queue_url(campaign_id))


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


def _settlement(request: HttpRequest, campaign: Campaign, task: Task) -> dict[str, Any] | None:
    """Return the task's own answer as this person may see it, and the form they start from; None for other types."""
    type_, user = type_of(campaign), signed_in(request)
    if not type_.settles:
        return None
    rows = settlements.seen_by(task.pk, user, needed=campaign.reviewers)
    mine = next((row for row in reversed(rows) if row.reviewer_id == user.pk), None)
    ids = ids_in(request.GET, "of") or (mine.made_of if mine else [])
    taken = Annotation.objects.filter(pk__in=ids, assignment__task=task).order_by("pk")
    answers = [annotation.corrected or annotation.answer for annotation in taken]
    answer = mine.answer if mine and "of" not in request.GET else type_.composed(task.question, answers)
    outcome = settlements.settlements_of([task.pk], needed=campaign.reviewers).get(task.pk)
    return {
        "rows": [(row, type_.summary(task.question, row.answer or {})) for row in rows],
        "mine": mine,
        "made_of": [annotation.pk for annotation in taken],
        "form": type_.form(task.question, answer) if answer else {},
        "is_contested": bool(outcome and outcome.verdict == CONTESTED and mine),
        "waits": bool(outcome and not outcome.verdict and mine),
    }


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
        context = _queue(request, campaign, str(task.pk))
        if context["settlement"]:
            unsure = error.objections if isinstance(error, Unsure) else {}
            context["settlement"] |= {"form": form, "problem": error.message, "unsure": unsure}
        return render(request, "annotation/review/queue.html", context, status=422)
    return redirect(_queue_url(campaign_id, task=task.pk))


@require_POST
@requires("annotation.add_review")
def set_reviewers(request: HttpRequest, campaign_id: int) -> HttpResponse:
    get_object_or_404(Campaign, pk=campaign_id)
    number = request.POST.get("reviewers", "")
    if not (number.isascii() and number.isdecimal()):
        raise InvalidInput("must be 0, 1 or 2", field="reviewers")
    campaign = reviewing.set_reviewers(campaign_id, int(number[:3]), by=signed_in(request))
    messages.success(request, f"Each answer now needs {counted(campaign.reviewers, 'reviewer')}.")
    return redirect(_queue_url(campaign_id))


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
            return redirect(_queue_url(campaign_id))
        messages.info(request, "The answers are being measured already.")
        return follow(request, at_work)
    return follow(request, job)
