"""Sessions that end while a page is open: what its scripts are answered, and signing in over the page."""

from __future__ import annotations

import re

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from tests.make import PASSWORD, make_user

pytestmark = pytest.mark.django_db

SCRIPTS = [{"HX-Request": "true"}, {"X-Requested-With": "XMLHttpRequest"}]
SCRIPT = SCRIPTS[-1]
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


def sign_in(client: Client, password: str = PASSWORD, **fields: str):
    data = {"username": "ben", "password": password, **fields}
    return client.post(reverse("sign-in"), data, headers=SCRIPT)


@pytest.mark.parametrize("headers", SCRIPTS)
def test_a_script_whose_session_has_ended_gets_a_401_and_a_browser_the_sign_in_page(client: Client, headers):
    client.force_login(make_user("ben"))
    Session.objects.all().delete()

    answer = client.get(reverse("jobs"), headers=headers)

    assert (answer.status_code, answer.content.decode()) == (401, "You were signed out.")
    assert client.get(reverse("jobs"))["Location"] == f"{reverse('sign-in')}?next={reverse('jobs')}"


def test_a_form_that_is_older_than_the_sign_in_tells_a_script_to_ask_who_is_signed_in():
    make_user("ben")
    browser = Client(enforce_csrf_checks=True)

    assert browser.post(reverse("account"), headers=SCRIPT).status_code == 401
    assert browser.post(reverse("account")).status_code == 403


def test_a_script_gets_the_sign_in_as_a_part_with_ids_of_its_own(client: Client):
    answer = client.get(reverse("sign-in"), headers=SCRIPT)

    text = answer.content.decode()
    assert "You were signed out" in text
    assert "<html" not in text
    assert set(re.findall(r'<input[^>]* id="([^"]+)"', text)) == {"signed-out-username", "signed-out-password"}


def test_signing_in_over_a_page_renews_the_token_of_its_forms():
    make_user("ben")
    browser = Client(enforce_csrf_checks=True)
    token = TOKEN.findall(browser.get(reverse("sign-in"), headers=SCRIPT).content.decode())[0]

    answer = sign_in(browser, csrfmiddlewaretoken=token)

    renewed = answer.json()["token"]
    assert answer.json()["person"] == "ben"
    assert "no-store" in answer["Cache-Control"]
    for sent, status in ((token, 401), (renewed, 302)):
        form = {"first_name": "Benedikt", "csrfmiddlewaretoken": sent}
        assert browser.post(reverse("account"), form, headers=SCRIPT).status_code == status


def test_a_wrong_password_comes_back_in_the_part_and_counts_towards_the_limit(client: Client):
    make_user("ben")
    for _ in range(5):
        answer = sign_in(client, "wrong")
        assert answer.status_code == 422
        assert "password is wrong" in answer.content.decode()

    refused = sign_in(client)

    assert refused.status_code == 422
    assert "Too many failed sign-ins" in refused.content.decode()


def test_a_script_is_told_who_has_signed_in_meanwhile(client: Client):
    client.force_login(make_user("ben"))

    assert client.get(reverse("sign-in"), headers=SCRIPT).json()["person"] == "ben"
    assert sign_in(client, "wrong").json()["person"] == "ben"
    assert client.get(reverse("sign-in")).status_code == 302
