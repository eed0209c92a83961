"""The worker's pages over HTTP, without JavaScript, session or cookie."""

from __future__ import annotations

import logging

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Assignment, Participation
from annotation.services import campaigns, joining
from kernel.roles import Role
from tests.make import PASSWORD, make_answer, make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def page(browser: Client, person: Participation) -> str:
    return shown(browser.get(f"/task/{person.secret}/"))


def answer_url(person: Participation) -> str:
    return f"/task/{person.secret}/answer/{Assignment.objects.get(participation=person, status='taken').pk}/"


def test_a_new_person_agrees_reads_and_begins(browser: Client):
    person = make_participation(make_campaign(), is_ready=False)

    asked = page(browser, person)
    assert "Before you begin" in asked
    assert "Optional: you may also record how long" in asked
    browser.post(f"/task/{person.secret}/consent/", {"signals": "on"})
    assert "Continue" in page(browser, person)
    browser.post(f"/task/{person.secret}/instructions/")

    assert "In this article, Ida Lind and Karl Moe are discussed." in page(browser, person)
    assert browser.cookies == {}


def test_an_answer_is_answered_with_the_next_task(browser: Client):
    person = make_participation(make_campaign())
    page(browser, person)

    answer = browser.post(answer_url(person), {"phrase_1": "botanists"})

    assert answer.status_code == 200
    assert "Your last answer is stored" in answer.content.decode()
    assert "Task 2" in answer.content.decode()
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_an_answer_reads_no_row_for_a_single_column(browser: Client):
    person = make_participation(make_campaign())
    page(browser, person)
    url = answer_url(person)

    with CaptureQueriesContext(connection) as queries:
        browser.post(url, {"phrase_1": "botanists"})

    assert [query["sql"] for query in queries if query["sql"].endswith("LIMIT 21")] == []  # as Django reads them


def test_the_back_button_and_a_second_click_show_that_the_first_answer_stands(browser: Client):
    person = make_participation(make_campaign())
    page(browser, person)
    url = answer_url(person)
    browser.post(url, {"phrase_1": "botanists"})

    again = browser.post(url, {"phrase_1": "gardeners"}).content.decode()

    assert "your first answer stands" in again
    assert Annotation.objects.get().answer["phrases"] == ["botanists"]
    assert browser.get(url).headers["Location"] == f"/task/{person.secret}/"


def test_a_doubtful_answer_asks_and_the_second_click_confirms_it(browser: Client):
    person = make_participation(make_campaign())
    page(browser, person)
    url = answer_url(person)

    asked = browser.post(url, {"phrase_1": "the two people"})

    assert asked.status_code == 422
    assert "Submit anyway" in asked.content.decode()
    assert 'value="phrase_1:type"' in asked.content.decode()
    browser.post(url, {"phrase_1": "the two people", "confirmed": "phrase_1:type"})
    assert Annotation.objects.get().answer["phrases"] == ["the two people"]


def test_what_was_typed_is_there_again_after_a_reload_even_if_it_was_refused(browser: Client):
    person = make_participation(make_campaign())
    page(browser, person)
    draft_url = answer_url(person).replace("answer", "draft")

    answer = browser.post(draft_url, {"phrase_1": "some <b>bot"})
    assert answer.json()["saved"]
    assert "some &lt;b&gt;bot" in page(browser, person)
    browser.post(answer_url(person), {"phrase_1": "they"})

    assert 'value="they"' in page(browser, person)


def test_a_wrong_address_is_not_found_and_another_persons_task_neither(browser: Client):
    campaign = make_campaign()
    ada, dan = make_participation(campaign, "ada"), make_participation(campaign, "dan")
    page(browser, ada)

    assert browser.get("/task/no-such-secret/").status_code == 404
    stolen = answer_url(ada).replace(ada.secret, dan.secret)
    assert browser.post(stolen, {"phrase_1": "botanists"}).status_code == 404
    assert Annotation.objects.count() == 0


def test_who_is_done_is_thanked_and_told_what_they_earned(browser: Client):
    person = make_participation(make_campaign(size=1))
    page(browser, person)

    answer = browser.post(answer_url(person), {"impossible": "on"})

    assert "All done" in answer.content.decode()


def test_a_pause_keeps_ones_place(browser: Client):
    campaign = make_campaign()
    person = make_participation(campaign)
    campaigns.pause(campaign.pk, by=None)

    assert "This campaign is paused" in page(browser, person)


