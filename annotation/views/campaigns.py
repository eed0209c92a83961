"""A campaign from its making to its end, as a researcher sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation import plots
from annotation.forms.campaign import CampaignForm, EditCampaignForm, initial_from
from annotation.models import Campaign, CampaignStatus, Invite
from annotation.pricing import hourly_wage
from annotation.providers import PROVIDERS
from annotation.selectors import campaigns as selectors
from annotation.selectors import follow_ups as follow_up_selectors
from annotation.selectors import participants as participants_selectors
from annotation.selectors import progress as progress_selectors
from annotation.selectors.costs import price_of_campaign
from annotation.selectors.descriptions import asked_type, chosen_task, task_choices
from annotation.selectors.overview import overview
from annotation.services import campaigns, editing, invites
from annotation.task_types import type_of
from annotation.task_types.lessons import read_lessons
from corpus.models import Sample
from kernel import jobs
from kernel import selectors as kernel_selectors
from kernel.errors import InvalidInput
from kernel.plots.drawing import Plot
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_download
from kernel.views.jobs import follow
from kernel.views.plots import svg, svg_file

TARGET_AT = 667  # of the 1,000 that the meter of the hourly pay is wide


# ---- Making one -----------------------------------------------------------------------------------


@requires("annotation.add_campaign")
def new_campaign(request: HttpRequest) -> HttpResponse:
    source = _made_from(request)
    asked = request.GET.get("task_type", "")
    initial = initial_from(source) if source else {"sample": request.GET.get("sample", "")}
    if not source:
        initial["task_type"] = _known_task(asked) or _task_about(str(initial["sample"]))
    form = CampaignForm(request.POST or None, initial=initial)
    return _form_page(request, form, lambda plan: _create(request, plan, source), {"source": source})


@requires("annotation.change_campaign")
def edit_campaign(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The same form, filled in."""
    campaign = get_object_or_404(Campaign.objects.select_related("sample"), pk=campaign_id)
    editing.check_editable(campaign)
    form = EditCampaignForm(request.POST or None, campaign=campaign)
    gold = campaign.tasks.filter(is_gold=True).count()
    return _form_page(request, form, lambda plan: _save(request, plan, campaign), {"campaign": campaign}, gold)


def _form_page(
    request: HttpRequest,
    form: CampaignForm,
    save: Callable[[campaigns.CampaignPlan], HttpResponse],
    context: dict[str, object],
    gold: int = 0,
) -> HttpResponse:
    """Save what was filled in if that was asked for and it is right; else show the form and what it would cost.

    `gold` check tasks are chosen already.
    """
    is_saving = "save" in request.POST
    if is_saving and form.is_valid():
        try:
            return save(form.plan())
        except InvalidInput as error:
            form.add_error(form.field_of(error.field), error.sentence)
    context |= {"form": form, "is_saving": is_saving, **_cost(form, gold)}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "annotation/campaigns/new.html#cost", context | {"is_part": True})
    context["queues_without_worker"] = kernel_selectors.queues_without_worker(["default"])
    return render(request, "annotation/campaigns/new.html", context, status=422 if is_saving else 200)


def _known_task(name: str) -> str:
    """Return the name of what a campaign can ask; "" for an unknown one."""
    with suppress(InvalidInput):
        chosen_task(name)
        return name
    return ""


def _task_about(sample: str) -> str:
    """Return the name of the first task that asks about what this sample holds; "" if there is none."""
    number = int(sample) if sample.isdecimal() and len(sample) < 18 else 0
    if not (chosen := Sample.objects.filter(pk=number).first()):
        return ""
    names = (name for name, _ in task_choices())
    return next((name for name in names if asked_type(name).item_kind == chosen.item_kind), "")


def _made_from(request: HttpRequest) -> Campaign | None:
    number = request.GET.get("from", "")
    return get_object_or_404(Campaign, pk=int(number)) if number.isdecimal() and len(number) < 18 else None


