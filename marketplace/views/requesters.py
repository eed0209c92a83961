"""The accounts page: requesters, their keys and play money, sandboxes, messages and reports. For administrators."""

from __future__ import annotations

import json

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kernel.errors import InvalidInput
from kernel.views.access import requires
from marketplace.errors import MarketError
from marketplace.forms import AccountForm, DecisionForm, DepositForm, KeyForm, SandboxForm
from marketplace.models import AccessKey, Report, Requester
from marketplace.selectors import requests
from marketplace.services import accounts, money, people, qualifications

NEW_SECRET = "marketplace_secret"  # noqa: S105  # in the session for one page
MANAGE = "marketplace.manage_requesters"


@require_http_methods(["GET", "HEAD", "POST"])
@requires(MANAGE)
def requester_list(request: HttpRequest) -> HttpResponse:
    """List the accounts and open reports; a POST opens an account."""
    form = AccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = accounts.create_requester(form.cleaned_data["name"], is_sandbox=form.cleaned_data["is_sandbox"])
        return redirect("marketplace-requester", made.pk)
    reports = (
        Report.objects.filter(settled_at=None).select_related("hit__hit_type__requester", "worker").order_by("-pk")
    )
    context = {"requesters": Requester.objects.order_by("name"), "form": form, "reports": reports[:50]}
    return render(request, "marketplace/requesters.html", context, status=422 if form.errors else 200)


@require_safe
@requires(MANAGE)
def requester(request: HttpRequest, requester_id: int) -> HttpResponse:
    return _page(request, get_object_or_404(Requester, pk=requester_id))


@require_POST
@requires(MANAGE)
def make_key(request: HttpRequest, requester_id: int) -> HttpResponse:
    account, form = get_object_or_404(Requester, pk=requester_id), KeyForm(request.POST)
    if not form.is_valid():
        return _page(request, account, key_form=form)
    key, secret = accounts.create_key(account.pk, form.cleaned_data["label"])
    request.session[NEW_SECRET] = [key.key_id, secret]
    return redirect("marketplace-requester", account.pk)


@require_POST
@requires(MANAGE)
def revoke_key(request: HttpRequest, key_id: int) -> HttpResponse:
    key = accounts.revoke_key(key_id)
    messages.success(request, f"The key {key.key_id} was revoked.")
    return redirect("marketplace-requester", key.requester_id)


@require_POST
@requires(MANAGE)
def deposit(request: HttpRequest, requester_id: int) -> HttpResponse:
    account, form = get_object_or_404(Requester, pk=requester_id), DepositForm(request.POST)
    if not form.is_valid():
        return _page(request, account, deposit_form=form)
    money.deposit(account.pk, int(form.cleaned_data["amount"] * 100))
    return redirect("marketplace-requester", account.pk)


@require_POST
@requires(MANAGE)
def configure(request: HttpRequest, requester_id: int) -> HttpResponse:
    """Set the clock and the faults of a sandbox account."""
    account, form = get_object_or_404(Requester, pk=requester_id), SandboxForm(request.POST)
    if form.is_valid():
        values = form.cleaned_data
        try:
            accounts.configure_sandbox(
                account.pk, clock_offset_seconds=values["clock_offset_seconds"], fault_rules=values["faults"]
            )
            return redirect("marketplace-requester", account.pk)
        except InvalidInput as error:
            form.add_error("clock_offset_seconds", error.problem)
        except MarketError as error:
            form.add_error("faults", error.message)
    return _page(request, account, sandbox_form=form)


@require_POST
@requires(MANAGE)
def settle_report(request: HttpRequest, report_id: int) -> HttpResponse:
    people.settle_report(report_id)
    return redirect("marketplace-requesters")


@require_safe
@requires(MANAGE)
def request_list(request: HttpRequest, requester_id: int) -> HttpResponse:
    """Show the requests for the account's qualifications that wait for a decision, with their answers."""
    return _requests_page(request, get_object_or_404(Requester, pk=requester_id))


@require_POST
@requires(MANAGE)
def decide_request(request: HttpRequest, requester_id: int, request_id: str) -> HttpResponse:
    """Grant a request with a value, or reject it with a reason, in the name of the account."""
    account, form = get_object_or_404(Requester, pk=requester_id), DecisionForm(request.POST)
    if not form.is_valid():
        return _requests_page(request, account, request_id, form)
    is_granted = form.cleaned_data["action"] == "accept"
    value, reason = form.cleaned_data["value"] if is_granted else None, form.cleaned_data["reason"]
    try:
        qualifications.decide_request(account, request_id, accounts.time_of(account), value=value, reason=reason)
        messages.success(request, "The qualification was granted." if is_granted else "The request was rejected.")
    except MarketError as error:
        messages.error(request, f"Nothing was changed. {error.sentence}")
    return redirect("marketplace-requests", account.pk)


def _requests_page(
    request: HttpRequest, account: Requester, request_id: str = "", form: DecisionForm | None = None
) -> HttpResponse:
    rows = [
        (sent, requests.answers_of(sent), form if form and sent.request_id == request_id else DecisionForm())
        for sent in requests.pending(account)[:50]
    ]
    context = {"requester": account, "rows": rows, "count": requests.pending(account).count()}
    return render(request, "marketplace/requests.html", context, status=422 if form else 200)


def _page(request: HttpRequest, account: Requester, **forms: KeyForm | DepositForm | SandboxForm) -> HttpResponse:
    start = {"clock_offset_seconds": account.clock_offset_seconds, "faults": json.dumps(account.faults)}
    context = {
        "requester": account,
        "keys": AccessKey.objects.filter(requester=account).order_by("-pk"),
        "movements": account.movements.order_by("-pk")[:50],
        "letters": account.messages.filter(is_from_worker=True).select_related("worker").order_by("-pk")[:50],
        "waiting": requests.pending(account).count(),
        "secret": request.session.pop(NEW_SECRET, None) if not forms and request.method == "GET" else None,
        "key_form": KeyForm(),
        "deposit_form": DepositForm(),
        "sandbox_form": SandboxForm(initial=start),
        **forms,
    }
    return render(request, "marketplace/requester.html", context, status=422 if forms else 200)
