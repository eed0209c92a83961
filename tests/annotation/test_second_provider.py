"""People of a provider that lives in the tests alone come, work and go back: one entry in the dict, two folders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client, override_settings

from annotation.api.campaign_changes import SettingsInput
from annotation.models import Assignment, Campaign, Participation, Worker
from annotation.providers import PROVIDERS
from annotation.providers.base import CrowdProvider, Embeds, Marketplace
from annotation.services import invites, joining
from kernel.errors import NotAllowed, WrongState
from kernel.roles import Role
from tests.annotation.researching import allow_to_pay, filled
from tests.make import make_campaign, make_sample, make_user
from tests.pages import shown

HERE = Path(__file__).parent / "second_provider"
DOOR: dict[str, Any] = {"provider": "market", "provider_settings": {"stall": "North"}}
FRAMED = "frame-ancestors https://work.market.example;"
TARGETS = "form-action 'self' https://market.example;"


@pytest.fixture(autouse=True)
def market(monkeypatch: pytest.MonkeyPatch) -> Iterator[CrowdProvider]:
    monkeypatch.setitem(PROVIDERS.paths, "market", "tests.annotation.second_provider.provider:MARKET")
    (engine,) = django_settings.TEMPLATES
    with override_settings(TEMPLATES=[{**engine, "DIRS": [*engine["DIRS"], HERE / "templates"]}]):
        yield PROVIDERS["market"]


def test_the_api_takes_the_providers_that_are_registered_when_it_is_asked():
    assert "market" in SettingsInput().fields["provider"].choices


def arrive(browser: Client, campaign: Campaign, worker: str = "w1", visit: str = "v1") -> Any:
    return browser.get(f"/task/panel/{campaign.slug}/", {"worker": worker, "visit": visit})


def arrive_ready(browser: Client, campaign: Campaign, worker: str = "w1") -> Participation:
    home = arrive(browser, campaign, worker).headers["Location"]
    browser.post(f"{home}consent/")
    browser.post(f"{home}instructions/")
    return Participation.objects.get(worker__external_id=worker)


def answer(browser: Client, person: Participation) -> str:
    browser.get(f"/task/{person.secret}/")
    turn = Assignment.objects.get(participation=person, status="taken")
    return shown(browser.post(f"/task/{person.secret}/answer/{turn.pk}/", {"phrase_1": "botanists"}))


@pytest.mark.django_db(transaction=True)
def test_the_campaign_form_asks_for_its_settings_and_shows_its_part(researcher: Client):
    sample = make_sample()
    fields = {"provider": "market", "per_person": 3}

    refused = researcher.post("/campaigns/new/", filled(sample) | fields)
    typed = {name: value for name, value in (filled(sample) | fields).items() if name != "save"}
    priced = researcher.post("/campaigns/new/", typed)
    made = researcher.post("/campaigns/new/", filled(sample) | fields | {"market_stall": "North"})

    assert refused.status_code == 422
    assert re.search(r'name="market_stall"[^>]*aria-invalid="true"', shown(refused))
    assert "The marketplace is told: 3 places" in shown(priced)
    campaign = Campaign.objects.get()
    assert campaign.provider_settings == {"stall": "North"}
    page = shown(researcher.get(made.headers["Location"]))
    assert f"/task/panel/{campaign.slug}/?worker=…" in page
    assert 'value="North"' in shown(researcher.get(f"/campaigns/new/?from={campaign.pk}"))


@pytest.mark.django_db
def test_a_person_arrives_in_a_frame_works_and_goes_back_by_a_posted_form():
    campaign, browser = make_campaign(size=1, reward=Decimal("0.20"), **DOOR), Client(enforce_csrf_checks=True)
    assert "This is a preview" in shown(arrive(browser, campaign, visit=""))
    assert "does not say who you are" in shown(arrive(browser, campaign, "<b>"))
    assert not Worker.objects.exists()

    consent = browser.get(arrive(browser, campaign).headers["Location"])
    assert "paid through the site that sent you" in shown(consent)
    done = answer(browser, arrive_ready(browser, campaign))

    assert '<form method="post" action="https://market.example/back">' in done
    assert '<input type="hidden" name="visit" value="v1">' in done
    assert '<input type="hidden" name="outcome" value="completed">' in done
    assert FRAMED in consent.headers["Content-Security-Policy"]
    assert TARGETS in consent.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in consent.headers


@pytest.mark.django_db
def test_the_page_before_finishing_promises_no_code_where_a_form_is_posted():
    browser = Client()
    person = arrive_ready(browser, make_campaign(size=2, per_person=0, **DOOR))
    answer(browser, person)

    page = shown(browser.get(f"/task/{person.secret}/finish/"))

    assert "the marketplace learns that your visit is complete." in page
    assert "code" not in page.partition("<h1>")[2].partition("</form>")[0]


@pytest.mark.django_db
def test_nothing_but_its_own_worker_pages_may_be_framed(researcher: Client):
    ours, market = make_campaign("Ours"), make_campaign("Market", **DOOR)
    home = arrive(researcher, market).headers["Location"]
    own = researcher.post(f"/task/start/{ours.pk}/").headers.get("Location", "/")

    for address in ("/", f"/campaigns/{market.pk}/", own, "/task/panel/nothing/"):
        headers = researcher.get(address).headers
        assert "frame-ancestors 'none'; base-uri 'none'" in headers["Content-Security-Policy"], address
        assert "form-action 'self';" in headers["Content-Security-Policy"]
        assert headers["X-Frame-Options"] == "DENY"
    assert FRAMED in researcher.get(home).headers["Content-Security-Policy"]


@pytest.mark.django_db
def test_people_who_withdraw_leave_no_id_and_go_back_without_the_form():
    browser = Client()
    person = arrive_ready(browser, make_campaign(reward=Decimal(1), **DOOR))
    answer(browser, person)

    browser.post(f"/task/{person.secret}/leave/")

    person.refresh_from_db()
    assert person.arrival == {"stall": "North"}
    assert "return your place" in shown(browser.get(f"/task/{person.secret}/"))


@pytest.mark.django_db
def test_the_people_and_payments_pages_name_them_as_the_provider_does():
    campaign, browser = make_campaign(reward=Decimal("0.20"), **DOOR), Client()
    person = arrive_ready(browser, campaign, "w7")
    answer(browser, person)
    browser.force_login(allow_to_pay(make_user("ada", Role.ADMINISTRATOR)))

    assert "<code>w7</code>" in shown(browser.get(f"/campaigns/{campaign.pk}/people/"))
    assert "from the marketplace" in shown(browser.get(f"/campaigns/people/{person.pk}/"))
    assert "market/w7" in shown(browser.get(f"/campaigns/{campaign.pk}/payments/"))


@pytest.mark.django_db
def test_it_lets_nobody_in_by_our_own_doors(researcher: Client):
    campaign = make_campaign(**DOOR)

    with pytest.raises(WrongState, match="its provider sends the people"):
        invites.make_invite(campaign, label="Seminar", capacity=3, by=None)
    with pytest.raises(NotAllowed, match="that its provider sends"):
        joining.join_as_user(campaign, make_user("ann"))
    assert 'href="#market"' in shown(researcher.get(f"/campaigns/{campaign.pk}/"))


def test_a_provider_can_do_what_it_has_methods_for_and_nothing_else(market: CrowdProvider):
    can = {name: (isinstance(PROVIDERS[name], Embeds), isinstance(PROVIDERS[name], Marketplace)) for name in PROVIDERS}

    assert can == {"local": (False, False), "panel": (False, False), "mturk": (True, True), "market": (True, False)}
