"""Limits on sign-ins: by network, by account, and by the browsers that an account has used."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.db import OperationalError
from django.test import Client
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from kernel.clock import now
from kernel.models import Attempt
from kernel.roles import Role
from kernel.services import throttling
from kernel.views.known_browsers import COOKIE
from tesa_site.sign_in import RoleBackend
from tests.make import PASSWORD, make_user

pytestmark = pytest.mark.django_db
WRONG, TOO_MANY = "password is wrong", "Too many failed sign-ins"


@pytest.fixture(autouse=True)
def _proxy(settings):
    settings.TRUSTED_PROXIES = 1


def answer(client: Client, address: str, name: str = "ben", password: str = PASSWORD) -> str:
    """Return what the sign-in page says, "" if it lets in."""
    fields = {"username": name, "password": password}
    response = client.post(reverse("sign-in"), fields, HTTP_X_FORWARDED_FOR=address)
    return "" if response.status_code == 302 else response.content.decode()


def leave(client: Client) -> None:
    client.post(reverse("sign-out"))  # the test client's own logout() would delete all cookies


def guess(times: int, address: str, **fields: str) -> list[bool]:
    """Return for each guess, each from a new browser, whether its password was checked; `{}` is the guess's number."""
    return [WRONG in answer(Client(), address.format(number), password="wrong", **fields) for number in range(times)]


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("2001:db8:0:7::{}", "2001:db8:0:7:ffff:1:2:3"),
        ("::ffff:192.0.2.9", "192.0.2.9"),
        ("192.0.2.9", "::ffff:c000:209"),
    ],
)
def test_addresses_of_one_network_are_counted_together(address, same, settings):
    make_user("ben")

    assert guess(6, address) == [True] * settings.SIGN_IN_TRIES + [False]

    assert TOO_MANY in answer(Client(), same)
    assert Attempt.objects.values("address").distinct().count() == 1


@pytest.mark.parametrize("other", ["2001:db8:0:8::1", "192.0.2.10", "::ffff:192.0.2.10"])
def test_another_network_is_counted_apart(other):
    make_user("ben")
    guess(6, "2001:db8:0:7::{}")
    guess(6, "192.0.2.9")

    assert not answer(Client(), other)


@pytest.mark.parametrize("address", ["2001:db8:0:{:x}::1", "192.0.2.{}"])
def test_of_sixty_guesses_from_sixty_networks_only_twenty_are_checked(monkeypatch, settings, address):
    make_user("ben")
    checked: list[int] = []
    monkeypatch.setattr(RoleBackend, "authenticate", lambda *args, **kwargs: checked.append(1))

    guess(60, address)

    assert len(checked) == settings.SIGN_IN_TRIES_PER_ACCOUNT == 20


def test_strangers_guesses_do_not_lock_out_a_browser_that_signed_in_before():
    make_user("ben")
    known = Client()
    assert not answer(known, "192.0.2.200")
    leave(known)

    guess(30, "192.0.2.{}")

    assert TOO_MANY in answer(Client(), "192.0.2.201")
    assert not answer(known, "192.0.2.1")  # even from a network of which the guesses came


def test_a_browser_that_signed_in_before_is_limited_too(settings):
    make_user("ben")
    known = Client()
    answer(known, "192.0.2.200")
    leave(known)

    tries = [WRONG in answer(known, f"192.0.2.{number}", password="wrong") for number in range(7)]

    assert tries == [True] * settings.SIGN_IN_TRIES + [False] * 2
    assert TOO_MANY in answer(known, "192.0.2.200")
    assert not answer(Client(), "192.0.2.201")  # what it did counts for it alone


def test_a_browser_knows_only_the_accounts_that_signed_in_with_it():
    make_user("ben")
    make_user("dan")
    of_dan = Client()
    answer(of_dan, "192.0.2.200", name="dan")
    leave(of_dan)

    guess(30, "192.0.2.{}")

    assert TOO_MANY in answer(of_dan, "192.0.2.201")


def test_two_people_can_share_a_browser():
    make_user("ben")
    make_user("cleo")
    shared = Client()
    for name in ("ben", "cleo"):
        assert not answer(shared, "192.0.2.200", name=name)
        leave(shared)

    guess(30, "192.0.2.{}")

    assert not answer(shared, "192.0.2.201")


def test_strangers_guesses_that_go_on_do_not_lock_out_the_network_where_the_owner_signed_in():
    make_user("ben")
    assert not answer(Client(), "192.0.2.200")

    for _ in range(3):  # from four networks, for as long as they like
        guess(20, "198.51.100.{}")
        Attempt.objects.filter(kind="sign in").update(at=now() - timedelta(minutes=8))

    assert TOO_MANY in answer(Client(), "192.0.2.201")
    assert not answer(Client(), "192.0.2.200")