def _cost(form: CampaignForm, gold: int) -> dict[str, object]:
    """Return what the page says about money, and how many people it knows who meet the requirements."""
    plan, floor = form.priced(), settings.WAGE_FLOOR
    if plan is None:
        return {}
    price, wage = campaigns.price_of_plan(plan, gold), hourly_wage(plan.reward, plan.estimated_s)
    return {
        "plan": plan,
        "tasks": price.answers // plan.redundancy,  # without check tasks
        "price": price,
        "of_gold": price.gold * plan.reward,
        "of_answers": price.answers * plan.reward,
        "paid_s": (price.answers + price.gold) * plan.estimated_s,
        "wage": wage,
        "floor": floor,
        "wage_warning": floor.warning(plan.reward, plan.currency, plan.estimated_s),
        "fair": floor.fair(plan.estimated_s),
        "meter": min(1000, round(wage / floor.amount * TARGET_AT)) if wage and floor.amount else 0,
        "target_at": TARGET_AT,
        "known": participants_selectors.people_who_meet(form.wanted(), plan.provider),
        "study": campaigns.study_of_plan(plan, price),
        "provider_part": "" if PROVIDERS[plan.provider].takes_own_people else _provider_part(plan, "price"),
    }


def _provider_part(plan: campaigns.CampaignPlan | Campaign, page: str) -> str:
    """Return the template of the part of a page that the provider brings."""
    return f"annotation/providers/{plan.provider}/{page}.html"


def _create(request: HttpRequest, plan: campaigns.CampaignPlan, source: Campaign | None) -> HttpResponse:
    if source and source.task_type == plan.task_type and not plan.task_settings:
        plan = replace(plan, task_settings=source.task_settings)  # the form does not ask for them
    left_out = ""
    if source and source.lessons is not None:  # they have a page of their own
        plan, left_out = _with_lessons(plan, source)
    campaign = campaigns.create_campaign(plan, by=signed_in(request), made_from=source)
    jobs.nudge(campaigns.start_job("make_tasks", campaign, by=signed_in(request)))
    messages.success(request, f"{campaign} was created as a draft. Nobody is asked until you open it.")
    if left_out:
        messages.warning(request, left_out)
    return redirect("campaign", campaign.pk)


def _with_lessons(plan: campaigns.CampaignPlan, source: Campaign) -> tuple[campaigns.CampaignPlan, str]:
    """Return the plan with the questions of its source, or why they do not fit its task."""
    type_ = type_of(plan)
    try:
        if type_of(source).key != type_.key:
            raise InvalidInput("it is another task")
        return replace(plan, lessons=read_lessons(source.lessons, type_).to_json()), ""
    except InvalidInput as error:
        why = f"The practice questions and the quiz of {source} do not fit this task ({error.problem})"
        return plan, f"{why}, so the campaign asks those of its task."


def _save(request: HttpRequest, plan: campaigns.CampaignPlan, campaign: Campaign) -> HttpResponse:
    editing.edit_campaign(campaign.pk, plan, by=signed_in(request))
    messages.success(request, "Settings saved.")
    return redirect("campaign", campaign.pk)


@require_POST
@requires("annotation.add_campaign")
def make_tasks(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Go on with what an interrupted job left."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    return follow(request, campaigns.start_job("make_tasks", campaign, by=signed_in(request)))


# ---- Its page -------------------------------------------------------------------------------------


@requires("annotation.view_campaign")
def campaign_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return _campaign_page(request, campaign_id)


def _campaign_page(request: HttpRequest, campaign_id: int, refused: InvalidInput | None = None) -> HttpResponse:
    """Show a campaign; with a link that was refused, its form again with what was typed and what is wrong."""
    campaign = get_object_or_404(progress_selectors.campaigns(), pk=campaign_id)
    progress = progress_selectors.progress_of(campaign)
    tasks = selectors.tasks_wanted(campaign)
    work = kernel_selectors.jobs(status="open", kind="make_tasks").filter(lock=campaigns.lock_of(campaign))
    is_making = campaign.tasks_made < tasks and work.exists()
    price = price_of_campaign(campaign, progress)
    context = overview(campaign, progress) | {
        "campaign": campaign,
        "price": price,
        "progress": progress,
        "tasks": tasks,
        "next": selectors.next_step(campaign, progress, is_making=is_making),
        "is_making": is_making,
        "is_live": is_making or campaign.status == CampaignStatus.RUNNING,
        "invites": campaign.invites.order_by(F("revoked_at").asc(nulls_first=True), "-id"),
        "join_url": f"{settings.PUBLIC_URL}/task/join/",
        "provider_part": _provider_part(campaign, "campaign"),
        "door": PROVIDERS[campaign.provider].door(campaign.provider_settings),
        "door_url": selectors.door_address(campaign),
        "study": campaigns.study_of_plan(campaign, price),
        "invite_form": {"label": request.POST.get("label", ""), "capacity": request.POST.get("capacity", "10")},
        "most_invited": invites.MOST_PEOPLE,
        "refused": refused,
        "chain": follow_up_selectors.chain_of(campaign),
        "can_be_followed": not campaign.is_rehearsal and bool(type_of(campaign).follow_ups),
        "without_judges": follow_up_selectors.tasks_without_judges(campaign),
        "jobs": kernel_selectors.jobs().filter(subject=campaign.name, kind__in=campaigns.JOB_KINDS)[:5],
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]) if is_making else [],
    }
    return render(request, "annotation/campaigns/campaign.html", context, status=422 if refused else 200)


