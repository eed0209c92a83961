"""Blocking on a marketplace: with a reason, by a job, lifted again; and a botocore that no longer knows MTurk."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from django.core.checks import run_checks
from django.test import Client

from annotation.models import Participation, Posting, Worker
from annotation.providers.mturk import client as botos
from annotation.services.market import blocking
from kernel.errors import InvalidInput
from kernel.models import Job
from marketplace.models import WorkerBlock
from tests.annotation.mturk import accept, follow, make_published, use
from tests.annotation.test_bonuses import make_worked
from tests.annotation.test_market_pages import make_market_campaign
from tests.make import make_campaign, make_participation
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market
from tests.pages import shown


@pytest.mark.django_db(transaction=True)
def test_a_blocked_worker_gets_no_hit_until_the_block_is_lifted(market: Market, monkeypatch: pytest.MonkeyPatch):
    use(market, monkeypatch)
    campaign = make_published(size=2, redundancy=1)
    worker = market.worker()
    first, second = Posting.objects.order_by("pk")
    visitor = accept(campaign, first, worker)
    visitor.answer()
    visitor.submit()
    person = Participation.objects.get()

    blocking.block(person.pk, reason="Shares one account with others.", by=None)
    follow(campaign)
    follow(campaign)

    assert WorkerBlock.objects.get().reason == "Shares one account with others."
    assert Worker.objects.get().block_sent_at
    assert Participation.objects.get().earned > 0, "what they did is paid"
    with pytest.raises(Exception, match="requester has blocked you"):
        accept(campaign, second, worker)
    blocking.unblock(person.pk, reason="Explained it.", by=None)
    follow(campaign)
    assert not WorkerBlock.objects.exists()
    assert accept(campaign, second, worker)


@pytest.mark.django_db(transaction=True)
def test_nobody_is_blocked_without_a_reason(market: Market, monkeypatch: pytest.MonkeyPatch):
    use(market, monkeypatch)
    campaign, placement = make_worked(market)

    with pytest.raises(InvalidInput, match="reason"):
        blocking.block(placement.participation_id, reason=" ", by=None)
    follow(campaign)

    assert not WorkerBlock.objects.exists()


@pytest.mark.django_db
def test_the_participants_page_asks_for_the_reason_then_shows_the_block(researcher: Client):
    campaign = make_market_campaign()
    person = make_participation(campaign)
    asked = f"/campaigns/{campaign.pk}/people/decide/"

    assert "action=block" in researcher.get(f"/campaigns/people/{person.pk}/").content.decode()
    assert "Block 1 participant?" in shown(researcher.get(f"{asked}?action=block&person={person.pk}"))
    refused = researcher.post(asked, {"action": "block", "person": person.pk, "reason": ""})
    researcher.post(asked, {"action": "block", "person": person.pk, "reason": "Shares an account."})

    assert refused.status_code == 422
    page = shown(researcher.get(f"/campaigns/people/{person.pk}/"))
    assert "Shares an account." in page
    assert "action=unblock" in page
    assert Job.objects.get().kind == "follow_marketplace"


@pytest.mark.django_db
def test_people_who_came_another_way_cannot_be_blocked(researcher: Client):
    person = make_participation(make_campaign(size=1))
    asked = f"/campaigns/{person.campaign_id}/people/decide/"

    assert researcher.get(f"{asked}?action=block&person={person.pk}").status_code == 422
    assert "action=block" not in researcher.get(f"/campaigns/people/{person.pk}/").content.decode()


def test_a_botocore_without_mturk_is_named_with_the_newest_version_that_has_it(monkeypatch: pytest.MonkeyPatch):
    assert botos.knows_mturk()
    assert version("botocore") == botos.NEWEST, "the version that is installed here is known to work"
    monkeypatch.setattr(botos, "find_spec", lambda name: None)

    [error] = [message for message in run_checks() if message.id == "tesa.E003"]

    assert error.hint is not None
    assert "botocore 1.44.0" in error.hint
