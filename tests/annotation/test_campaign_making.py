"""Making a campaign's tasks."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from annotation.models import Campaign, Task
from annotation.services import campaigns
from annotation.task_types import TASK_TYPES
from tests.annotation.researching import filled
from tests.make import make_sample, make_texts
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


def make_draft(size: int = 5, **fields: Any) -> Campaign:
    plan = campaigns.CampaignPlan(name="Phrases", sample=make_sample(size=size), contact="Ben", **fields)
    return campaigns.create_campaign(plan, by=None)


def test_an_interrupted_making_goes_on_where_it_stopped_in_the_same_order(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(campaigns, "CHUNK", 2)
    campaign = make_draft(seed=4)
    next(campaigns.make_tasks(campaign))
    begun = list(Task.objects.values_list("pk", flat=True))

    counts = list(campaigns.make_tasks(campaign))

    assert counts == [4, 5]
    tasks = list(Task.objects.order_by("position"))
    assert [task.position for task in tasks] == [0, 1, 2, 3, 4]
    assert [task.pk for task in tasks[:2]] == begun
    assert {task.member_id for task in tasks} == set(campaign.sample.members.values_list("pk", flat=True))
    assert all(task.group == task.member.group for task in tasks)


def test_a_page_is_rendered_before_the_database_is_locked(monkeypatch: pytest.MonkeyPatch):
    type_ = TASK_TYPES["aggregation"]
    render, were_locked = type_.html, list[bool]()

    def watched(instance: Any, variant: str) -> str:
        were_locked.append(connection.in_atomic_block)
        return render(instance, variant)

    monkeypatch.setattr(type_, "html", watched)

    list(campaigns.make_tasks(make_draft()))

    assert were_locked == [False] * 5


def test_the_paragraphs_of_the_consent_hold_no_break_of_a_line():
    for name in TASK_TYPES:
        assert all("\n" not in paragraph for paragraph in TASK_TYPES[name].consent.split("\n\n"))


def test_a_campaign_is_made_only_over_what_its_task_type_asks_about(researcher: Client):
    texts, why = make_texts(), "holds texts, but the task “aggregation” asks about instances: choose another sample"

    page = researcher.post("/campaigns/new/", filled(texts))
    asked = {"name": "Mixed", "sample": texts.pk, "contact": "Ben"}
    answer = researcher.post("/api/v1/campaigns/", asked, content_type="application/json")

    assert "Texts (3 texts)" in shown(page)
    assert why in shown(page)
    assert why in answer.json()["error"]["message"]
    with pytest.raises(CommandError, match=why):
        call_command("create_campaign", "Mixed", "Texts", contact="Ben")
    assert not Campaign.objects.exists()
