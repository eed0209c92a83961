"""A campaign has one cost: form, checklist, dialogs, overview, payments, programs and commands say the same."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Campaign
from annotation.pricing import Price
from annotation.selectors.costs import price_of_campaign, price_of_more
from annotation.selectors.progress import count_progress, forget
from annotation.services import campaigns, gold
from annotation.services.market import publishing
from tests.annotation.researching import filled
from tests.make import make_answer, make_campaign, make_participation, make_sample
from tests.modeling.page_text import text_of

pytestmark = pytest.mark.django_db(transaction=True)

REWARD = Decimal("0.10")


def costs(client: Client, campaign: Campaign) -> dict[str, str]:
    """Return the cost with what it is made of, as each page says it."""
    pages = {"page": "", "payments": "payments/"} | ({"dialog": "do/start/"} if campaign.status == "draft" else {})
    forget(Campaign.objects.get(pk=campaign.pk))
    by_place = {}
    for name, path in pages.items():
        page = text_of(client.get(f"/campaigns/{campaign.pk}/{path}"))
        match = re.search(r"\$[\d.]+ for \d+ answers?( and about \d+ to check tasks)?", page)
        by_place[name] = match[0] if match else f"no cost on {path}"
    by_place["api"] = client.get(f"/api/v1/campaigns/{campaign.pk}/").json()["price"]
    return by_place


def test_every_page_says_one_cost_and_what_it_is_made_of(client, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("ada"))
    fields = filled(make_sample(size=12), gold_every=5, reward="0.10", redundancy=2)
    card = text_of(client.post("/campaigns/new/", {k: v for k, v in fields.items() if k != "save"}))
    assert "$3.00 12 tasks × 2 answers × $0.10 $2.40 About 6 answers to check tasks $0.60" in card

    campaign = make_campaign(size=12, is_running=False, gold_every=5, reward=REWARD, redundancy=2)
    same = "$3.00 for 24 answers and about 6 to check tasks"
    assert costs(client, campaign) == {"page": same, "payments": same, "dialog": same, "api": "3.00"}

    gold.set_gold(campaign.tasks.first().pk, {"phrases": "botanists"}, by=None)
    same = "$2.40 for 22 answers and about 2 to check tasks"
    assert costs(client, campaign) == {"page": same, "payments": same, "dialog": same, "api": "2.40"}
    assert "$2.40 11 tasks × 2 answers" in text_of(client.get(f"/campaigns/{campaign.pk}/edit/"))

    campaign = campaigns.start(campaign.pk, by=None)
    assert costs(client, campaign) == {"page": same, "payments": same, "api": "2.40"}


def test_once_a_campaign_is_open_without_check_tasks_none_are_counted(client):
    campaign = make_campaign(size=12, gold_every=5, reward=REWARD, redundancy=2)

    assert price_of_campaign(campaign) == Price(24, 0, REWARD)


def test_a_program_sends_back_the_price_that_it_read(client, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("ada"))
    campaign = make_campaign(size=12, is_running=False, gold_every=5, reward=REWARD, redundancy=2)

    total = {"total": client.get(f"/api/v1/campaigns/{campaign.pk}/").json()["price"]}

    answer = client.post(f"/api/v1/campaigns/{campaign.pk}/start/", total, content_type="application/json")
    assert answer.status_code == 200


def test_the_command_says_the_same_cost(capsys):
    make_sample("Pilot sample", 12)

    call_command(
        "create_campaign",
        "Pilot",
        "Pilot sample",
        contact="ada@tesa.invalid",
        reward="0.10",
        redundancy=2,
        gold_every=5,
    )

    assert "30 answers come to $3.00" in capsys.readouterr().out


def test_more_answers_cost_their_check_tasks_too(client, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("ada"))
    campaign = make_campaign(size=12, is_running=False, gold_every=5, reward=REWARD, redundancy=2)
    for task in campaign.tasks.all()[:2]:
        gold.set_gold(task.pk, {"phrases": "botanists"}, by=None)
    campaign = campaigns.start(campaign.pk, by=None)

    before, more = price_of_campaign(campaign), price_of_more(campaign, count_progress(campaign), 10)
    assert more == Price(10, 2, REWARD)
    assert "Cost of each additional answer per task: $1.20 for 10 answers and about 2 to check tasks" in text_of(
        client.get(f"/campaigns/{campaign.pk}/do/extend/")
    )

    campaigns.extend(campaign.pk, people=1, by=None)
    after = price_of_campaign(Campaign.objects.get(pk=campaign.pk))
    assert after.total == before.total + more.total


def test_answers_that_were_added_to_single_tasks_are_in_the_cost():
    campaign = make_campaign(size=2, reward=REWARD, redundancy=2)
    make_answer(make_participation(campaign))

    assert price_of_campaign(campaign).answers == 4
    campaign.tasks.filter(answers=1).update(slots=3, free=2)

    assert price_of_campaign(campaign).answers == 5


def test_on_a_marketplace_check_tasks_cost_what_publishing_them_costs():
    offer = {"title": "Name them", "description": "One phrase"}
    campaign = make_campaign(
        size=3, is_running=False, gold_every=5, reward=REWARD, redundancy=2, provider="mturk", provider_settings=offer
    )
    assert price_of_campaign(campaign) == Price(6, 0, REWARD)

    gold.set_gold(campaign.tasks.first().pk, {"phrases": "botanists"}, by=None)

    places, rewards, _ = publishing.price_cents(campaign)
    assert (places, rewards) == (13, 130)
    assert price_of_campaign(campaign).total == Decimal("1.30")