def test_a_signed_in_annotator_begins_from_the_first_page_and_comes_back_to_the_same_place(client: Client):
    campaign = make_campaign("Open to all")
    make_user("cleo", Role.ANNOTATOR)
    client.login(username="cleo", password=PASSWORD)

    assert "Open to all" in client.get("/").content.decode()
    first = client.post(f"/task/start/{campaign.pk}/").headers["Location"]

    assert client.post(f"/task/start/{campaign.pk}/").headers["Location"] == first
    assert first in client.get("/").content.decode()


def test_a_campaign_in_which_everything_is_answered_is_not_offered_and_asks_nothing_of_who_comes_new(client: Client):
    campaign = make_campaign("Open to all", size=1, redundancy=1)
    others = make_participation(campaign)
    client.force_login(make_user("dan", Role.ANNOTATOR))
    assert "Begin" in client.get("/").content.decode()
    make_answer(others)

    assert "Open to all" not in client.get("/").content.decode()
    refused = client.post(f"/task/start/{campaign.pk}/")

    assert refused.status_code == 409
    assert "Other people have answered everything already." in refused.content.decode()
    assert '<a class="btn primary" href="/">Back to My tasks</a>' in refused.content.decode()
    assert list(Participation.objects.all()) == [others]


def test_whoever_has_begun_keeps_their_place_when_everything_is_answered(client: Client):
    campaign = make_campaign("Open to all", size=1, redundancy=1)
    user = make_user("dan", Role.ANNOTATOR)
    place = joining.join_as_user(campaign, user)
    make_answer(make_participation(campaign))
    client.force_login(user)

    assert "Continue" in client.get("/").content.decode()
    assert client.post(f"/task/start/{campaign.pk}/").headers["Location"] == f"/task/{place.secret}/"


def test_who_was_given_no_task_is_not_thanked_for_answers_of_others(client: Client):
    campaign = make_campaign(size=1, redundancy=1)
    late = make_participation(campaign, "dan")
    make_answer(make_participation(campaign))

    text = page(client, late)
    assert "Other people have answered everything already." in text
    assert "All done" not in text
    assert "My tasks" not in text
    client.force_login(make_user("dan", Role.ANNOTATOR))
    assert "Back to My tasks" in page(client, late)


def test_texts_are_escaped_everywhere(browser: Client):
    campaign = make_campaign("<script>alert(1)</script>", consent="<i>yes</i>", contact="<x@tesa.invalid>")
    person = make_participation(campaign, is_ready=False)

    text = page(browser, person)

    assert "<script>alert" not in text
    assert "<i>yes" not in text
    assert "<x@" not in text


def test_whoever_gives_a_task_back_is_told_so(client: Client):
    person = make_participation(make_campaign(size=2))
    for notice in ("You skipped the task. Here is another.", "You skipped the task."):
        client.get(f"/task/{person.secret}/")
        turn = Assignment.objects.get(participation=person, status="taken")
        page = client.post(f"/task/{person.secret}/back/{turn.pk}/", follow=True).content.decode()
        assert f'role="status">{notice}</p>' in page


def test_whoever_has_typed_something_is_asked_before_the_task_goes_back(browser: Client):
    person = make_participation(make_campaign(size=2))
    assert 'form="answer" formaction="' in page(browser, person), "the button takes along what stands in the fields"
    turn = Assignment.objects.get()
    back = f"/task/{person.secret}/back/{turn.pk}/"

    asked = browser.post(back, {"phrase_1": "the garden", "confirmed": "", "signals": "{}"}).content.decode()

    assert "Skip this task?" in asked
    assert 'value="the garden"' in page(browser, person), "kept until they say so"
    browser.post(back, {"sure": "yes"})
    turn.refresh_from_db()
    assert turn.status == "returned"
    assert browser.post(back, {"phrase_1": "too late"}).status_code == 302


@pytest.mark.parametrize("below", [None, "/tesa"])
def test_the_log_does_not_hold_a_persons_key(browser, caplog, monkeypatch, settings, below):
    settings.FORCE_SCRIPT_NAME = below
    person = make_participation(make_campaign())
    monkeypatch.setattr(logging.getLogger("tesa.access"), "propagate", True)

    with caplog.at_level("INFO", logger="tesa.access"):
        browser.get(f"/task/{person.secret}/mine/")

    assert f"/task/{person.secret[:4]}…/mine/" in caplog.text
    assert person.secret not in caplog.text
