"""Changing a campaign's settings while nobody has been asked anything yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import NoneType
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from annotation.models import Campaign, CampaignStatus, Task
from annotation.services.campaigns import CampaignPlan, checked_plan
from annotation.services.instructions import default_instructions
from annotation.task_types import task_count, type_of
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json, storable

FIXED = ("sample", "task_type", "task_settings", "seed")  # the tasks were made from these, in this order


def check_editable(campaign: Campaign) -> None:
    """Raise, in one sentence, where the settings cannot be changed."""
    if campaign.status != CampaignStatus.DRAFT:
        state = campaign.get_status_display().lower()
        raise WrongState(f"The campaign is {state}: its settings can be changed only while it is a draft.")
    if campaign.tasks_made < task_count(campaign.task_type, campaign.sample.size):
        raise WrongState("The tasks are still being created: wait for that job, or retry it.")


def edit_campaign(campaign_id: int, plan: CampaignPlan, *, by: User | None) -> Campaign:
    """Give a draft these settings. What its tasks were made from stays, and its lessons, which have their own page."""
    return _edited(campaign_id, lambda campaign: replace(plan, lessons=campaign.lessons), by)


def change_campaign(campaign_id: int, changes: Mapping[str, Any], *, by: User | None) -> Campaign:
    """Change some settings of a draft; the others stay, even if somebody else changes them at the same moment."""
    return _edited(campaign_id, lambda campaign: replace(plan_of(campaign), **changes), by)


def plan_of(campaign: Campaign) -> CampaignPlan:
    """Return what a campaign could be made with again."""
    return CampaignPlan(**{name: getattr(campaign, name) for name in CampaignPlan.__dataclass_fields__})


def _edited(campaign_id: int, planned: Callable[[Campaign], CampaignPlan], by: User | None) -> Campaign:
    try:
        with transaction.atomic(durable=True):
            return _edit(campaign_id, planned, by)
    except IntegrityError as error:
        raise InvalidInput("there is already a campaign with this name", field="name") from error


def _edit(campaign_id: int, planned: Callable[[Campaign], CampaignPlan], by: User | None) -> Campaign:
    campaign = (
        Campaign.objects.select_related("sample", "instructions")
        .select_for_update(of=("self",), no_key=True)
        .get(pk=campaign_id)
    )
    check_editable(campaign)
    plan = planned(campaign)
    plan = replace(plan, name=storable(plan.name).strip(), **{name: getattr(campaign, name) for name in FIXED})
    plan = replace(plan, instructions=plan.instructions or default_instructions(type_of(plan)))
    plan = checked_plan(plan, compared=campaign.lessons)
    free = [name for name in CampaignPlan.__dataclass_fields__ if name not in FIXED]
    names = [name for name in free if getattr(plan, name) != getattr(campaign, name)]
    if not names:
        return campaign
    before = _as_json(campaign, names)
    for name in names:
        setattr(campaign, name, getattr(plan, name))
    campaign.save(update_fields=names)
    if "redundancy" in names:
        _ask(campaign, plan.redundancy)
    audit.record("edit campaign", campaign, by=by, before=before, after=_as_json(campaign, names))
    return campaign


def _ask(campaign: Campaign, people: int) -> None:
    """Ask `people` people about every task; answers that were imported into the draft count."""
    tasks = Task.objects.filter(campaign=campaign)
    tasks.filter(is_gold=True).update(slots=people)
    answered = F("answers")
    tasks.filter(is_gold=False, answers__lt=people).update(slots=people, free=people - answered)
    tasks.filter(is_gold=False, answers__gte=people).update(slots=answered, free=0)


def _as_json(campaign: Campaign, names: list[str]) -> dict[str, Json]:
    values: dict[str, Any] = {name: getattr(campaign, name) for name in names}
    return {
        name: value if isinstance(value, (bool, int, str, dict, NoneType)) else str(value)
        for name, value in values.items()
    }
