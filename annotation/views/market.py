"""A campaign on a marketplace: its price and budget, what was submitted, and what the two sides say differently."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Campaign, CampaignStatus, Placement
from annotation.pricing import hourly_wage
from annotation.selectors import market as selectors
from annotation.selectors import progress as progress_selectors
from annotation.services.market import (
    approving,
    following,
    ledger,
    marketplaces,
    mending,
    publishing,
    rejecting,
    spending,
)
from kernel import jobs
from kernel import selectors as kernel_selectors
from kernel.errors import InvalidInput, TesaError
from kernel.models import User
from kernel.services import jobs as job_services
from kernel.values import counted, whole_number
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_stream
from kernel.views.jobs import follow
from kernel.views.ticked import ids_in

Action = Callable[[Campaign, User, HttpRequest], str]
COMPARING = "Checking with the marketplace."
COMPARE_LATER = "Another job of this campaign is running. Compare again when it has ended."
LATER = "Another job is running. The marketplace gets this within five minutes."
JOINED = "Another job of this campaign is running. This is done before that ends, or right after it."


def campaign_on_marketplace(campaign_id: int) -> Campaign:
    campaign = get_object_or_404(progress_selectors.campaigns(), pk=campaign_id)
    if not marketplaces.is_marketplace(campaign):
        raise Http404
    return campaign


@requires("annotation.view_campaign")
def market_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return _page(request, campaign_on_marketplace(campaign_id))


def _page(request: HttpRequest, campaign: Campaign, refused: TesaError | None = None) -> HttpResponse:
    places, rewards, fees = publishing.price_cents(campaign)
    counts = selectors.counts(campaign)
    context = {
        "campaign": campaign,
        "counts": counts,
        "uncollected": f"{counted(counts['uncollected'], 'submitted answer')} to collect",
        "places": places,
        "undecided": sum(publishing.undecided(campaign).values()),
        "rewards": rewards,
        "fees": fees,
        "spent": ledger.spent_cents(campaign),
        "left": campaign.budget_cents - campaign.reserved_cents,
        "budget": ledger.dollars(campaign.budget_cents or campaign.reserved_cents + rewards + fees),
        "wage": hourly_wage(campaign.reward, campaign.estimated_s),
        "wage_warning": settings.WAGE_FLOOR.warning(campaign.reward, campaign.currency, campaign.estimated_s),
        "rows": selectors.placement_rows(campaign),
        "offers": mending.offers(list(selectors.differences(campaign))),
        "refused": refused,
        "jobs": kernel_selectors.jobs().filter(subject=campaign.name, kind=following.KIND)[:3],
    }
    return render(request, "annotation/campaigns/market.html", context, status=refused.status if refused else 200)


@requires()
def ledger_file(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Return every entry of the ledger, to people who spend and to people who pay."""
    if not any(signed_in(request).has_perm(name) for name in ("annotation.spend", "annotation.pay")):
        raise PermissionDenied
    campaign = campaign_on_marketplace(campaign_id)
    rows = selectors.ledger_cells(campaign)
    return csv_stream(request, f"campaign-{campaign.pk}-ledger.csv", selectors.LEDGER, rows)


def budget_cents(request: HttpRequest) -> int:
    """Return the budget that was typed; one that is no amount is refused."""
    try:
        amount = Decimal(request.POST.get("budget", "").strip())
        if not amount.is_finite() or abs(amount) >= 10**9:
            return -1
        if amount == round(amount, 2):
            return int(amount * 100)
    except InvalidOperation:
        pass
    raise InvalidInput("give an amount, as in 25.00", field="budget")


def _budget(campaign: Campaign, by: User, request: HttpRequest) -> str:
    ledger.set_budget(campaign.pk, budget_cents(request), by=by)
    return "The budget is set."


def _follow(campaign: Campaign, by: User, request: HttpRequest) -> str:
    """Decide that what is missing is published, if the campaign is open."""
    if campaign.status == CampaignStatus.RUNNING:
        spending.decide(campaign, by=by)
    return COMPARING


