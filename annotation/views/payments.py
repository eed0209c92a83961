"""What a campaign's people are owed, for those who pay them. Payments are made elsewhere and only recorded here."""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.models import Assignment, Campaign, LateChoice, Payment
from annotation.pricing import money
from annotation.selectors import payment_totals, progress, wages
from annotation.selectors import payments as selectors
from annotation.selectors.costs import price_of_campaign
from annotation.selectors.participants import late_answers, late_rows
from annotation.selectors.payments import PayFilters
from annotation.services import payments as services
from annotation.services.market import ledger, marketplaces
from kernel.clock import now
from kernel.errors import InvalidInput, TesaError, WrongState
from kernel.values import counted
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_stream
from kernel.views.paging import KeyPaginator

PER_PAGE = 50
SHOWN = 100  # late answers on one page
DECIDED = {
    LateChoice.COUNT: "The answer counts and is paid.",
    LateChoice.PAY: "The answer is paid. It does not count.",
    LateChoice.DECLINE: "The answer is declined. The person can read your reason.",
}
EXCLUDED = "The answer is paid. It does not count: the person is excluded."


@requires("annotation.pay")
def payments_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return _page(request, get_object_or_404(Campaign, pk=campaign_id))


def _page(request: HttpRequest, campaign: Campaign, refused: TesaError | None = None, late: int = 0) -> HttpResponse:
    """Show the page, with the error and the late answer it is about, if any."""
    filters = PayFilters.from_query(request.GET)
    people = selectors.people_to_pay(campaign, filters)
    totals = payment_totals.page_totals(campaign, filters.show)
    paginator = KeyPaginator(people, PER_PAGE)
    paginator.count = totals.shown.people  # counted already
    page = paginator.get_page(request.GET.get("page"))
    rows = selectors.pay_rows(page)
    details = selectors.details_of(rows)
    context = {
        "campaign": campaign,
        "page": page,
        "rows": [(row, details.get(row.person.pk, "")) for row in rows],
        **vars(filters),
        "list_url": reverse("campaign-payments", args=[campaign.pk]),  # a refused form is shown at another address
        "totals": totals.everybody,
        "numbers": totals.numbers,
        "shown": totals.shown,
        "price": price_of_campaign(campaign, progress.progress_of(campaign)),
        "late": late_rows(campaign, late_answers(campaign)[:SHOWN]),
        "late_count": late_answers(campaign).count(),
        "decided": late_rows(campaign, selectors.late_decided(campaign)[:SHOWN]),
        "today": now().date(),
        "refused": refused,
        "refused_late": late,
        **_on_marketplace(campaign),
    }
    return render(request, "annotation/campaigns/payments.html", context, status=refused.status if refused else 200)


def _on_marketplace(campaign: Campaign) -> dict[str, Any]:
    if not marketplaces.is_marketplace(campaign):
        return {}
    spent, floor = ledger.spent_cents(campaign), settings.WAGE_FLOOR
    return {
        "is_marketplace": True,
        "spent": spent,
        "committed": campaign.reserved_cents - spent,
        "left": campaign.budget_cents - campaign.reserved_cents,
        "median_wage": wages.median_wage(campaign),
        "floor": money(floor.amount) if floor.currency == campaign.currency and floor.amount else "",
    }


@requires("annotation.pay")
def payments_file(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Return everybody whom the filters let through, not only the page shown."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    rows = selectors.cells(campaign, PayFilters.from_query(request.GET))
    return csv_stream(request, f"campaign-{campaign.pk}-payments.csv", selectors.COLUMNS, rows)


@require_POST
@requires("annotation.pay")
def mark_paid(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Record that the ticked people were paid; each tick carries the amount that the page showed."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    try:
        paid_on, ticked = _day(request.POST.get("paid_on", "")), _ticked(request)
    except InvalidInput as refused:
        return _page(request, campaign, refused)
    number, problem = 0, None
    for person, amount in ticked:
        try:
            if campaign.participations.filter(pk=person).exists():
                number += services.mark_paid(person, amount=amount, paid_on=paid_on, by=signed_in(request)) is not None
        except (InvalidInput, WrongState) as refused:
            problem = refused
    if number or not problem:
        sentence = f"{counted(number, 'person is', 'people are')} marked as paid."
        messages.success(request, sentence if number else "Nothing was owed.")
    if problem:
        return _page(request, campaign, problem)
    return _back(request, campaign.pk)


def _back(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Go back to the same page of the list, with its filters."""
    return redirect(f"{reverse('campaign-payments', args=[campaign_id])}?{request.GET.urlencode()}".removesuffix("?"))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput("enter the day in the form 2026-03-31", field="paid_on") from error


def _ticked(request: HttpRequest) -> list[tuple[int, Decimal]]:
    ticked = []
    for value in request.POST.getlist("person"):
        number, _, amount = value.partition(" ")
        try:
            if number.isdecimal() and len(number) < 18 and len(amount) < 14:
                ticked.append((int(number), Decimal(amount)))
        except InvalidOperation:
            continue
    if not ticked:
        raise InvalidInput("tick at least one person", field="person")
    return ticked


@require_POST
@requires("annotation.pay")
def cancel(request: HttpRequest, payment_id: int) -> HttpResponse:
    payment = get_object_or_404(Payment.objects.select_related("participation"), pk=payment_id)
    services.cancel_payment(payment.pk, by=signed_in(request))
    messages.success(request, "Payment undone: the amount is due again.")
    return _back(request, payment.participation.campaign_id)


@require_POST
@requires("annotation.pay")
def decide_late(request: HttpRequest, assignment_id: int) -> HttpResponse:
    turn = get_object_or_404(Assignment.objects.select_related("campaign", "participation"), pk=assignment_id)
    choice = request.POST.get("choice", "")
    try:
        if choice not in LateChoice.values:
            raise InvalidInput("choose what to do with the answer", field="choice")
        made = LateChoice(choice)
        services.decide_late(turn.pk, made, reason=request.POST.get("reason", ""), by=signed_in(request))
    except (InvalidInput, WrongState) as refused:
        return _page(request, turn.campaign, refused, late=turn.pk)
    is_out = made == LateChoice.COUNT and turn.participation.excluded_at is not None
    messages.success(request, EXCLUDED if is_out else DECIDED[made])
    progress.forget(turn.campaign)
    return _back(request, turn.campaign_id)