@requires("annotation.view_campaign")
def settings_page(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(progress_selectors.campaigns(), pk=campaign_id)
    progress, asked = progress_selectors.progress_of(campaign), progress_selectors.people_asked(campaign)
    label = PROVIDERS[campaign.provider].label
    context = {"campaign": campaign, "progress": progress, "asked": asked, "provider_label": label}
    return render(request, "annotation/campaigns/settings.html", context)


@require_POST
@requires("annotation.change_campaign")
def make_invite(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    capacity, label = request.POST.get("capacity", "").strip(), request.POST.get("label", "")
    try:
        if not capacity.isdecimal() or len(capacity) > 9:
            raise InvalidInput("enter how many people, for example 10", field="capacity")
        invites.make_invite(campaign, label=label, capacity=int(capacity), by=signed_in(request))
    except InvalidInput as refused:
        return _campaign_page(request, campaign_id, refused)
    messages.success(request, "Link created. Copy it from the list and send it.")
    return redirect(reverse("campaign", args=[campaign.pk]) + "#invites")


@require_POST
@requires("annotation.change_campaign")
def revoke_invite(request: HttpRequest, invite_id: int) -> HttpResponse:
    invite = get_object_or_404(Invite, pk=invite_id)
    invites.revoke_invite(invite.pk, by=signed_in(request))
    messages.success(request, f"The link for {invite.label} is revoked: nobody else can join with it.")
    return redirect(reverse("campaign", args=[invite.campaign_id]) + "#invites")


# ---- Its plots, and the numbers behind them ---------------------------------------------------------


@dataclass(frozen=True)
class CampaignPlot:
    caption: str
    columns: tuple[str, str]
    data: Callable[[Campaign], Any]
    plot: Callable[..., Plot | None]
    rows: Callable[[Any], Iterable[tuple[Any, Any]]]


PLOTS = {
    "answers": CampaignPlot(
        "Answers over time (UTC).", ("from", "answers"), progress_selectors.answers_over_time, plots.answers_over_time,
        lambda rows: ((start.isoformat(), number) for start, number in rows),
    ),
    "tasks": CampaignPlot(
        "Tasks by number of answers.", ("answers", "tasks"), progress_selectors.tasks_by_answers,
        plots.tasks_by_answers, lambda tasks: sorted(tasks.items()),
    ),
    "time": CampaignPlot(
        f"Time for one answer, over the latest {progress_selectors.RECENT:,}.", ("seconds from", "answers"),
        progress_selectors.recent_seconds, plots.time_per_answer, plots.seconds_histogram,
    ),
}  # fmt: skip


@requires("annotation.view_campaign")
def campaign_plots(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """All of them: asked for by the campaign's page once it stands, or as a page of their own."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    drawn = [(name, svg(entry.plot(entry.data(campaign))), entry.caption) for name, entry in PLOTS.items()]
    template = "annotation/campaigns/plots.html"
    context = {"campaign": campaign, "plots": [shown for shown in drawn if shown[1]]}
    return render(request, f"{template}#plots" if request.htmx else template, context)  # type: ignore[attr-defined]


@requires("annotation.view_campaign")
def plot_file(request: HttpRequest, campaign_id: int, name: str, format: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    if name not in PLOTS:
        raise Http404
    entry = PLOTS[name]
    data = entry.data(campaign)
    if format == "svg":
        return svg_file(entry.plot(data, width=plots.FILE_WIDTH), f"campaign-{campaign.pk}-{name}")
    return csv_download(request, f"campaign-{campaign.pk}-{name}.csv", entry.columns, entry.rows(data))
