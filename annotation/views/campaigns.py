"""A campaign from its making to its end, as a researcher sees it."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.forms import CampaignForm, EditCampaignForm, initial_from
from annotation.models import Campaign, CampaignStatus, Invite
from annotation.pricing import Gold, Price, Study, hourly_wage, price_of, study_of
from annotation.providers import PROVIDERS
from annotation.selectors import campaigns as selectors
from annotation.selectors import progress as progress_selectors
from annotation.services import campaigns, editing, invites
from tesa_site.kernel import jobs
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.views.access import requires, signed_in

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
    return _form_page(request, form, lambda plan: _create(request, plan, source), {"source": source})


@requires("annotation.change_campaign")
def edit_campaign(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The same form, filled in. A price that stays the same has been seen already."""
    campaign = get_object_or_404(Campaign.objects.select_related("sample"), pk=campaign_id)
    editing.check_editable(campaign)
    form = EditCampaignForm(request.POST or None, campaign=campaign)
    form.initial["seen_total"] = str(_price(campaign).total)
    return _form_page(request, form, lambda plan: _save(request, plan, campaign), {"campaign": campaign})


def _form_page(
    request: HttpRequest,
    form: CampaignForm,
    save: Callable[[campaigns.Plan], HttpResponse],
    context: dict[str, object],
) -> HttpResponse:
    """Save what was filled in once it is right and its price has been seen; else show the form with what is missing."""
    if request.method == "POST" and form.is_valid():
        plan = form.plan()
        try:
            campaigns.check_plan(plan)
            if form.cleaned_data["seen_total"] == str(_price(plan).total):
                return save(plan)
        except InvalidInput as error:
            form.add_error(form.field_of(error.field), error.problem)
    context |= {"form": form, **_priced(form)}
    context["queues_without_worker"] = kernel_selectors.queues_without_worker(["default"])
    return render(request, "annotation/campaigns/new.html", context, status=422 if form.errors else 200)


def _made_from(request: HttpRequest) -> Campaign | None:
    number = request.GET.get("from", "")
    return get_object_or_404(Campaign, pk=int(number)) if number.isdecimal() and len(number) < 18 else None


def _price(plan: campaigns.Plan | Campaign) -> Price:
    gold = Gold(plan.gold_every)
    return price_of(tasks=plan.sample.size, redundancy=plan.redundancy, reward=plan.reward, gold=gold)


def _study(plan: campaigns.Plan | Campaign) -> Study | None:
    """Return how to set the study up where people come from; None for our own people, or if a visit has no length."""
    if PROVIDERS[plan.provider].takes_own_people:
        return None
    limits = {"per_person": plan.per_person, "estimated_s": plan.estimated_s}
    return study_of(_price(plan), tasks=plan.sample.size, redundancy=plan.redundancy, **limits)


def _priced(form: CampaignForm) -> dict[str, object]:
    """Return what the page says about money; the total comes back hidden, as the one that was seen."""
    if not form.is_bound or form.errors:
        return {}
    plan = form.plan()
    price = _price(plan)
    form.data = {**form.data.dict(), "seen_total": str(price.total)}  # type: ignore[attr-defined]
    return {
        "price": price,
        "wage": hourly_wage(plan.reward, plan.estimated_s),
        "wage_warning": settings.WAGE_FLOOR.warning(plan.reward, plan.currency, plan.estimated_s),
        "plan": plan,
        "study": _study(plan),
        "provider_part": "" if PROVIDERS[plan.provider].takes_own_people else _provider_part(plan, "price"),
    }


def _provider_part(plan: campaigns.Plan | Campaign, page: str) -> str:
    """Return the template of the part of a page that the provider brings."""
    return f"annotation/providers/{plan.provider}/{page}.html"


def _create(request: HttpRequest, plan: campaigns.Plan, source: Campaign | None) -> HttpResponse:
    campaign = campaigns.create_campaign(plan, by=signed_in(request), made_from=source)
    jobs.nudge(campaigns.start_making(campaign, by=signed_in(request)))
    messages.success(request, f"{campaign} was made as a draft. Nobody is asked anything before you start it.")
    return redirect("campaign", campaign.pk)


def _save(request: HttpRequest, plan: campaigns.Plan, campaign: Campaign) -> HttpResponse:
    editing.edit_campaign(campaign.pk, plan, by=signed_in(request))
    messages.success(request, "The settings were changed.")
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
    return _campaign_page(request, campaign_id)


def _campaign_page(request: HttpRequest, campaign_id: int, refused: InvalidInput | None = None) -> HttpResponse:
    """Show a campaign; with a link that was refused, its form again with what was typed and what is wrong."""
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
        "asked": progress_selectors.people_asked(campaign),
        "invites": campaign.invites.order_by("revoked_at", "-id"),
        "join_url": f"{settings.PUBLIC_URL}/task/join/",
        "provider_part": _provider_part(campaign, "campaign"),
        "door": PROVIDERS[campaign.provider].door(campaign.provider_settings),
        "door_url": selectors.door_address(campaign),
        "study": _study(campaign),
        "invite_form": {"label": request.POST.get("label", ""), "capacity": request.POST.get("capacity", "10")},
        "most_invited": invites.MOST,
        "refused": refused,
        "jobs": subject[:5],
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]) if is_making else [],
    }
    return render(request, "annotation/campaigns/campaign.html", context, status=422 if refused else 200)


@require_POST
@requires("annotation.change_campaign")
def make_invite(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    capacity, label = request.POST.get("capacity", "").strip(), request.POST.get("label", "")
    try:
        if not capacity.isdecimal() or len(capacity) > 9:
            raise InvalidInput("say for how many people, as in 10", field="capacity")
        invites.make_invite(campaign, label=label, capacity=int(capacity), by=signed_in(request))
    except InvalidInput as refused:
        return _campaign_page(request, campaign_id, refused)
    messages.success(request, "The link is ready: copy it from the list and send it.")
    return redirect(reverse("campaign", args=[campaign.pk]) + "#invites")


@require_POST
@requires("annotation.change_campaign")
def revoke_invite(request: HttpRequest, invite_id: int) -> HttpResponse:
    invite = get_object_or_404(Invite, pk=invite_id)
    invites.revoke_invite(invite.pk, by=signed_in(request))
    messages.success(request, f"The link for {invite.label} lets nobody in any more.")
    return redirect(reverse("campaign", args=[invite.campaign_id]) + "#invites")
