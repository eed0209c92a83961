"""Bonuses that bring everybody to a given hourly pay: computed, shown, confirmed, then paid by a job."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation.models import Campaign
from annotation.selectors import wages
from annotation.services.market import bonuses, following
from annotation.views.market import campaign_on_marketplace
from kernel import jobs
from kernel.errors import InvalidInput, TesaError
from kernel.values import counted, whole_number
from kernel.views.access import requires, signed_in


@requires("annotation.spend")
def top_up(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Show who is below this pay and what the bonuses cost; plan them once that is confirmed."""
    campaign = campaign_on_marketplace(campaign_id)
    data = request.POST if request.method == "POST" else request.GET
    back = reverse(
        "campaign-payments" if request.user.has_perm("annotation.pay") else "campaign-market", args=[campaign.pk]
    )
    context = {"campaign": campaign, "back": back, "left": campaign.budget_cents - campaign.reserved_cents}
    try:
        floor = _floor(data.get("floor", ""))
    except InvalidInput as problem:
        return render(request, "annotation/campaigns/top_up.html", context | {"refused": problem}, status=422)
    refused = None
    if request.method == "POST":
        try:
            shown = whole_number(data.get("total", "")) or 0
            number = bonuses.top_up(campaign.pk, floor, shown_cents=shown, by=signed_in(request))
        except TesaError as problem:
            refused = problem
        else:
            return _paid(request, campaign, number, back)
    rows = wages.below(campaign, floor)
    amount, fees = sum(row.cents for row in rows), sum(row.fee_cents for row in rows)
    context |= {"floor": floor, "rows": rows, "amount": amount, "fees": fees, "total": amount + fees}
    context["refused"] = refused
    return render(request, "annotation/campaigns/top_up.html", context, status=refused.status if refused else 200)


def _floor(text: str) -> Decimal:
    try:
        return bonuses.check_floor(Decimal(text.strip()[:20]))
    except InvalidOperation:
        return bonuses.check_floor(Decimal(0))


def _paid(request: HttpRequest, campaign: Campaign, number: int, back: str) -> HttpResponse:
    if not number:
        messages.success(request, "Everybody already earns this much an hour: nothing was paid.")
        return redirect(back)
    job = following.start(campaign, by=signed_in(request))
    if job:
        jobs.nudge(job)
    bonuses_are = counted(number, "bonus is", "bonuses are")
    message = f"{bonuses_are} being paid." if job else f"{bonuses_are} paid within five minutes."
    messages.success(request, message)
    return redirect(back)
