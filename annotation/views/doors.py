"""Where people come in: signed in, by an invite, from a panel. Each door ends at a person's own address."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation import selectors
from annotation.models import Campaign
from annotation.providers import PROVIDERS
from annotation.providers.base import Arrival, Outcome, Preview
from annotation.qualifications import told
from annotation.services import joining
from annotation.views.frame import instructions_parts, sorry, worker_page
from tesa_site.kernel.errors import InvalidInput, NotAllowed, TesaError
from tesa_site.kernel.views.access import requires, signed_in

INVITED = "tesa_invited"  # a cookie for this door alone: the same browser is the same worker
A_YEAR = 365 * 24 * 3600
DAMAGED = "This address does not say who you are. Open the study again from the site that sent you here."


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
    """Return what somebody is told about the work before they come in."""
    return {"campaign": campaign, "parts": instructions_parts(campaign), "told": told(campaign.qualifications)}


@worker_page
def panel(request: HttpRequest, slug: str) -> HttpResponse:
    """Let somebody in whom a panel sent; whoever only looks sees what the work is, and nothing is stored."""
    campaign = Campaign.objects.select_related("instructions").get(slug=slug)
    if campaign.provider == "local":
        raise Http404
    provider = PROVIDERS[campaign.provider]
    who = provider.arrival(campaign.provider_settings, request.GET.dict())
    if isinstance(who, Preview):
        return render(request, "annotation/work/preview.html", _offer(campaign))
    if who is None:
        return sorry(request, InvalidInput(DAMAGED), campaign=campaign)
    try:
        return redirect("work", joining.join_from_panel(campaign, who).secret)
    except (NotAllowed, joining.NothingLeft) as refused:
        return _not_for_you(request, campaign, who, refused)
    except TesaError as refused:
        return sorry(request, refused, campaign=campaign)


def _not_for_you(request: HttpRequest, campaign: Campaign, who: Arrival, refused: TesaError) -> HttpResponse:
    """Send somebody who does not qualify, or comes too late, back as screened out; nothing of them is stored."""
    provider = PROVIDERS[campaign.provider]
    completion = provider.completion(campaign.provider_settings, Outcome.SCREENED_OUT, who)
    return sorry(request, refused, campaign=campaign, completion=completion)


@worker_page
def invited(request: HttpRequest, code: str) -> HttpResponse:
    """Explain what the link is for; a POST takes a place and leads to the person's own address."""
    invite = selectors.invite(code)
    key = _key(request)
    mine = joining.invited_place(invite, key)
    if mine and mine.withdrawn_at:
        return redirect("work", mine.secret)
    if request.method == "POST":
        person = joining.join_by_invite(code, key)
        response = redirect("work-welcome", person.secret)
        signed = signing.dumps(person.worker.external_id, salt=INVITED)
        secure = settings.SESSION_COOKIE_SECURE
        door = reverse("work-join", args=[code]).removesuffix(f"{code}/")
        response.set_cookie(INVITED, signed, max_age=A_YEAR, path=door, httponly=True, samesite="Lax", secure=secure)
        return response
    try:
        if mine is None:
            joining.check_invite(invite)
    except TesaError as refused:
        return sorry(request, refused, campaign=invite.campaign)
    return render(request, "annotation/work/invited.html", _offer(invite.campaign) | {"invite": invite, "mine": mine})


def _key(request: HttpRequest) -> str:
    """Return the external id this browser was given, or nothing."""
    try:
        return str(signing.loads(request.COOKIES.get(INVITED, ""), salt=INVITED, max_age=A_YEAR))
    except signing.BadSignature:
        return ""


@worker_page
def welcome(request: HttpRequest, secret: str) -> HttpResponse:
    """A person's own address, to be kept."""
    person = selectors.participation(secret)
    address = request.build_absolute_uri(reverse("work", args=[secret]))
    return render(
        request,
        "annotation/work/welcome.html",
        {"person": person, "campaign": person.campaign, "address": address},
    )
