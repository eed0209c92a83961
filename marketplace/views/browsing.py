"""Joining the marketplace, finding HITs, and what a worker has done."""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kernel.errors import InvalidInput, NotAllowed, NotFound
from kernel.models import User
from kernel.services import throttling
from kernel.values import counted
from kernel.views.access import client_address
from marketplace import offers, qualifying
from marketplace.forms import AboutForm, BrowseForm, ContactForm, ReportForm, SignUpForm
from marketplace.models import HIT, Message, Worker
from marketplace.selectors import site
from marketplace.services import accounts, joining, people
from marketplace.states import AssignmentState
from marketplace.views.access import INVENTED, comes_from_another_page, for_workers, page, worker_of

MOST_ROWS = 50


@require_safe
def browse(request: HttpRequest) -> HttpResponse:
    """Show the groups of HITs, also to visitors."""
    worker, form = worker_of(request), BrowseForm(request.GET)
    form.is_valid()
    words, sort = form.cleaned_data.get("q", ""), form.cleaned_data.get("sort") or "newest"
    page_obj = Paginator(site.open_types(worker, words, sort), site.PAGE).get_page(request.GET.get("page"))
    shown = site.offers_of(worker, list(page_obj.object_list))
    return page(
        request, "browse", worker, offers=shown, page_obj=page_obj, words=words, sort=sort, sorts=offers.SORTS,
        may_sign_up=settings.MARKETPLACE_SIGN_UP, query=urlencode({"q": words, "sort": sort}),
    )  # fmt: skip


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """Sign up as a worker; somebody who is signed in only states where they live."""
    user = request.user if isinstance(request.user, User) else None
    if user is None and not settings.MARKETPLACE_SIGN_UP:
        raise NotAllowed("Sign-up is switched off here. Ask the team for an account.")
    form = (AboutForm if user else SignUpForm)(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            values = dict(form.cleaned_data)
            if user is None:
                if wait := throttling.begin_sign_up(client_address(request)):
                    minutes = counted(wait, "minute")
                    raise InvalidInput(f"Too many people signed up from your network. Try again in {minutes}.")
                user = joining.sign_up(values.pop("username"), values.pop("password"))
                login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
            joining.join(user, **values)
            return redirect(_next(request))
        except InvalidInput as error:
            form.add_error(error.field or None, error.problem)
    return page(request, "join", worker_of(request), 422 if form.errors else 200, form=form, next=_next(request))


@csrf_exempt  # the secret in the address is the credential, and programs that send it have no page with a token
@require_POST
def enter(request: HttpRequest, secret: str) -> HttpResponse:
    """Let an invented worker in, unless a foreign page sent the form: it would replace the worker who is signed in."""
    if comes_from_another_page(request):
        raise NotAllowed("This form came from another page, so nothing was changed. You are still signed in as before.")
    worker = Worker.objects.filter(secret=secret, is_invented=True).first()
    if worker is None:
        raise NotFound
    request.session[INVENTED] = worker.pk
    return redirect("marketplace")


def _next(request: HttpRequest) -> str:
    url = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url.startswith("/") and url_has_allowed_host_and_scheme(url, {request.get_host()})
    return url if is_ours else reverse("marketplace")


@require_safe
@for_workers
def dashboard(request: HttpRequest, worker: Worker) -> HttpResponse:
    rewards, bonuses = site.earned_cents(worker)
    return page(
        request, "dashboard", worker, rewards=rewards, bonuses=bonuses, total=rewards + bonuses, days=site.days(worker),
        pending=site.submitted(worker, AssignmentState.SUBMITTED)[:MOST_ROWS],
        approved=site.submitted(worker, AssignmentState.APPROVED)[:MOST_ROWS],
        rejected=site.submitted(worker, AssignmentState.REJECTED)[:MOST_ROWS],
        bonus_rows=worker.bonuses.select_related("assignment__hit__hit_type__requester").order_by("-pk")[:MOST_ROWS],
        rate=qualifying.approval_rate(worker.submitted, worker.approved, worker.rejected),
    )  # fmt: skip


@require_safe
@for_workers
def message_list(request: HttpRequest, worker: Worker) -> HttpResponse:
    rows = Message.objects.filter(worker=worker).select_related("requester").order_by("-pk")[:MOST_ROWS]
    return page(request, "messages", worker, letters=rows)


@require_http_methods(["GET", "HEAD", "POST"])
@for_workers
def contact(request: HttpRequest, worker: Worker, requester_id: int) -> HttpResponse:
    """Write to a requester, for example about a rejection."""
    requester, about = site.requester_for(worker, requester_id), request.GET.get("about", "")[:64]
    form = ContactForm(request.POST or None, initial={"subject": f"About {about}" if about else ""})
    if request.method == "POST" and form.is_valid():
        people.contact(worker, requester.pk, **form.cleaned_data, about=about)
        messages.success(request, f"Your message to {requester.name} was sent.")
        return redirect("marketplace-messages")
    return page(request, "contact", worker, 422 if form.errors else 200, form=form, requester=requester)


@require_http_methods(["GET", "HEAD", "POST"])
@for_workers
def report(request: HttpRequest, worker: Worker, hit_id: str) -> HttpResponse:
    """Report a HIT to the people who run this marketplace."""
    hit = HIT.objects.select_related("hit_type").filter(hit_id=hit_id, requester__is_sandbox=worker.is_invented).first()
    if hit is None:
        raise NotFound("There is no such HIT.")
    form = ReportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        people.report(worker, hit_id, form.cleaned_data["reason"], form.cleaned_data["text"])
        messages.success(request, "Thank you. The people who run this marketplace will look at the HIT.")
        return redirect("marketplace")
    return page(request, "report", worker, 422 if form.errors else 200, form=form, hit=hit)


@require_safe
@for_workers
def queue(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Show what the worker holds, with deadlines."""
    held = [
        assignment
        for assignment in site.queue(worker)
        if assignment.deadline > accounts.time_of(assignment.hit.hit_type.requester)
    ]
    return page(request, "queue", worker, held=held)
