"""Tasks' own answers through the API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Assignment, Settlement, Task
from annotation.services import submitting
from kernel.models import TokenScope
from kernel.services import tokens
from tests.annotation.kinds.registering import make_sample_of_texts, registered
from tests.make import make_campaign, make_participation, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def task(tmp_path: Path) -> Task:
    campaign = make_campaign("Names", sample=make_sample_of_texts(tmp_path), task_type="spans", redundancy=1)
    person = make_participation(campaign, "ann")
    Client().get(f"/task/{person.secret}/")
    turn = Assignment.objects.get(participation=person)
    submitting.submit(person.secret, turn.pk, {"spans": ""})
    return turn.task


def address(task: Task) -> str:
    return f"/api/v1/review/{task.campaign_id}/tasks/{task.pk}/settlements/"


def undo(client: Client, task: Task, headers: dict[str, str], **sent: int) -> Any:
    return client.post(f"{address(task)}undo/", sent, content_type="application/json", headers=headers)


@pytest.fixture
def headers() -> dict[str, str]:
    _, key = tokens.create_token(make_user("ada"), "test", scope=TokenScope.WRITE)
    return {"Authorization": f"Bearer {key}"}


def test_it_is_given_seen_and_taken_back(client: Client, task: Task, headers: dict[str, str]):
    sent = {"answer": {"spans": "0 2 person"}, "why": "It is a name."}

    made = client.post(address(task), sent, content_type="application/json", headers=headers)
    seen = client.get(address(task), headers=headers).json()
    undone = undo(client, task, headers, settlement=made.json()["id"])
    again = undo(client, task, headers, settlement=made.json()["id"])

    assert made.status_code == 201
    assert seen == [made.json()]
    assert seen[0]["answer"] == {"spans": [{"start": 0, "end": 2, "label": "person"}]}
    assert undone.json()["undoes"] == seen[0]["id"]
    assert client.get(address(task), headers=headers).json() == []
    assert again.json() == undone.json()  # sent twice because the first response was lost
    assert undo(client, task, headers).status_code == 409


def test_an_answer_that_cannot_be_is_refused_with_its_sentence(client: Client, task: Task, headers: dict[str, str]):
    sent = {"answer": {"spans": "0 999 person"}}

    refused = client.post(address(task), sent, content_type="application/json", headers=headers)

    assert refused.status_code == 422
    assert "mark a piece of the text" in str(refused.json())
    assert not Settlement.objects.exists()


def test_a_task_of_another_campaign_is_not_found(client: Client, task: Task, headers: dict[str, str]):
    other = make_campaign("Phrases")

    assert (
        client.get(address(task).replace(f"/{task.campaign_id}/", f"/{other.pk}/"), headers=headers).status_code == 404
    )
