"""Where people come in: signed in, by an invite, or sent by a provider. Each door ends at a person's own address."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Campaign, Task
from annotation.providers import PROVIDERS
from annotation.providers.base import Marketplace, Outcome, Preview
from annotation.qualifications import unchecked
from annotation.selectors import annotators
from annotation.services import joining
from annotation.services.market import marketplaces, placing
from annotation.views.work_pages.answering import form_context
from annotation.views.work_pages.frame import instructions_parts, render, sorry, worker_page
from kernel.errors import InvalidInput, NotAllowed, TesaError
from kernel.views.access import requires, signed_in

INVITED = "tesa_invited"  # a cookie for invitations alone: the same browser is the same worker
A_YEAR = 365 * 24 * 3600
DAMAGED = "This link does not say who you are. Open the study again from the site that sent you here."


@require_POST
@requires("annotation.add_annotation")
def start_as_user(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Let a signed-in annotator in, or back in."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    try:
        return redirect("work", joining.join_as_user(campaign, signed_in(request)).secret)
    except joining.NothingLeft as refused:
        return sorry(request, refused, campaign=campaign)


def _offer(campaign: Campaign) -> dict[str, Any]:
    """Return what people read about the work before they join."""
    return {
        "campaign": campaign,
        "parts": instructions_parts(campaign),
        "requirements": unchecked(campaign.qualifications),
    }


def preview_page(request: HttpRequest, campaign: Campaign, task: Task | None) -> HttpResponse:
    """Show what people see before they accept a task; nothing can be answered."""
    context = _offer(campaign)
    if task:
        context |= {"task": task, **form_context(campaign, task, None, ())}
    return render(request, "annotation/work/preview.html", context)


@worker_page
def arrive(request: HttpRequest, slug: str) -> HttpResponse:
    """Let somebody in whom the provider sent. A preview shows what the work is, and stores nothing."""
    campaign = Campaign.objects.select_related("instructions").get(slug=slug)
    provider = PROVIDERS[campaign.provider]
    if provider.takes_own_people:
        raise Http404
    visitor = provider.arrival(marketplaces.settings_of(campaign), request.GET.dict())
    if isinstance(visitor, Preview):  # on a marketplace also of the task itself
        posting = campaign.postings.select_related("task").filter(key=request.GET.get("posting", "")[:32]).first()
        return preview_page(request, campaign, posting.task if posting else None)
    if visitor is None:
        return sorry(request, InvalidInput(DAMAGED), campaign=campaign)
    try:
        if isinstance(provider, Marketplace):
            visit = placing.MarketVisit(visitor, *provider.acceptance(visitor))
            known = marketplaces.worker_provider(campaign)
            return redirect("work", placing.open_placement(campaign, visit, provider=known).secret)
        return redirect("work", joining.join_from_provider(campaign, visitor).secret)
    except (NotAllowed, joining.NothingLeft) as refused:
        # They do not qualify or come too late, and go back as screened out. Nothing about them is stored.
        is_placed = isinstance(provider, Marketplace)  # they return what they accepted
        completion = provider.completion(
            campaign.provider_settings, Outcome.SCREENED_OUT, None if is_placed else visitor
        )
        return sorry(request, refused, campaign=campaign, completion=completion)
    except TesaError as refused:
        return sorry(request, refused, campaign=campaign)


@worker_page
def invited(request: HttpRequest, code: str) -> HttpResponse:
    """Explain what the link is for; a POST takes a place and redirects to the person's own address."""
    invite = annotators.invite(code)
    key = request.get_signed_cookie(INVITED, default=None, salt=INVITED, max_age=A_YEAR) or ""
    mine = joining.invited_place(invite, key)
    if mine and mine.withdrawn_at:
        return redirect("work", mine.secret)
    if request.method == "POST":
        person = joining.join_by_invite(code, key)
        response = redirect("work-welcome", person.secret)
        door = reverse("work-join", args=[code]).removesuffix(f"{code}/")
        options = {"path": door, "httponly": True, "samesite": "Lax", "secure": settings.SESSION_COOKIE_SECURE}
        response.set_signed_cookie(INVITED, person.worker.external_id, salt=INVITED, max_age=A_YEAR, **options)
        return response
    try:
        if mine is None:
            joining.check_invite(invite)
    except TesaError as refused:
        return sorry(request, refused, campaign=invite.campaign)
    return render(request, "annotation/work/invited.html", _offer(invite.campaign) | {"invite": invite, "mine": mine})


@worker_page
def welcome(request: HttpRequest, secret: str) -> HttpResponse:
    """A person's own address, to be kept."""
    person = annotators.participation(secret)
    address = request.build_absolute_uri(reverse("work", args=[secret]))
    return render(
        request,
        "annotation/work/welcome.html",
        {"person": person, "campaign": person.campaign, "address": address},
    )
