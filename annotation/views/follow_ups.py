"""Follow-ups: choosing what is asked about a campaign's answers, with the price of all stages."""

from __future__ import annotations

from decimal import Decimal

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render

from annotation.models import Campaign
from annotation.selectors.planned_stages import StagesPrice, price_of_stages
from annotation.selectors.progress import simulated_in
from annotation.services import follow_ups
from annotation.services.campaigns import LIMITS, LONGEST_CONTACT
from annotation.services.follow_ups import ESTIMATED_S, LONGEST_NAME, FollowUpOrder
from annotation.task_types import type_of
from kernel import selectors as kernel_selectors
from kernel.errors import InvalidInput, WrongState
from kernel.views.access import requires, signed_in
from kernel.views.jobs import follow

MOST_EXPECTED = 1000
TEMPLATE = "annotation/campaigns/follow_up.html"


class FollowUpForm(forms.Form):
    """What a follow-up is made with. While there are no answers, it only estimates the price."""

    kind = forms.ChoiceField(label="What people are asked", widget=forms.RadioSelect)
    name = forms.CharField(max_length=LONGEST_NAME, help_text="Of the sample and of the campaign that asks about it.")
    redundancy = forms.IntegerField(label="Answers per task", min_value=1, max_value=LIMITS["redundancy"][1])
    reward = forms.DecimalField(label="Reward per answer", min_value=0, max_value=LIMITS["reward"][1], decimal_places=2)
    estimated_s = forms.IntegerField(
        label="Expected time per answer", min_value=1, max_value=LIMITS["estimated_s"][1], help_text="In seconds."
    )
    contact = forms.CharField(max_length=LONGEST_CONTACT, help_text="Somebody that participants can write to.")
    expected = forms.IntegerField(
        label="Different pieces expected per item", min_value=1, max_value=MOST_EXPECTED, required=False
    )
    keeps_authors_out = forms.BooleanField(
        label="Nobody judges their own answers",
        required=False,
        help_text="People get no task about what they wrote or marked themselves, in any earlier stage.",
    )
    simulated = forms.BooleanField(
        label="Include answers of simulated participants",
        required=False,
        help_text="A release leaves out what only they gave, unless it includes simulated answers.",
    )

    def __init__(self, campaign: Campaign, data: QueryDict | None) -> None:
        kinds = type_of(campaign).follow_ups
        self.is_estimate = not follow_ups.has_answers(campaign)
        initial = {
            "kind": next(iter(kinds)), "name": _name_for(campaign), "redundancy": 3, "reward": campaign.reward,
            "estimated_s": ESTIMATED_S, "contact": campaign.contact, "keeps_authors_out": True,
            "expected": campaign.redundancy,
        }  # fmt: skip
        super().__init__(data, initial=initial)
        self.fields["kind"].choices = [(name, kind.label) for name, kind in kinds.items()]  # type: ignore[attr-defined]
        self.kinds = [(name, kind.label, kind.about) for name, kind in kinds.items()]
        unused = ["name", "contact", "keeps_authors_out"] if self.is_estimate else ["expected"]
        if self.is_estimate or not simulated_in(campaign):
            unused.append("simulated")
        for name in unused:
            del self.fields[name]

    def order(self) -> FollowUpOrder:
        values = {name: value for name, value in self.cleaned_data.items() if name != "expected"}
        return FollowUpOrder(**{"name": "", **values})


def _name_for(campaign: Campaign) -> str:
    return f"{campaign.name[: LONGEST_NAME - 9]}, stage 2" if campaign.name else ""


@requires("annotation.add_campaign")
def new_follow_up(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.select_related("sample"), pk=campaign_id)
    if why := _refusal(campaign):
        return render(request, TEMPLATE, {"campaign": campaign, "refused": why}, status=409)
    is_saving = "save" in request.POST
    form = FollowUpForm(campaign, request.POST or None)
    is_valid = form.is_valid()
    if is_saving and is_valid and not form.is_estimate:
        try:
            return _create(request, campaign, form.order())
        except InvalidInput as error:
            form.add_error(error.field if error.field in form.fields else None, error.sentence)
    context = {
        "campaign": campaign,
        "form": form,
        "is_saving": is_saving,
        "stages": _price(campaign, form),
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
    }
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, f"{TEMPLATE}#price", context)
    return render(request, TEMPLATE, context, status=422 if is_saving else 200)


def _refusal(campaign: Campaign) -> str:
    """Return why a campaign can have no follow-up; "" if it can, now or when there are answers."""
    try:
        follow_ups.check_parent(campaign)
    except WrongState as error:
        return "" if follow_ups.is_only_too_early(campaign) else error.message
    return ""


def _create(request: HttpRequest, campaign: Campaign, order: FollowUpOrder) -> HttpResponse:
    row, job = follow_ups.start_follow_up(campaign, order, by=signed_in(request))
    if job is None:
        return redirect("campaign", row.campaign_id)
    messages.success(request, f"{row.sample} is being made. Nobody is asked until you open its campaign.")
    return follow(request, job)


def _price(campaign: Campaign, form: FollowUpForm) -> StagesPrice | None:
    """Return what the stages cost by what was filled in; None while that is wrong."""
    values = form.cleaned_data if form.is_bound else form.initial
    kind, redundancy, reward = (values.get(name) for name in ("kind", "redundancy", "reward"))
    if kind is None or redundancy is None or reward is None:
        return None
    if form.is_estimate:
        items, is_exact = campaign.tasks_made * (values.get("expected") or 1), False
    else:
        simulated = bool(values.get("simulated"))
        items, is_exact = follow_ups.expected_items(campaign, kind, simulated=simulated)
    return price_of_stages(campaign, items, redundancy=redundancy, reward=Decimal(reward), is_exact=is_exact)
