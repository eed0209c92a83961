"""Decisions that lead to spending: who may make them, what they cover, and whose name stays in the ledger."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Campaign, Difference, LedgerEntry, Participation, Placement, Posting
from annotation.services import campaigns, excluding, leaving
from annotation.services.market import bonuses, following, ledger, mending, rejecting
from kernel.errors import NotAllowed
from kernel.models import AuditEntry, Job, User
from marketplace.models import HIT
from tests.annotation.mturk import accept, allow_to_spend, follow, make_published, quiet, use
from tests.annotation.test_market_pages import act, make_market_campaign, make_market_draft, spender
from tests.make import make_participation, make_sample, make_user
from tests.marketplace.conftest import market as market
from tests.marketplace.market import Market
from tests.pages import shown

MAY_NOT = "This spends money on a marketplace, which you may not do yet."
pytestmark = pytest.mark.django_db


@pytest.fixture
def here(market: Market, monkeypatch: pytest.MonkeyPatch) -> Market:
    use(market, monkeypatch)
    return market


def in_state(status: str) -> Campaign:
    """Return a campaign on a marketplace, with a budget, in this state."""
    campaign = make_market_campaign()
    ledger.set_budget(campaign.pk, 500, by=None)
    Campaign.objects.filter(pk=campaign.pk).update(status=status)
    campaign.refresh_from_db()
    return campaign


STEPS = [("draft", "start"), ("paused", "resume"), ("closed", "resume"), ("running", "extend"), ("running", "one-more")]


@pytest.mark.parametrize(("status", "action"), STEPS)
def test_a_step_that_spends_says_who_may_take_it_and_is_refused(researcher: Client, status: str, action: str):
    campaign = in_state(status)
    page = f"/campaigns/{campaign.pk}/do/{action}/"

    asked = researcher.get(page)
    refused = researcher.post(page, {"people": 1, "now_asked": 2})

    assert MAY_NOT in shown(asked)
    assert '<form method="post" class="stack tight">' not in asked.content.decode()
    assert (refused.status_code, MAY_NOT in shown(refused)) == (403, True)
    campaign.refresh_from_db()
    assert (campaign.status, campaign.redundancy) == (status, 2)
    assert not Job.objects.exists()


def test_pages_say_who_may_resume_where_the_button_was(researcher: Client):
    campaign = in_state("paused")
    addresses = (f"/campaigns/{campaign.pk}/", "/campaigns/")

    pages = [shown(researcher.get(address)) for address in addresses]

    assert all("do/resume/" not in page and "Only people who may spend can resume it." in page for page in pages)
    assert "do/extend/" not in pages[0]
    researcher.force_login(allow_to_spend(make_user("ada")))
    assert all("do/resume/" in shown(researcher.get(address)) for address in addresses)


@pytest.mark.parametrize(("status", "step"), [("draft", "start"), ("paused", "resume")])
def test_the_api_answers_403_in_a_sentence(researcher: Client, status: str, step: str):
    campaign, body = in_state(status), {"total": "1.20"} if step == "start" else None
    address = f"/api/v1/campaigns/{campaign.pk}/{step}/"

    refused = researcher.post(address, body, content_type="application/json")

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_allowed")
    assert refused.json()["error"]["message"].startswith(MAY_NOT)
    assert not Job.objects.exists()
    researcher.force_login(allow_to_spend(make_user("ada")))
    assert researcher.post(address, body, content_type="application/json").status_code == 200
    assert Job.objects.get().kind == "follow_marketplace"


def test_pausing_closing_and_excluding_need_no_right_to_spend(researcher: Client):
    campaign = in_state("running")

    for action in ("pause", "close"):
        assert researcher.post(f"/campaigns/{campaign.pk}/do/{action}/").status_code == 302

    campaign.refresh_from_db()
    assert campaign.status == "closed"


def test_a_command_does_not_open_a_campaign_that_spends():
    make_sample("Pilot", 1)
    hits = ["--provider", "mturk", "--provider-settings", '{"title": "T", "description": "D"}']

    with pytest.raises(CommandError, match="somebody who may spend publish it"):
        call_command("create_campaign", "HITs", "Pilot", "--contact", "me", *hits, "--start")

    assert not Campaign.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_the_scheduler_continues_keeps_the_name_of_who_decided(here: Market, client: Client):
    ben = spender(client)
    campaign = make_market_draft()
    client.post(f"/campaigns/{campaign.pk}/marketplace/publish/open/", {"budget": "20.00"})
    Job.objects.all().delete()

    assert [job.kind for job in following.start_due()] == ["follow_marketplace"]
    follow(campaign)
    visitor = accept(campaign, Posting.objects.first(), here.worker())
    visitor.answer()
    visitor.submit()
    follow(campaign)
    campaigns.pause(campaign.pk, by=None)
    follow(campaign)
    follow(campaign)

    kinds = {*LedgerEntry.objects.values_list("kind", flat=True)}
    assert kinds == {"posting", "reward", "release"}
    assert {entry.decided_by for entry in LedgerEntry.objects.all()} == {ben}


@pytest.mark.django_db(transaction=True)
def test_answers_of_excluded_people_are_replaced_when_somebody_decides_to_pay_for_that(here: Market, client: Client):
    campaign = make_published(size=1, redundancy=1)
    visitor = accept(campaign, Posting.objects.get(), here.worker())
    visitor.answer()
    visitor.submit()
    follow(campaign)

    excluding.exclude(Participation.objects.get().pk, reason="Copies texts.", by=make_user("rita"))
    for _ in range(2):
        follow(campaign)
    assert HIT.objects.count() == 1, "neither at once nor by the scheduler"
    ada = spender(client, "ada")
    assert "1 answer of excluded people" in shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))
    act(client, campaign, "compare")
    follow(campaign)
    assert HIT.objects.count() == 1, "comparing decides nothing"
    act(client, campaign, "follow")
    follow(campaign)

    assert HIT.objects.count() == 2
    assert LedgerEntry.objects.filter(kind="posting").latest("pk").decided_by == ada


@pytest.mark.django_db(transaction=True)
def test_nobody_is_paid_for_the_answers_of_an_excluded_person_because_they_withdraw(here: Market, client: Client):
    campaign = make_published(size=1, redundancy=1)
    visitor = accept(campaign, Posting.objects.get(), here.worker())
    visitor.answer()
    visitor.submit()
    follow(campaign)
    person = Participation.objects.get()
    excluding.exclude(person.pk, reason="Copies texts.", by=make_user("rita"))

    leaving.withdraw(person.secret)
    follow(campaign)

    assert HIT.objects.count() == 1
    spender(client, "ada")
    assert "1 answer of excluded people" in shown(client.get(f"/campaigns/{campaign.pk}/marketplace/"))
    act(client, campaign, "follow")
    follow(campaign)
    assert HIT.objects.count() == 2, "once somebody decides it"


def differing(placement: Placement, kind: str) -> Difference:
    return Difference(campaign=placement.posting.campaign, kind=kind, evidence="…", placement=placement)


def mending_of(kind: str) -> Callable[[Placement, User], object]:
    return lambda placement, by: mending.mend(differing(placement, kind), by=by)


SERVICES: dict[str, Callable[[Placement, User], object]] = {
    "ask for a rejection": lambda placement, by: rejecting.ask(placement.pk, reason="Letters.", by=by),
    "confirm a rejection": lambda placement, by: rejecting.confirm(placement.pk, by=by),
    "drop a rejection": lambda placement, by: rejecting.drop(placement.pk, by=by),
    "overturn a rejection": lambda placement, by: rejecting.overturn(placement.pk, reason="Names.", by=by),
    "top up": lambda placement, by: bonuses.top_up(placement.posting.campaign_id, Decimal(9), shown_cents=0, by=by),
    "pay": lambda placement, by: mending.settle(placement.pk, "pay", reason="Sorry.", by=by),
    "leave": lambda placement, by: mending.settle(placement.pk, "leave", reason="Sorry.", by=by),
    **{kind: mending_of(kind) for kind in mending.LABELS},
}


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_refuses_people_who_may_not_spend_whichever_page_called_it(name: str):
    campaign = make_market_campaign()
    posting = Posting.objects.create(campaign=campaign, task=campaign.tasks.get(position=0), places=1)
    person = make_participation(campaign)
    placement = Placement.objects.create(posting=posting, participation=person, external_id="X1", state="submitted")

    with pytest.raises(NotAllowed, match="which you may not do yet"):
        SERVICES[name](placement, make_user("rita"))

    assert not AuditEntry.objects.filter(actor__username="rita").exists()


@pytest.mark.django_db(transaction=True)
def test_the_kill_switch_is_recorded_with_who_pressed_it(here: Market):
    ada = allow_to_spend(make_user("ada"))
    make_published(size=1)

    following.expire_everything(by=ada, report=quiet)

    assert AuditEntry.objects.get(action="pause campaign").actor == ada
