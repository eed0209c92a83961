"""A campaign from its making to its end, as a researcher sees it."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.forms import FIELD_OF, CampaignForm, initial_from
from annotation.models import Campaign, CampaignStatus, Invite
from annotation.pricing import Price, hourly_wage, price_of
from annotation.selectors import campaigns as selectors
from annotation.selectors import progress as progress_selectors
from annotation.services import campaigns, invites
from tesa_site.access import requires, signed_in
from tesa_site.kernel import jobs
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.errors import InvalidInput

PER_PAGE = 20


@requires("annotation.view_campaign")
def campaign_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(progress_selectors.campaigns(), PER_PAGE).get_page(request.GET.get("page"))
    rows = [(campaign, progress_selectors.progress_of(campaign)) for campaign in page]
    return render(request, "annotation/campaigns/list.html", {"page": page, "rows": rows})


# ---- Making one -----------------------------------------------------------------------------------


@requires("annotation.add_campaign")
def new_campaign(request: HttpRequest) -> HttpResponse:
    """Fill in, see the price, create: nothing is made before its price has been seen."""
    source = _made_from(request)
    initial = initial_from(source) if source else {"sample": request.GET.get("sample", "")}
    form = CampaignForm(request.POST or None, initial=initial)
    price: Price | None = None
    if request.method == "POST" and form.is_valid():
        plan = form.plan()
        try:
            campaigns.check_plan(plan)
            price = _price(plan)
            if form.cleaned_data["seen_total"] == str(price.total):
                return _create(request, plan, source)
        except InvalidInput as error:
            field = FIELD_OF.get(error.field, error.field)
            form.add_error(field if field in form.fields else None, error.problem)
    context = {"form": form, "source": source, **_priced(form, price)}
    context["queues_without_worker"] = kernel_selectors.queues_without_worker(["default"])
    return render(request, "annotation/campaigns/new.html", context, status=422 if form.errors else 200)


def _made_from(request: HttpRequest) -> Campaign | None:
    number = request.GET.get("from", "")
    return get_object_or_404(Campaign, pk=int(number)) if number.isdecimal() and len(number) < 18 else None


def _price(plan: campaigns.Plan) -> Price:
    return price_of(tasks=plan.sample.size, redundancy=plan.redundancy, reward=plan.reward, gold_every=plan.gold_every)


def _priced(form: CampaignForm, price: Price | None) -> dict[str, object]:
    """Return what the page says about money; the total comes back hidden, as the one that was seen."""
    if price is None or form.errors:
        return {}
    given = form.plan()
    form.data = {**form.data.dict(), "seen_total": str(price.total)}  # type: ignore[attr-defined]
    return {"price": price, "wage": hourly_wage(given.reward, given.estimated_s), "plan": given}


def _create(request: HttpRequest, plan: campaigns.Plan, source: Campaign | None) -> HttpResponse:
    campaign = campaigns.create_campaign(plan, by=signed_in(request), made_from=source)
    jobs.nudge(campaigns.start_making(campaign, by=signed_in(request)))
    messages.success(request, f"{campaign} was made as a draft. Nobody is asked anything before you start it.")
    return redirect("campaign", campaign.pk)


@require_POST
@requires("annotation.add_campaign")
def make_tasks(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Go on with what an interrupted job left."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    job = campaigns.start_making(campaign, by=signed_in(request))
    jobs.nudge(job)
    return redirect("job", job.pk)


# ---- Its page -------------------------------------------------------------------------------------


@requires("annotation.view_campaign")
def campaign_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(progress_selectors.campaigns(), pk=campaign_id)
    progress = progress_selectors.progress_of(campaign)
    work = kernel_selectors.jobs().filter(lock=campaigns.lock_of(campaign))
    is_making = work.filter(status__in=("queued", "running"), kind="make_tasks").exists()
    context = {
        "campaign": campaign,
        "progress": progress,
        "next": selectors.next_step(campaign, progress, is_making=is_making),
        "is_live": is_making or campaign.status == CampaignStatus.RUNNING,
    }
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "annotation/campaigns/campaign.html#live", context)
    subject = kernel_selectors.jobs().filter(subject=campaign.name, kind__in=campaigns.JOB_KINDS)
    context |= {
        "invites": campaign.invites.order_by("revoked_at", "-id"),
        "join_url": f"{settings.PUBLIC_URL}/task/join/",
        "jobs": subject[:5],
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]) if is_making else [],
    }
    return render(request, "annotation/campaigns/campaign.html", context)


@require_POST
@requires("annotation.change_campaign")
def make_invite(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    capacity = request.POST.get("capacity", "").strip()
    if not capacity.isdecimal() or len(capacity) > 9:
        raise InvalidInput("say for how many people, as in 10", field="capacity")
    label = request.POST.get("label", "")
    invites.make_invite(campaign, label=label, capacity=int(capacity), by=signed_in(request))
    messages.success(request, "The link is ready: copy it from the list and send it.")
    return redirect(reverse("campaign", args=[campaign.pk]) + "#invites")


@require_POST
@requires("annotation.change_campaign")
def revoke_invite(request: HttpRequest, invite_id: int) -> HttpResponse:
    invite = get_object_or_404(Invite, pk=invite_id)
    invites.revoke_invite(invite.pk, by=signed_in(request))
    messages.success(request, f"The link for {invite.label} lets nobody in any more.")
    return redirect(reverse("campaign", args=[invite.campaign_id]) + "#invites")
