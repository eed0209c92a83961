"""The task and the steps before it: whatever is next for a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from annotation.markup import to_html
from annotation.models import Assignment, AssignmentStatus, Campaign, Participation, Placement, PlacementState, Task
from annotation.providers.base import Outcome
from annotation.qualifications import unchecked
from annotation.selectors import annotators
from annotation.selectors.check_tasks import Missed, missed
from annotation.selectors.payments import may_leave_detail
from annotation.services import assessing, assigning, finishing, joining, leaving, submitting
from annotation.services.assigning import Idle, Turn
from annotation.services.late_answers import Gone, why_gone
from annotation.services.market import placing
from annotation.stages import Stage
from annotation.task_types import type_of
from annotation.task_types.base import FieldRemark, InvalidAnswer, Level, form_of, template_of
from annotation.task_types.showing import NOBODY, shown_to
from annotation.views.work_pages import learning
from annotation.views.work_pages.frame import by_field, frame, instructions_parts, promised, render, worker_page
from kernel import jobs
from kernel.clock import now

# What became of a submit: programs read the word (`data-outcome`), people the sentence.
NOTICES = {
    "stored": "Your last answer is stored.",
    "repeated": "This task had been answered before: your first answer stands.",
    "late": "Your last answer came too late to count. It is kept: My answers will show what the team decides about it.",
}
GIVEN_BACK = "You skipped the task."
STILL_FREE = "You skipped this task. An answer still counts, unless somebody else is given the task first."
KEPT = "If you send an answer anyway, it is kept, and the team decides whether it counts and is paid."
GONE = {
    Gone.ANSWERED: "You have answered this task already: your first answer stands.",
    Gone.EXCLUDED: "The team gives you no further tasks in this campaign.",
    Gone.STOPPED: "You get no further tasks in this campaign, and you no longer hold this task.",
    Gone.FINISHED: "Your visit is finished, and you no longer hold this task.",
    Gone.CLOSED: "The campaign is closed, and you no longer hold this task.",
    Gone.LIMIT: "You have given all the answers that one person may give here, and you no longer hold this task.",
    Gone.TAKEN: "You no longer hold this task: somebody else has it now.",
}


@worker_page
def work(request: HttpRequest, secret: str) -> HttpResponse:
    """Whatever comes next for this person."""
    person = annotators.participation(secret)
    stage = annotators.stage(person)
    if placement := annotators.placement(secret):
        return placed_page(request, person, placement, stage)
    if stage == Stage.WORK:
        turn = assigning.take_turn(secret)
        notice = GIVEN_BACK if "given-back" in request.GET else ""
        if notice and turn.assignment:
            notice = f"{notice} Here is another."
        return turn_page(request, person, turn, notice=notice)
    if stage in BEFORE_WORK and (idle := finishing.over_before(person)):
        completion = finishing.completion(person, Outcome.SCREENED_OUT)
        return render(
            request, "annotation/work/idle.html", frame(person, idle) | {"idle": idle, "completion": completion}
        )
    return render(request, f"annotation/work/{stage.value}.html", frame(person) | STAGES[stage](person))


def placed_page(request: HttpRequest, person: Participation, placement: Placement, stage: Stage) -> HttpResponse:
    """Whatever comes next for somebody in the frame of a marketplace: steps, the task they accepted, the hand-over."""
    if stage == Stage.SCREENED_OUT:
        placing.screen_out(placement)
    if placing.is_stored(placement):
        return hand_over_page(request, person, placement)
    if stage in BEFORE_WORK:
        return render(request, f"annotation/work/{stage.value}.html", frame(person) | STAGES[stage](person))
    is_open = stage == Stage.WORK and placement.state == PlacementState.OPENED
    turn = placing.take(person.secret, placement) if is_open else None
    if turn and turn.assignment:
        return task_page(request, person, turn.assignment)
    why = str(turn.idle) if turn and turn.idle else stage.value if stage != Stage.WORK else placement.state
    context = frame(person) | {"why": why, "placement": placement}
    return render(request, "annotation/work/not_placed.html", context)


def hand_over_page(
    request: HttpRequest,
    person: Participation,
    placement: Placement,
    outcome: str = "",
    explained: Missed | None = None,
) -> HttpResponse:
    """The answer is stored: let the browser submit the placement to the marketplace."""
    context = frame(person) | {"completion": placing.hand_over(placement), "placement": placement, "outcome": outcome}
    context["missed"] = explained
    return render(request, "annotation/work/hand_over.html", context)


def _consent(person: Participation) -> dict[str, Any]:
    return {
        "consent": to_html(person.campaign.consent),
        "requirements": unchecked(person.campaign.qualifications),
        "was_sent": finishing.was_sent(person),
        "if_early": finishing.completion(person, Outcome.LEFT_EARLY),
    }


def _instructions(person: Participation) -> dict[str, Any]:
    return {"parts": instructions_parts(person.campaign)}


def _withdrawn(person: Participation) -> dict[str, Any]:
    return {
        "completion": finishing.completion(person, leaving.outcome_of(person)),
        "may_leave_detail": may_leave_detail(person),
    }


BEFORE_WORK = (Stage.CONSENT, Stage.INSTRUCTIONS, Stage.PRACTICE, Stage.QUIZ)
STAGES: Mapping[Stage, Callable[[Participation], dict[str, Any]]] = {
    Stage.CONSENT: _consent,
    Stage.INSTRUCTIONS: _instructions,
    Stage.PRACTICE: learning.practice_context,
    Stage.QUIZ: learning.quiz_context,
    Stage.SCREENED_OUT: lambda person: {"completion": finishing.conclude(person, Outcome.SCREENED_OUT)},
    Stage.FINISHED: lambda person: {"completion": finishing.completion(person, Outcome(person.completion))},
    Stage.WITHDRAWN: _withdrawn,
}


def turn_page(
    request: HttpRequest,
    person: Participation,
    turn: Turn,
    *,
    notice: str = "",
    outcome: str = "",
    explained: Missed | None = None,
) -> HttpResponse:
    """Return the task in hand, or why there is none; `explained`: a check task that the person has just missed."""
    if turn.assignment is not None:
        return task_page(request, person, turn.assignment, notice=notice, outcome=outcome, explained=explained)
    idle = turn.idle or Idle.DONE
    completion = finishing.conclude_idle(person, idle)
    context = frame(person, idle) | {"idle": idle, "notice": notice, "outcome": outcome, "completion": completion}
    context["missed"] = explained
    return render(request, f"annotation/work/{'finished' if idle == Idle.FINISHED else 'idle'}.html", context)


def task_page(
    request: HttpRequest,
    person: Participation,
    assignment: Assignment,
    *,
    notice: str = "",
    outcome: str = "",
    form: Mapping[str, str] | None = None,
    remarks: tuple[FieldRemark, ...] = (),
    explained: Missed | None = None,
) -> HttpResponse:
    typed = form if form is not None else assignment.draft
    context = frame(person) | {
        "assignment": assignment,
        "gone": _gone(person, assignment),
        "seconds_left": max(0, int((assignment.expires_at - now()).total_seconds())),
        "number": person.answered + 1,
        "notice": notice,
        "outcome": outcome,
        "missed": explained,
        **form_context(person.campaign, assignment.task, typed, remarks, person=person.pk),
    }
    return render(request, "annotation/work/task.html", context, status=422 if remarks else 200)


def _gone(person: Participation, assignment: Assignment) -> str:
    """Return in a sentence or two why an answer to this turn would not count; "" while it would."""
    why = why_gone(person, assignment)
    if why is None:
        return STILL_FREE if assignment.status == AssignmentStatus.RETURNED else ""
    return GONE[why] if why == Gone.ANSWERED else f"{GONE[why]} {KEPT}"


def form_context(
    campaign: Campaign,
    task: Task,
    form: Mapping[str, str] | None,
    remarks: tuple[FieldRemark, ...],
    *,
    person: int = NOBODY,
) -> dict[str, Any]:
    """Return what the text and the form of a task show; without a form, it starts with what the item suggests."""
    type_ = type_of(campaign)
    return {
        "task_html": task.html,
        "question": task.question,
        "shown": shown_to(type_, task.question, task=task.pk, person=person),
        "template": template_of(type_, "form"),
        "task_type": type_,
        "form": type_.starting_form(task.question) if form is None else form,
        "findings": by_field(remarks),
        "is_sure": bool(remarks) and all(objection.remark.level == Level.ASK for objection in remarks),
        "confirmed": " ".join(f"{objection.field}:{objection.remark.code}" for objection in remarks),
    }


@worker_page
def answer(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Store an answer and answer with the next page; a reload of that page leads back to what is next."""
    if request.method != "POST":
        return redirect("work", secret)
    form = form_of(request.POST.lists())
    try:
        done = submitting.submit(secret, assignment_id, form)
    except InvalidAnswer as refused:
        with suppress(InvalidAnswer):  # too large to keep; the page still holds it
            submitting.save_draft(secret, assignment_id, form)
        assignment = annotators.assignment(secret, assignment_id)
        return task_page(request, assignment.participation, assignment, form=form, remarks=refused.remarks)
    outcome = "repeated" if done.is_repeat else "late" if done.is_late else "stored"
    explained = missed(done.person.campaign, done.annotation.assignment.task, done.annotation)
    if placement := annotators.placement(secret):
        return hand_over_page(request, annotators.participation(secret), placement, outcome, explained)
    is_last = done.turn.assignment is None  # the last answer of a campaign leaves nothing more to do
    if is_last and (job := assessing.start_due(done.person.campaign_id, by=None)):
        jobs.nudge(job)
    return turn_page(request, done.person, done.turn, notice=NOTICES[outcome], outcome=outcome, explained=explained)


