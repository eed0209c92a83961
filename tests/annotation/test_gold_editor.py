"""Gold is chosen before anybody has met the task, gives up its slots, and can be taken back."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.models import Task
from annotation.services import assigning, campaigns, gold
from annotation.task_types.aggregation.answers import known_phrases
from kernel.errors import InvalidInput, WrongState
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_campaign(size=2, gold_every=2, is_running=False).tasks.get(position=0)


def test_a_gold_task_gives_up_its_slots_and_gets_them_back(task):
    kept = gold.set_gold(task.pk, {"phrases": "  the  botanists \n\nthe botanists"}, by=None)
    assert (kept.is_gold, kept.free, kept.gold) == (True, 0, known_phrases(["the botanists"]).to_json())

    back = gold.unset_gold(task.pk, by=None)
    assert (back.is_gold, back.free, back.gold) == (False, 3, None)


@pytest.mark.parametrize(("phrases", "impossible"), [("", ""), ("botanists", "on"), (" ", "")])
def test_gold_accepts_phrases_or_none_but_not_both(task, phrases, impossible):
    with pytest.raises(InvalidInput, match=r"one on each line|where no phrase fits"):
        gold.set_gold(task.pk, {"phrases": phrases, "impossible": impossible}, by=None)


def test_the_page_shows_what_is_accepted_line_by_line_and_numbers_tasks_from_one(client, task):
    client.force_login(make_user("ben"))
    address = reverse("gold-set", args=[task.pk])

    answer = client.post(address, {"phrases": "astronauts\nthe two travellers"}, follow=True)

    assert "Task 1 is now a check task." in shown(answer)
    assert "1 check task; 1 task left to be answered as data" in shown(answer)
    assert ">astronauts\nthe two travellers</textarea>" in answer.content.decode()


def test_the_passage_stands_above_the_known_answers_that_are_asked_for(client, task):
    client.force_login(make_user("ben"))

    page = shown(client.get(reverse("campaign-gold", args=[task.campaign_id])))

    for row in task.campaign.tasks.all():
        passage = " ".join(row.html.split()).replace(" >", ">")
        asks = page.index(f'action="{reverse("gold-set", args=[row.pk])}"')
        assert page.index(passage) < asks


def test_what_was_typed_stays_on_the_page_that_refuses_it(client, task):
    client.force_login(make_user("ben"))

    answer = client.post(reverse("gold-set", args=[task.pk]), {"phrases": "astronauts", "impossible": "on"})

    assert answer.status_code == 422
    assert ">astronauts</textarea>" in answer.content.decode()
    assert "Where no phrase fits none is accepted" in answer.content.decode()


def test_a_running_campaign_s_gold_is_fixed(task):
    campaigns.start(task.campaign_id, by=None)

    with pytest.raises(WrongState, match="while it is paused"):
        gold.set_gold(task.pk, {"phrases": "botanists"}, by=None)


def test_what_somebody_has_met_cannot_become_gold_or_stop_being_it(task):
    other = task.campaign.tasks.get(position=1)
    gold.set_gold(task.pk, {"phrases": "botanists"}, by=None)
    campaigns.start(task.campaign_id, by=None)
    task.campaign.refresh_from_db()
    person = make_participation(task.campaign)
    first = assigning.take_turn(person.secret).assignment
    assert first is not None
    assigning.give_back(person.secret, first.pk)
    assigning.take_turn(person.secret)
    campaigns.pause(task.campaign_id, by=None)

    with pytest.raises(WrongState, match="Somebody has this task"):
        gold.set_gold(other.pk, {"phrases": "botanists"}, by=None)
    with pytest.raises(WrongState, match="Somebody has this task"):
        gold.unset_gold(task.pk, by=None)