def _approve(campaign: Campaign, by: User, request: HttpRequest) -> str:
    number = approving.approve(campaign, ids_in(request.POST, "placement"), by=by)
    return f"{number} will be approved and paid."


def _on_rejection(do: Callable[..., object], message: str, *fields: str) -> Action:
    """Return what decides about the rejection of one placement; these fields of the form go to the service."""

    def action(campaign: Campaign, by: User, request: HttpRequest) -> str:
        rows = Placement.objects.filter(posting__campaign=campaign)
        placement = get_object_or_404(rows, pk=whole_number(request.POST.get("placement", "")) or 0)
        do(placement.pk, by=by, **{name: request.POST.get(name, "") for name in fields})
        return message

    return action


ACTIONS: dict[str, Action] = {
    "budget": _budget,
    "approve": _approve,
    "reject": _on_rejection(rejecting.ask, "Somebody else has to confirm the rejection.", "reason"),
    "confirm": _on_rejection(rejecting.confirm, "The rejection is confirmed."),
    "drop": _on_rejection(rejecting.drop, "The rejection is dropped."),
    "overturn": _on_rejection(rejecting.overturn, "The rejection is overturned: the work will be paid.", "reason"),
    "follow": _follow,
    "compare": lambda campaign, by, request: COMPARING,
}


@require_POST
@requires("annotation.spend")
def act(request: HttpRequest, campaign_id: int, action: str) -> HttpResponse:
    """Store a decision, and start the job that tells the marketplace."""
    campaign = campaign_on_marketplace(campaign_id)
    if action not in ACTIONS:
        raise Http404
    try:
        message = ACTIONS[action](campaign, signed_in(request), request)
    except TesaError as refused:
        return _page(request, campaign, refused)
    if action == "budget" and campaign.status == "draft":
        messages.success(request, message)
        return redirect("campaign-market", campaign.pk)
    later = {"compare": COMPARE_LATER, "budget": JOINED, "follow": JOINED}.get(action, LATER)
    return _start(request, campaign, message, later, **({"compare": "yes"} if message == COMPARING else {}))


def _start(request: HttpRequest, campaign: Campaign, message: str, later: str, **parameters: str) -> HttpResponse:
    """Start the job. If another one is running, say what happens `later`, or let a script follow that one."""
    job = following.start(campaign, by=signed_in(request), **parameters)
    followed = job or (following.open_job(campaign) if later == JOINED else None)
    if followed and request.headers.get("HX-Request"):
        return follow(request, followed)
    if job:
        jobs.nudge(job)
        messages.success(request, message)
    else:
        messages.warning(request, later if later == COMPARE_LATER else f"{message} {later}")
    return redirect("campaign-market", campaign.pk)


@require_POST
@requires("annotation.spend")
def mend(request: HttpRequest, campaign_id: int, difference_id: int) -> HttpResponse:
    """Decide what is done about a difference, and start the job that does it and compares again."""
    campaign = campaign_on_marketplace(campaign_id)
    difference = campaign.differences.filter(pk=difference_id).first()
    if difference is None:
        messages.success(request, "This difference is settled, or no longer there.")
        return redirect("campaign-market", campaign.pk)
    try:
        fields = {name: request.POST.get(name, "") for name in ("choice", "reason")}
        message = mending.mend(difference, **fields, by=signed_in(request))
    except TesaError as refused:
        return _page(request, campaign, refused)
    return _start(request, campaign, message, JOINED if message == mending.STORED_IT else LATER, compare="yes")


@requires("annotation.spend")
def expire_everything(request: HttpRequest) -> HttpResponse:
    """The kill switch: say how many HITs of how many campaigns end; end them when that was confirmed."""
    if request.method == "POST":
        by = signed_in(request)
        job = job_services.create_job(
            "expire_everything", subject="all marketplaces", by=by, parameters={"by_id": by.pk}
        )
        return follow(request, job)
    postings, number = selectors.open_everywhere()
    context = {"postings": postings, "campaigns": number, "back": reverse("campaigns")}
    return render(request, "annotation/campaigns/expire.html", context)
