"""What one person is shown of a task may differ from what another is shown; it is stored with the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Campaign
from kernel.models import User
from tests.annotation.kinds.registering import make_sample_of_texts, registered
from tests.make import make_answer, make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db
PEOPLE = ("ann", "bob", "cid", "dan")


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return make_campaign("Rated", sample=make_sample_of_texts(tmp_path), task_type="stars", redundancy=len(PEOPLE))


def order_on(page: str) -> str:
    return page.partition("Stars: ")[2].partition("<")[0]


def test_a_reload_shows_the_same_and_somebody_else_may_see_another_order(client: Client, campaign: Campaign):
    orders = []
    for name in PEOPLE:
        person = make_participation(campaign, name)
        first, again = (shown(client.get(f"/task/{person.secret}/")) for _ in range(2))
        assert order_on(first) == order_on(again)
        orders.append(order_on(first))

    assert sorted(orders[0].split(", ")) == ["1", "2", "3", "4", "5"]
    assert len(set(orders)) > 1


def test_it_is_stored_with_the_answer_and_in_the_file_of_raw_answers(client: Client, ben: User, campaign: Campaign):
    person = make_participation(campaign, "ann")
    page = shown(client.get(f"/task/{person.secret}/"))

    make_answer(person, "", stars="4")

    row = Annotation.objects.get()
    assert ", ".join(map(str, row.shown["order"])) == order_on(page)
    file: Any = client.get(reverse("campaign-export", args=[campaign.pk, "jsonl"]))
    assert json.loads(b"".join(file.streaming_content))["shown"] == row.shown


def test_where_everybody_is_shown_the_same_nothing_is_said_of_it(client: Client, ben: User):
    campaign = make_campaign("Phrases", size=1)
    make_answer(make_participation(campaign, "ann"), "botanists")

    assert Annotation.objects.get().shown == {}
    file: Any = client.get(reverse("campaign-export", args=[campaign.pk, "jsonl"]))
    assert "shown" not in json.loads(b"".join(file.streaming_content))


def test_a_try_shows_the_order_of_nobody(client: Client, ben: User, campaign: Campaign):
    pages = [shown(client.get(f"/campaigns/{campaign.pk}/try/0/")) for _ in range(2)]

    assert order_on(pages[0]) == order_on(pages[1])
