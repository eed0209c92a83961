"""One HIT: preview, accept, work in a frame, submit, return."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from kernel.errors import NotFound, TesaError, WrongState
from kernel.security import content_security_policy
from marketplace import questions
from marketplace.errors import MarketError
from marketplace.models import HIT, Assignment, Worker
from marketplace.selectors import site
from marketplace.services import accounts, working
from marketplace.states import AssignmentState
from marketplace.views.access import for_workers, page

IN_OUR_FRAME = content_security_policy(frame_ancestors=["'self'"])
# An HTMLQuestion is a stranger's page: it has an origin of its own and no cookies, and may send its form only to the
# submit address of its assignment. 'self' is for the script that we supply in place of Amazon's.
HTML_POLICY = (
    "sandbox allow-scripts allow-forms allow-modals allow-popups allow-top-navigation-by-user-activation; "
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob: https:; frame-ancestors 'self'; base-uri 'none'; "
    "form-action {submit}"
)


@require_safe
@for_workers
def preview(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    """Show the next HIT of a group as it is, before it is accepted."""
    offer = site.group(worker, group_id)
    hit = site.next_hit(worker, offer.kind)
    return _with_frame(page(request, "preview", worker, offer=offer, hit=hit, **_frame(hit, worker)), hit)


@require_POST
@for_workers
def accept(request: HttpRequest, worker: Worker, group_id: str) -> HttpResponse:
    """Accept the HIT that was previewed, or the next of its group."""
    offer, wanted = site.group(worker, group_id), request.POST.get("hit", "")
    try:
        assignment = working.accept(worker, wanted) if wanted else None
    except WrongState as error:
        messages.info(request, f"{error} Here is the next one.")
        assignment = None
    if assignment is None:
        hit = site.next_hit(worker, offer.kind)
        if hit is None and (held := site.queue(worker).filter(hit__hit_type=offer.kind).first()):
            return redirect("marketplace-work", held.assignment_id)
        if hit is None:
            messages.info(request, "There are no more HITs in this group for you.")
            return redirect("marketplace")
        assignment = working.accept(worker, hit.hit_id)
    query = "?auto=1" if request.POST.get("auto") else ""
    return redirect(reverse("marketplace-work", args=[assignment.assignment_id]) + query)


@require_safe
@for_workers
def work(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    """Show an accepted HIT in its frame, with the time that is left."""
    held = Assignment.objects.filter(worker=worker, assignment_id=assignment_id)
    assignment = held.select_related("hit__hit_type__requester").first()
    if assignment is None:
        raise NotFound("You do not hold this HIT any more: it was returned, or its time ran out.")
    left = (assignment.deadline - accounts.time_of(assignment.hit.requester)).total_seconds()
    if assignment.state != AssignmentState.ACCEPTED or left <= 0:
        return page(
            request, "done", worker, assignment=assignment, is_late=assignment.state == AssignmentState.ACCEPTED
        )
    hit, kind = assignment.hit, assignment.hit.hit_type
    context = {
        "assignment": assignment,
        "kind": kind,
        "hit": hit,
        "left": max(0, int(left)),
        **_frame(hit, worker, assignment),
    }
    answer = page(request, "work", worker, **context, auto=bool(request.GET.get("auto")))
    return _with_frame(answer, hit)


@require_POST
@for_workers
def give_back(request: HttpRequest, worker: Worker, assignment_id: str) -> HttpResponse:
    working.give_back(worker, assignment_id)
    messages.success(request, "You returned the HIT. Other workers can accept it now.")
    return redirect("marketplace-queue")


@csrf_exempt  # sent from a frame without cookies: the token in the address is the credential
@xframe_options_exempt
@require_POST
def submit(request: HttpRequest, token: str) -> HttpResponse:
    """Store an answer that the frame sends to turkSubmitTo + /mturk/externalSubmit."""
    problem, status, state = "", 200, ""
    try:
        fields = [(name, value) for name, values in request.POST.lists() for value in values]
        state = working.submit(token, request.POST.get("assignmentId", ""), fields).state
    except (RequestDataTooBig, TooManyFieldsSent):
        problem, status = "The form has too many fields or is too large. Nothing was saved.", 413
    except TesaError as error:
        problem, status = str(error), error.status
    response = render(request, "marketplace/submitted.html", {"problem": problem, "state": state}, status=status)
    response["Content-Security-Policy"] = IN_OUR_FRAME
    response["Referrer-Policy"] = "no-referrer"
    return response


@xframe_options_exempt
@require_safe
@for_workers
def html_question(request: HttpRequest, worker: Worker, hit_id: str) -> HttpResponse:
    """Serve the page of an HTMLQuestion; its forms and its script come to us instead of Amazon."""
    hit = HIT.objects.filter(hit_id=hit_id, requester__is_sandbox=worker.is_invented).select_related("hit_type").first()
    question = _question(hit) if hit else None
    if hit is None or question is None or not question.html:
        raise NotFound("There is no such HIT.")
    held = Assignment.objects.filter(hit=hit, worker=worker, state=AssignmentState.ACCEPTED).first()
    if held is None:
        site.group(worker, hit.hit_type.group_id)  # raises unless the worker may preview it
    submit_address = f"{_submit_to(held)}/mturk/externalSubmit" if held else ""
    script = static("marketplace/external_hit.js")
    response = HttpResponse(questions.with_own_addresses(question.html, script=script, submit=submit_address))
    response["Content-Security-Policy"] = HTML_POLICY.format(submit=submit_address or "'none'")
    response["Referrer-Policy"] = "no-referrer"
    return response


def _submit_to(assignment: Assignment) -> str:
    return f"{settings.PUBLIC_URL.rstrip('/')}/marketplace/submit/{assignment.token}"


def _frame(hit: HIT | None, worker: Worker, assignment: Assignment | None = None) -> dict[str, Any]:
    """Return the address of the frame, its height (0 = fit) and whether it keeps an origin of its own."""
    if hit is None:
        return {}
    question = _question(hit)
    parameters = {
        "assignment": assignment.assignment_id if assignment else questions.NO_ASSIGNMENT,
        "hit": hit.hit_id,
        "worker": worker.worker_id if assignment else "",
        "submit_to": _submit_to(assignment) if assignment else "",
    }
    own = reverse("marketplace-html", args=[hit.hit_id])
    return {
        "src": questions.frame_url(question.url or own, **parameters),
        "height": question.height,
        "is_external": bool(question.url),
    }


def _with_frame(response: HttpResponse, hit: HIT | None) -> HttpResponse:
    """Let the page frame the origin of the HIT's question, and no other."""
    if hit is not None:
        response["Content-Security-Policy"] = content_security_policy(frames=questions.frames(_question(hit)))
    return response


def _question(hit: HIT) -> questions.Question:
    """Return the HIT's question; rules for questions may be stricter than when it was published."""
    try:
        return questions.read_question(hit.question)
    except MarketError:
        message = "This HIT cannot be shown, because its question is not valid any more. Choose another one."
        raise WrongState(message) from None
