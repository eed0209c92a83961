"""The pages a worker sees. The secret in the address is the credential: no session, no cookie, hence no CSRF token."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation import selectors
from annotation.cleaning.checks import Level
from annotation.markup import to_html
from annotation.models import Assignment, Participation
from annotation.services import assigning, joining, submitting
from annotation.services.assigning import Idle, Turn
from annotation.stages import Stage
from annotation.task_types import TASK_TYPES
from annotation.task_types.base import FieldFinding, InvalidAnswer
from tesa_site.kernel.clock import now

View = Callable[..., HttpResponse]
STORED = "Your answer is stored. Thank you."
REPEATED = "This task had been answered before: your first answer stands."
LATE = "The time for that task was over and somebody else has it now. Your answer is kept: a person will look at it."


def worker_page(view: View) -> View:
    """Answer without leaving a trace of the address: it is a key."""

    @csrf_exempt
    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except (Participation.DoesNotExist, Assignment.DoesNotExist) as error:
            raise Http404 from error
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"
        return response

    return page


@worker_page
def work(request: HttpRequest, secret: str) -> HttpResponse:
    """Whatever comes next for this person."""
    person = selectors.participation(secret)
    stage = joining.stage(person)
    if stage == Stage.WORK:
        return turn_page(request, person, assigning.take_turn(secret))
    return render(request, f"annotation/work/{stage.value}.html", _frame(person) | STAGES.get(stage, _nothing)(person))


def _nothing(person: Participation) -> dict[str, Any]:
    return {}


def _frame(person: Participation) -> dict[str, Any]:
    """Return what every page of a person shows around its content."""
    return {"person": person, "campaign": person.campaign}


def _instructions(person: Participation) -> dict[str, Any]:
    parts = person.campaign.instructions
    names = (("summary", "In short"), ("details", "In detail"), ("examples", "Examples"))
    return {"parts": [{"label": label, "id": name, "html": to_html(getattr(parts, name))} for name, label in names]}


def _consent(person: Participation) -> dict[str, Any]:
    return {"consent": to_html(person.campaign.consent)}


STAGES: Mapping[Stage, Callable[[Participation], dict[str, Any]]] = {
    Stage.CONSENT: _consent,
    Stage.INSTRUCTIONS: _instructions,
}


def turn_page(request: HttpRequest, person: Participation, turn: Turn, notice: str = "") -> HttpResponse:
    """Return the task in hand, or why there is none."""
    if turn.assignment is None:
        context = _frame(person) | {"idle": turn.idle, "notice": notice, "can_wait": turn.idle == Idle.WAIT}
        return render(request, "annotation/work/idle.html", context)
    return task_page(request, person, turn.assignment, notice=notice)


def task_page(
    request: HttpRequest,
    person: Participation,
    assignment: Assignment,
    *,
    notice: str = "",
    form: Mapping[str, str] | None = None,
    findings: tuple[FieldFinding, ...] = (),
) -> HttpResponse:
    type_ = TASK_TYPES[person.campaign.task_type]
    context = _frame(person) | {
        "assignment": assignment,
        "task": assignment.task,
        "question": assignment.task.question,
        "template": type_.template,
        "form": form if form is not None else (assignment.draft or {}),
        "findings": by_field(findings),
        "is_sure": bool(findings) and all(one.finding.level == Level.ASK for one in findings),
        "confirmed": " ".join(f"{one.field}:{one.finding.code}" for one in findings),
        "seconds_left": max(0, int((assignment.expires_at - now()).total_seconds())),
        "number": person.answered + 1,
        "notice": notice,
    }
    return render(request, "annotation/work/task.html", context, status=422 if findings else 200)


def by_field(findings: tuple[FieldFinding, ...]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for one in findings:
        told.setdefault(one.field, []).append(one.finding.why)
    return told


@worker_page
def answer(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Store an answer and answer with the next page; a reload of that page leads back to what is next."""
    if request.method != "POST":
        return redirect("work", secret)
    form = request.POST.dict()
    try:
        done = submitting.submit(secret, assignment_id, form)
    except InvalidAnswer as refused:
        submitting.save_draft(secret, assignment_id, form)  # refused is not lost
        assignment = selectors.assignment(secret, assignment_id)
        return task_page(request, assignment.participation, assignment, form=form, findings=refused.findings)
    notice = REPEATED if done.is_repeat else LATE if done.is_late else STORED
    return turn_page(request, done.person, done.turn, notice)


@worker_page
@require_POST
def draft(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    """Keep what is typed so far; the answer is what the checks say of it."""
    findings = submitting.save_draft(secret, assignment_id, request.POST.dict())
    if findings is None:
        return JsonResponse({"saved": False, "why": "This task has been answered already."}, status=409)
    told = [{"field": one.field, "level": one.finding.level, "why": one.finding.why} for one in findings]
    return JsonResponse({"saved": True, "findings": told})


@worker_page
@require_POST
def give_back(request: HttpRequest, secret: str, assignment_id: int) -> HttpResponse:
    assigning.give_back(secret, assignment_id)
    return redirect("work", secret)


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
    person = selectors.participation(secret)
    return render(request, "annotation/work/instructions.html", _frame(person) | _instructions(person))
