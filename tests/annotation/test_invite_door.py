"""How people come in by an invite link."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.test.utils import override_script_prefix

from annotation.models import Campaign, Invite, Participation, Worker
from annotation.services import assigning, joining, leaving
from kernel.clock import now
from kernel.errors import NotAllowed
from tests.make import make_answer, make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def make_invite(campaign: Campaign, **fields: Any) -> Invite:
    return Invite.objects.create(campaign=campaign, **{"label": "friends", "capacity": 2} | fields)


def test_an_invited_person_gets_an_address_of_their_own_to_keep(browser: Client):
    invite = make_invite(make_campaign())

    assert "You are invited" in browser.get(f"/task/join/{invite.code}/").content.decode()
    assert not Participation.objects.exists(), "looking takes no place"
    answer = browser.post(f"/task/join/{invite.code}/", follow=True)

    person = Participation.objects.get()
    assert f"http://testserver/task/{person.secret}/" in answer.content.decode()
    assert person.invite == invite
    cookie = browser.cookies["tesa_invited"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/task/join/", True, "Lax")
    assert person.worker.external_id not in cookie.value or ":" in cookie.value, "signed"


def test_below_a_path_the_address_to_keep_and_the_cookie_have_it_too(browser: Client, settings):
    invite = make_invite(make_campaign())
    settings.FORCE_SCRIPT_NAME = "/tesa"

    with override_script_prefix("/tesa/"):
        browser.post(f"/task/join/{invite.code}/")
        person = Participation.objects.get()
        answer = browser.get(f"/task/{person.secret}/welcome/")

    assert f"http://testserver/tesa/task/{person.secret}/" in answer.content.decode()
    assert browser.cookies["tesa_invited"]["path"] == "/tesa/task/join/"


def test_what_nobody_can_check_is_told_before_anybody_comes_in_and_again_before_they_agree(browser: Client):
    invite = make_invite(make_campaign(qualifications={"first language": "English", "min_answers": 0}))

    offer = shown(browser.get(f"/task/join/{invite.code}/"))
    browser.post(f"/task/join/{invite.code}/")
    asked = shown(browser.get(f"/task/{Participation.objects.get().secret}/"))

    for text in (offer, asked):
        assert "<dd>first language: English</dd>" in text
        assert "min_answers" not in text


def test_the_same_browser_is_the_same_person_also_in_another_campaign(browser: Client):
    invite, other = make_invite(make_campaign()), make_invite(make_campaign("Other"))
    browser.post(f"/task/join/{invite.code}/")

    assert "Go on where you stopped" in browser.get(f"/task/join/{invite.code}/").content.decode()
    browser.post(f"/task/join/{invite.code}/")
    browser.post(f"/task/join/{other.code}/")
    Client().post(f"/task/join/{other.code}/")

    assert Worker.objects.count() == 2
    assert Participation.objects.count() == 3
    invite.refresh_from_db()
    assert invite.used == 1


def test_a_link_to_a_campaign_in_which_everything_is_answered_takes_no_place(browser: Client):
    campaign = make_campaign(size=1, redundancy=1)
    invite, others = make_invite(campaign), make_participation(campaign)
    assigning.take_turn(others.secret)
    assert "You are invited" in browser.get(f"/task/join/{invite.code}/").content.decode(), "it may come back"
    make_answer(others)

    for answer in (browser.get(f"/task/join/{invite.code}/"), browser.post(f"/task/join/{invite.code}/")):
        assert answer.status_code == 409
        assert "Other people have answered everything already." in answer.content.decode()
    assert Participation.objects.count() == Worker.objects.count() == 1
    invite.refresh_from_db()
    assert invite.used == 0


def test_a_forged_cookie_is_nobody(browser: Client):
    invite = make_invite(make_campaign())
    Worker.objects.create(provider="invite", external_id="known")
    browser.cookies["tesa_invited"] = "known"

    browser.post(f"/task/join/{invite.code}/")

    assert Participation.objects.get().worker.external_id != "known"


@pytest.mark.parametrize(
    ("fields", "status", "sentence"),
    [
        ({"revoked_at": now()}, "running", "has been withdrawn"),
        ({"used": 2}, "running", "has already joined"),
        ({}, "closed", "is closed"),
        ({}, "draft", "has not begun"),
    ],
)
def test_a_link_that_lets_nobody_in_says_so_kindly_before_and_after_the_click(browser, fields, status, sentence):
    invite = make_invite(make_campaign(), **fields)
    Campaign.objects.update(status=status)

    for method in (browser.get, browser.post):
        refused = method(f"/task/join/{invite.code}/")
        assert refused.status_code in (403, 409)
        assert sentence in refused.content.decode()
    assert not Participation.objects.exists()
    assert browser.get("/task/join/nothing/").status_code == 404


def test_a_link_with_one_place_lets_one_in():
    invite = make_invite(make_campaign(), capacity=1)
    joining.join_by_invite(invite.code)

    with pytest.raises(NotAllowed):
        joining.join_by_invite(invite.code)


def test_whoever_does_not_agree_stays_known_where_they_take_part_and_frees_the_place_of_a_link():
    elsewhere = make_participation(make_campaign("Elsewhere"), "cleo")
    here = make_participation(make_campaign("Here"), "cleo", is_ready=False)
    invite = Invite.objects.create(campaign=here.campaign, label="Friends", capacity=3, used=2)
    Participation.objects.filter(pk=here.pk).update(invite=invite)

    leaving.withdraw(here.secret)

    assert Participation.objects.get() == elsewhere
    assert Worker.objects.get().external_id == "cleo"
    invite.refresh_from_db()
    assert invite.used == 1


def withdraw_after_an_answer(browser: Client, invite: Invite) -> Participation:
    browser.post(f"/task/join/{invite.code}/")
    person = Participation.objects.get(campaign=invite.campaign)
    joining.consent(person.secret, signals=False)
    joining.read_instructions(person.secret)
    make_answer(person)
    browser.post(f"/task/{person.secret}/leave/")
    return Participation.objects.get(pk=person.pk)


def test_who_withdrew_with_pay_owed_finds_the_place_they_left_and_is_not_let_in_again(browser: Client):
    invite = make_invite(make_campaign(reward=Decimal("0.10")), capacity=5)
    person = withdraw_after_an_answer(browser, invite)

    for method in (browser.get, browser.post):
        back = method(f"/task/join/{invite.code}/", follow=True).content.decode()
        assert f"give the reference {person.pk}" in back

    assert Participation.objects.count() == Worker.objects.count() == 1
    elsewhere = make_invite(make_campaign("Elsewhere"))
    browser.post(f"/task/join/{elsewhere.code}/")
    assert "give the reference" in browser.get(f"/task/join/{invite.code}/", follow=True).content.decode()


def test_who_withdrew_and_is_owed_nothing_may_begin_again_as_somebody_new(browser: Client):
    invite = make_invite(make_campaign())
    left = withdraw_after_an_answer(browser, invite)

    browser.post(f"/task/join/{invite.code}/")

    new = Participation.objects.get(withdrawn_at=None)
    assert new.worker != left.worker
    invite.refresh_from_db()
    assert invite.used == 2, "a link never lets in more people than it says, whoever they were"


def test_who_withdraws_from_one_campaign_stays_the_same_person_in_another(browser: Client):
    invite, other = make_invite(make_campaign()), make_invite(make_campaign("Other"))
    browser.post(f"/task/join/{other.code}/")
    withdraw_after_an_answer(browser, invite)

    browser.post(f"/task/join/{other.code}/")

    assert Participation.objects.filter(campaign=other.campaign).count() == 1


def test_an_invited_person_who_does_not_agree_says_so_and_gives_their_place_to_somebody_else(browser: Client):
    invite = make_invite(make_campaign())
    browser.post(f"/task/join/{invite.code}/")
    secret = Participation.objects.get().secret
    assert "I do not agree</button>" in browser.get(f"/task/{secret}/").content.decode()

    assert "Nothing about you is stored" in browser.post(f"/task/{secret}/leave/").content.decode()

    assert not Participation.objects.exists()
    invite.refresh_from_db()
    assert invite.used == 0
