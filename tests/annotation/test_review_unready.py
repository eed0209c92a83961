"""Links to tasks that are not in the review: of lists that count answers before a task has them all."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.models import Task
from kernel.models import User
from tests.annotation.answered import in_turn
from tests.make import make_campaign
from tests.pages import shown

pytestmark = pytest.mark.django_db


def test_a_task_that_waits_for_answers_leads_to_the_queue_with_a_sentence(client: Client, ben: User):
    campaign = in_turn()
    task = Task.objects.filter(campaign=campaign).latest("pk")
    Task.objects.filter(pk=task.pk).update(slots=task.answers + 1, free=1)

    text = shown(client.get(f"/admin/review/{campaign.pk}/?task={task.pk}", follow=True))

    assert f"Task {task.position + 1} still waits for answers: it can be reviewed when it has them all." in text


def test_a_check_task_leads_to_the_queue_with_a_sentence(client: Client, ben: User):
    campaign = in_turn()
    task = Task.objects.filter(campaign=campaign).latest("pk")
    Task.objects.filter(pk=task.pk).update(is_gold=True)

    text = shown(client.get(f"/admin/review/{campaign.pk}/?task={task.pk}", follow=True))

    assert f"Task {task.position + 1} is a check task: its answers are not reviewed." in text


def test_a_task_of_another_campaign_is_not_found(client: Client, ben: User):
    campaign, other = in_turn(), make_campaign("Another")

    assert client.get(f"/admin/review/{other.pk}/?task={campaign.tasks.latest('pk').pk}").status_code == 404
