"""The way to the marketplace, on one page: settings, preview, price and pay, rehearsal, publishing."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Campaign, CampaignStatus
from annotation.pricing import hourly_wage
from annotation.providers import PROVIDERS
from annotation.selectors.campaigns import tasks_wanted
from annotation.selectors.rehearsals import rehearsals
from annotation.services import campaigns
from annotation.services.market import following, ledger, publishing, rehearsing
from annotation.views.market import budget_cents, campaign_on_marketplace
from annotation.views.work_pages.doors import preview_page
from kernel import selectors as kernel_selectors
from kernel.errors import TesaError
from kernel.security import content_security_policy
from kernel.values import counted
from kernel.views.access import requires, signed_in
from kernel.views.jobs import follow


def _campaign(campaign_id: int) -> Campaign:
    campaign = campaign_on_marketplace(campaign_id)
    if campaign.is_rehearsal:
        raise Http404
    return campaign


@require_safe
@requires("annotation.view_campaign")
def publish_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return _page(request, _campaign(campaign_id))


def _page(request: HttpRequest, campaign: Campaign, refused: TesaError | None = None) -> HttpResponse:
    places, rewards, fees = publishing.price_cents(campaign)
    latest = rehearsals(campaign)
    context = {
        "campaign": campaign,
        "provider": PROVIDERS[campaign.provider],
        "asked": campaign.provider_settings,
        "is_ready": 0 < campaign.tasks_made >= tasks_wanted(campaign),
        "places": places,
        "hits": publishing.hits_missing(campaign),
        "rewards": rewards,
        "fees": fees,
        "total": rewards + fees,
        "budget": request.POST.get("budget") or ledger.dollars(max(campaign.budget_cents, rewards + fees)),
        "wage": hourly_wage(campaign.reward, campaign.estimated_s),
        "wage_warning": settings.WAGE_FLOOR.warning(campaign.reward, campaign.currency, campaign.estimated_s),
        "last": latest[0] if latest else None,
        "last_spent": ledger.spent_cents(latest[0].copy) if latest else 0,
        "earlier": latest[1:],
        "rehearsed_tasks": min(rehearsing.TASKS, campaign.tasks_made),
        "rehearsed_answers": min(rehearsing.ANSWERS, campaign.redundancy),
        "refused": refused,
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
    }
    template = "annotation/campaigns/publish.html"
    response = render(request, template, context, status=refused.status if refused else 200)
    response["Content-Security-Policy"] = content_security_policy(frames=["'self'"])
    return response


@require_safe
@requires("annotation.view_campaign")
def frame(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Show the first task as people see it before they accept it."""
    campaign = _campaign(campaign_id)
    return preview_page(request, campaign, campaign.tasks.order_by("is_gold", "position").first())


@require_POST
@requires("annotation.add_campaign")
def rehearse(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Start a rehearsal on a copy in the sandbox."""
    campaign = _campaign(campaign_id)
    try:
        job = rehearsing.start(campaign, by=signed_in(request))
    except TesaError as refused:
        return _page(request, campaign, refused)
    return follow(request, job)


@require_POST
@requires("annotation.spend")
@requires("annotation.change_campaign")
def publish(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Set the budget, open the campaign, and start the job that publishes its tasks. Repeating it changes nothing."""
    campaign, by = _campaign(campaign_id), signed_in(request)
    if campaign.status == CampaignStatus.DRAFT:
        try:
            campaign = ledger.set_budget(campaign.pk, budget_cents(request), by=by)
            campaigns.start(campaign.pk, by=by)
            messages.success(request, _published(campaign))
        except TesaError as refused:
            return _page(request, campaign, refused)
        if job := following.start(campaign, by=by):
            return follow(request, job, to=reverse("campaign-market", args=[campaign.pk]))
    return redirect("campaign-market", campaign.pk)


def _published(campaign: Campaign) -> str:
    hits, (_, rewards, fees) = counted(publishing.hits_missing(campaign), "HIT"), publishing.price_cents(campaign)
    extent = hits if campaign.budget_cents >= rewards + fees else f"up to {hits}, as far as the budget goes"
    return f"Publishing {extent}. The Marketplace tab counts them as they appear."