@worker_page
@require_GET
def turn_state(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Say why an answer to this turn would not count: a page that was left open asks before anything is typed."""
    assignment = annotators.assignment(secret, assignment_id)
    return JsonResponse({"gone": _gone(assignment.participation, assignment)})


@worker_page
@require_POST
def draft(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Keep what is typed so far; the answer is what the checks say of it."""
    try:
        kept = submitting.save_draft(secret, assignment_id, form_of(request.POST.lists()))
    except InvalidAnswer as refused:
        problem = refused.remarks[0].remark.why
        return JsonResponse({"saved": False, "problem": problem}, status=413)
    gone = ""
    if kept is None or not kept.is_safe:
        assignment = annotators.assignment(secret, assignment_id)
        gone = _gone(assignment.participation, assignment)
    if kept is None:
        return JsonResponse({"saved": False, "gone": gone}, status=409)
    return JsonResponse({"saved": True, "gone": gone, "findings": learning.remarks_as_json(kept.remarks)})


@worker_page
@require_POST
def give_back(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Return a task unanswered. People who have typed something are asked first; their draft is kept until then."""
    form = form_of(request.POST.lists())
    if "sure" not in form:
        assignment = annotators.assignment(secret, assignment_id)
        if _is_begun(assignment, form) and submitting.save_draft(secret, assignment_id, form) is not None:
            context = frame(assignment.participation) | {"assignment": assignment}
            return render(request, "annotation/work/give_back.html", context)
    is_done = assigning.give_back(secret, assignment_id)
    return redirect(reverse("work", args=[secret]) + ("?given-back" if is_done else ""))


def _is_begun(assignment: Assignment, form: Mapping[str, str]) -> bool:
    """Tell whether somebody has answered anything: what the page begins with, such as suggestions, is no answer."""
    start = type_of(assignment.participation.campaign).starting_form(assignment.task.question)
    return _written(form) != _written(start)


def _written(form: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the words of each field that has some."""
    return {name: text.split() for name, text in form.items() if name not in learning.NOT_SHOWN and text.strip()}


@worker_page
def finish(request: HttpRequest, secret: str) -> HttpResponse:
    """Go back to the provider before the tasks end; people who have done a part are first told what that means."""
    if request.method == "POST":
        finishing.finish(secret, promised=promised(request, secret))
        return redirect("work", secret)
    person = annotators.participation(secret)
    if annotators.stage(person) != Stage.WORK or not finishing.can_finish(person):
        return redirect("work", secret)
    ways = {"if_early": Outcome.LEFT_EARLY, "if_complete": Outcome.COMPLETED}
    context = frame(person) | {name: finishing.completion(person, outcome) for name, outcome in ways.items()}
    return render(request, "annotation/work/finish.html", context)


@worker_page
@require_POST
def consent(request: HttpRequest, secret: str) -> HttpResponse:
    joining.consent(secret, signals=bool(request.POST.get("signals")))
    return redirect("work", secret)


@worker_page
def instructions(request: HttpRequest, secret: str) -> HttpResponse:
    """The instructions at any time; a POST says that they have been read."""
    if request.method == "POST":
        joining.read_instructions(secret)
        return redirect("work", secret)
    person = annotators.participation(secret)
    return render(request, "annotation/work/instructions.html", frame(person) | _instructions(person))