def test_guesses_from_a_known_network_are_limited_there_and_over_all_known_ones(settings):
    make_user("ben")
    for number in range(6):
        assert not answer(Client(), f"192.0.2.{number}")

    tries = [guess(6, f"192.0.2.{number}") for number in range(6)]

    assert tries[0] == [True] * settings.SIGN_IN_TRIES + [False]
    assert sum(map(sum, tries)) == settings.SIGN_IN_TRIES_PER_ACCOUNT
    assert TOO_MANY in answer(Client(), "192.0.2.0")
    assert not answer(Client(), "192.0.2.201")  # strangers' guesses are counted apart, in both directions


def test_a_network_is_known_for_a_month_and_to_its_account_alone():
    make_user("ben")
    make_user("dan")
    assert not answer(Client(), "192.0.2.200", name="dan")
    assert not answer(Client(), "192.0.2.201")
    Attempt.objects.filter(address="192.0.2.201").update(at=now() - timedelta(days=31))

    guess(30, "198.51.100.{}")

    assert TOO_MANY in answer(Client(), "192.0.2.200")
    assert TOO_MANY in answer(Client(), "192.0.2.201")


def test_a_session_from_before_is_remembered_with_its_next_form():
    live = Client()
    live.force_login(make_user("ben", Role.RESEARCHER))
    live.get(reverse("account"), HTTP_X_FORWARDED_FOR="192.0.2.200")
    assert COOKIE not in live.cookies, "a page that is only read writes nothing"

    live.post(reverse("account-notices"), HTTP_X_FORWARDED_FOR="192.0.2.200")
    known = live.cookies[COOKIE].value
    live.post(reverse("account-notices"), HTTP_X_FORWARDED_FOR="192.0.2.199")

    assert live.cookies[COOKIE].value == known
    assert [*Attempt.objects.values_list("kind", "address")] == [("signed in", "192.0.2.200")]  # once a session
    guess(30, "198.51.100.{}")
    leave(live)
    assert not answer(live, "192.0.2.201")
    assert not answer(Client(), "192.0.2.200")


def test_a_page_does_not_fail_because_its_browser_cannot_be_remembered(monkeypatch):
    def fail(*_: object) -> None:
        raise OperationalError("The database is busy.")

    live = Client()
    live.force_login(make_user("ben", Role.RESEARCHER))
    monkeypatch.setattr(throttling, "remember_network", fail)
    assert live.post(reverse("account-notices")).status_code == 302

    monkeypatch.undo()
    live.post(reverse("account-notices"))
    assert COOKIE in live.cookies


@pytest.mark.parametrize("value", ["", "forged", '["ben"]', "x:y:z"])
def test_a_forged_cookie_counts_as_none(value):
    make_user("ben")
    guess(30, "192.0.2.{}")
    stranger = Client()
    stranger.cookies[COOKIE] = value

    assert TOO_MANY in answer(stranger, "192.0.2.201")


def test_a_new_password_by_mail_lets_the_owner_in_while_strangers_guess():
    ben = make_user("ben", email="ben@example.org")
    guess(30, "192.0.2.{}")
    owner = Client()
    link = [urlsafe_base64_encode(force_bytes(ben.pk)), default_token_generator.make_token(ben)]
    form = owner.get(reverse("password-reset-confirm", args=link)).headers["Location"]

    owner.post(form, {"new_password1": "a-new-Passw0rd!", "new_password2": "a-new-Passw0rd!"})

    assert not answer(owner, "192.0.2.201", password="a-new-Passw0rd!")


def test_the_account_s_lock_opens_by_itself():
    make_user("ben")
    guess(30, "192.0.2.{}")

    Attempt.objects.update(at=now() - timedelta(minutes=16))

    assert not answer(Client(), "192.0.2.201")


def test_requests_for_password_mails_are_counted_by_network(settings):
    waits = [throttling.begin_reset(f"2001:db8::{n:x}") for n in range(settings.RESET_REQUESTS_PER_ADDRESS + 1)]

    assert [wait > 0 for wait in waits] == [False] * settings.RESET_REQUESTS_PER_ADDRESS + [True]


def test_the_cookie_is_for_the_account_pages_alone(client):
    make_user("ben", Role.RESEARCHER)

    answer(client, "192.0.2.200")

    cookie = client.cookies[COOKIE]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/account/", True, "Lax")
    assert "ben" not in cookie.value
