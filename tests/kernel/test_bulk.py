from __future__ import annotations

import json

import pytest

from annotation.models import Task
from annotation.services.campaigns import TASK_FIELDS
from kernel.services.bulk import insert_rows
from tests.make import make_campaign

pytestmark = pytest.mark.django_db


def test_rows_come_back_as_they_were_given():
    campaign = make_campaign(size=2, is_running=False)
    members = list(Task.objects.order_by("position").values_list("member_id", flat=True))
    Task.objects.all().delete()
    odd = '50 % of “it\'s” \\ "quoted" %s {} 🌿\n'

    insert_rows(
        Task,
        TASK_FIELDS,
        [(campaign.pk, pk, "", n, "g", json.dumps({"says": odd}), odd, 3, 3, 0, False) for n, pk in enumerate(members)],
    )

    first, second = Task.objects.order_by("position")
    assert (first.html, first.question, first.gold) == (odd, {"says": odd}, None)
    assert (second.position, second.member_id, second.slots, second.is_gold) == (1, members[1], 3, False)


def test_no_rows_are_no_statement():
    insert_rows(Task, TASK_FIELDS, [])

    assert not Task.objects.exists()
