"""Roles, signing in, throttling, passwords, tokens."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.core import mail
from django.db import connections
from django.test import Client
from django.urls import reverse

from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.models import ApiToken, Attempt, AuditEntry, User
from kernel.roles import PERMISSIONS, Role
from kernel.services import people, throttling, tokens
from tesa_site.sign_in import RoleBackend
from tests.make import PASSWORD, make_user
from tests.product import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _roles(db):
    people.sync_roles()


def sign_in(client, name="ben", password=PASSWORD, **extra):
    return client.post(reverse("sign-in"), {"username": name, "password": password}, **extra)


@pytest.mark.parametrize("role", Role)
def test_each_role_s_group_holds_exactly_its_permissions(role):
    group = Group.objects.get(name=role.value)
    held = {f"{p.content_type.app_label}.{p.codename}" for p in group.permissions.select_related("content_type")}

    assert held == PERMISSIONS[role]


def test_every_permission_of_a_role_exists():
    known = set(make_user("ada", Role.ADMINISTRATOR).get_all_permissions())

    assert PERMISSIONS[Role.ADMINISTRATOR] == known


def test_giving_a_role_takes_the_former_one_and_is_kept_in_the_trail():
    ada = make_user("ada", Role.ADMINISTRATOR)
    ben = make_user("ben", Role.RESEARCHER)

    people.set_role(ben, Role.ANNOTATOR, by=ada)

    entry = AuditEntry.objects.first()
    assert people.role_of(ben) == "Annotator"
    assert (entry.actor_name, entry.before, entry.after) == ("ada", "Researcher", "Annotator")


def test_a_name_is_taken_whatever_its_capitals():
    make_user("ben")

    with pytest.raises(InvalidInput, match="already in use"):
        make_user("Ben")


def test_signing_in_leads_to_the_page_that_was_asked_for(client):
    make_user("ben")

    asked = client.get(reverse("jobs"))
    answer = client.post(asked.url, {"username": "ben", "password": PASSWORD, "next": reverse("jobs")})

    assert answer.url == reverse("jobs")


def test_signing_in_never_leads_off_the_site(client):
    make_user("ben")

    fields = {"username": "ben", "password": PASSWORD, "next": "https://elsewhere.example/"}
    answer = client.post(reverse("sign-in"), fields)

    assert answer.url == reverse("home")


def test_guessing_is_stopped_after_five_tries_even_with_the_right_password(client):
    make_user("ben")
    for _ in range(5):
        assert "password is wrong" in sign_in(client, password="wrong").content.decode()

    answer = sign_in(client)

    assert "Too many failed sign-ins. Try again in 15 minutes" in answer.content.decode()
    assert not answer.wsgi_request.user.is_authenticated


def test_a_blank_password_forgets_no_failure(client):
    make_user("ben")
    for _ in range(5):
        sign_in(client, password="wrong")

    sign_in(client, password="")

    assert "Too many" in sign_in(client).content.decode()


def test_the_lock_opens_by_itself_and_never_hits_another_person(client):
    make_user("ben")
    make_user("cleo")
    for _ in range(5):
        sign_in(client, password="wrong")

    assert sign_in(client, "cleo").status_code == 302
    client.logout()
    Attempt.objects.update(at=now() - timedelta(minutes=16))
    assert sign_in(client).status_code == 302


def test_one_address_cannot_try_many_names(client, settings):
    make_user("ben")
    for number in range(settings.SIGN_IN_TRIES_PER_ADDRESS):
        throttling.begin_sign_in(f"name{number}", "127.0.0.1")

    assert "Too many" in sign_in(client).content.decode()


def test_a_right_password_forgets_the_failures(client):
    make_user("ben")
    for _ in range(4):
        sign_in(client, password="wrong")

    sign_in(client)

    assert not Attempt.objects.filter(kind="sign in").exists()


def test_behind_a_trusted_proxy_the_client_s_own_address_counts(client, settings):
    settings.TRUSTED_PROXIES = 1
    sign_in(client, password="wrong", HTTP_X_FORWARDED_FOR="6.6.6.6, 203.0.113.9")
    sign_in(client, password="wrong", HTTP_X_FORWARDED_FOR="not an address")

    assert [attempt.address for attempt in Attempt.objects.order_by("id")] == ["203.0.113.9", None]


def test_a_try_is_counted_before_its_password_is_checked(client, monkeypatch):
    make_user("ben")
    counted, check = [], RoleBackend.authenticate
    monkeypatch.setattr(
        RoleBackend,
        "authenticate",
        lambda *args, **kwargs: (counted.append(Attempt.objects.count()), check(*args, **kwargs))[1],
    )

    for _ in range(3):
        sign_in(client, password="wrong")

    assert counted == [1, 2, 3]


@pytest.mark.postgresql
def test_of_many_parallel_tries_no_more_passwords_are_checked_than_allowed(monkeypatch, settings):
    make_user("ben")
    barrier, checked = threading.Barrier(40), []
    monkeypatch.setattr(RoleBackend, "authenticate", lambda *args, **kwargs: checked.append(1))

    def guess(number: int) -> None:
        try:
            barrier.wait(PATIENCE_S)
            sign_in(Client(), password=f"guess {number}")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(guess, range(40)))

    assert len(checked) <= settings.SIGN_IN_TRIES
    assert Attempt.objects.count() == len(checked)  # tries that were refused are not kept


def test_a_try_that_was_refused_does_not_prolong_the_wait(client):
    make_user("ben")
    for _ in range(5):
        sign_in(client, password="wrong")
    Attempt.objects.update(at=now() - timedelta(minutes=10))

    for _ in range(3):
        assert "Try again in 5 minutes" in sign_in(client).content.decode()

    assert Attempt.objects.count() == 5


def test_one_account_gets_three_password_mails_an_hour_however_they_are_asked_for(client, settings):
    settings.TRUSTED_PROXIES = 1
    make_user("ben", email="ben@example.org")
    for number in range(6):
        asked = {"email": "ben@example.org" if number % 2 else "BEN@example.org"}
        answer = client.post(reverse("password-reset"), asked, HTTP_X_FORWARDED_FOR=f"203.0.113.{number}")
        assert answer.url == reverse("password-reset-sent")  # says nothing about the account
    assert len(mail.outbox) == 3

    Attempt.objects.update(at=now() - timedelta(minutes=61))
    client.post(reverse("password-reset"), {"email": "ben@example.org"})

    assert len(mail.outbox) == 4


def test_one_address_asks_for_a_limited_number_of_password_mails(client, settings):
    for number in range(settings.RESET_REQUESTS_PER_ADDRESS):
        make_user(f"name{number}", email=f"name{number}@example.org")
        client.post(reverse("password-reset"), {"email": f"name{number}@example.org"})
    make_user("ben", email="ben@example.org")

    answer = client.post(reverse("password-reset"), {"email": "ben@example.org"})

    assert "Try again in 60 minutes" in answer.content.decode()
    assert len(mail.outbox) == settings.RESET_REQUESTS_PER_ADDRESS


def test_signing_out_needs_a_post(client):
    client.force_login(make_user("ben"))

    assert client.get(reverse("sign-out")).status_code == 405
    client.post(reverse("sign-out"))
    assert client.get(reverse("home")).status_code == 302


def test_a_forgotten_password_is_set_through_the_mail_s_link_once(client, settings):
    make_user("ben", email="ben@example.org")
    client.post(reverse("password-reset"), {"email": "ben@example.org"})
    link = re.search(settings.PUBLIC_ORIGIN + r"(/\S+)", mail.outbox[0].body).group(1)
    page = client.get(link, follow=True)
    fields = {"new_password1": "a much better secret", "new_password2": "a much better secret"}

    client.post(page.redirect_chain[-1][0], fields)

    assert User.objects.get(username="ben").check_password("a much better secret")
    assert "no longer works" in client.get(link, follow=True).content.decode()


def test_somebody_added_without_a_password_sets_their_first_one(client):
    people.create_user("dora", role=Role.ANNOTATOR, email="dora@example.org")

    client.post(reverse("password-reset"), {"email": "Dora@example.org"})

    assert mail.outbox[0].to == ["dora@example.org"]


def test_asking_for_an_unknown_address_says_the_same_and_sends_nothing(client):
    answer = client.post(reverse("password-reset"), {"email": "nobody@example.org"})

    assert (answer.url, mail.outbox) == (reverse("password-reset-sent"), [])


def test_a_changed_password_keeps_this_browser_signed_in(client):
    client.force_login(make_user("ben"))
    fields = {"old_password": PASSWORD, "new_password1": "another good one", "new_password2": "another good one"}

    answer = client.post(reverse("password-change"), fields, follow=True)

    assert "has been changed" in answer.content.decode()


def test_a_password_that_could_not_be_stored_is_not_in_the_audit_log(client, monkeypatch):
    client.force_login(make_user("ben"))
    monkeypatch.setattr(User, "set_password", lambda *_: 1 / 0)
    fields = {"old_password": PASSWORD, "new_password1": "another good one", "new_password2": "another good one"}

    with pytest.raises(ZeroDivisionError):
        client.post(reverse("password-change"), fields)

    assert not AuditEntry.objects.filter(action="change password").exists()


def test_a_weak_password_is_refused_with_the_reason(client):
    client.force_login(make_user("ben"))
    fields = {"old_password": PASSWORD, "new_password1": "12345", "new_password2": "12345"}

    assert "too short" in client.post(reverse("password-change"), fields).content.decode()


def test_a_new_token_is_shown_once_and_only_its_hash_is_kept(client):
    client.force_login(make_user("ben"))

    first = client.post(
        reverse("tokens"), {"name": "notebook", "scope": "read", "days": "90"}, follow=True
    ).content.decode()
    key = re.search(r"tesa_[\w-]{40,}", first).group(0)

    assert key not in client.get(reverse("tokens")).content.decode()
    row = ApiToken.objects.get()
    assert key not in {str(value) for value in row.__dict__.values()}
    assert tokens.token_of_key(key).user.username == "ben"


@pytest.mark.parametrize(("days", "expires"), [("30", 30), ("365", 365), ("", None)])
@pytest.mark.parametrize("scope", ["read", "write"])
def test_a_token_has_the_scope_and_the_time_that_were_chosen(client, scope, days, expires):
    client.force_login(make_user("ben"))

    page = client.post(reverse("tokens"), {"name": "notebook", "scope": scope, "days": days}, follow=True)

    row = ApiToken.objects.get()
    assert (row.scope, row.expires_at and round((row.expires_at - now()) / timedelta(days=1))) == (scope, expires)
    assert ("Read and change" if scope == "write" else "Read only") in page.content.decode()
    assert AuditEntry.objects.get(action="create token").after["scope"] == scope


def test_the_form_offers_reading_for_three_months_unless_more_is_asked_for(client):
    client.force_login(make_user("ben"))
    form = client.get(reverse("tokens")).context["form"]

    assert (form["scope"].value(), form["days"].value()) == ("read", "90")
    assert client.post(reverse("tokens"), {"name": "x", "scope": "all", "days": "9999"}).status_code == 422


def test_an_expired_token_is_shown_as_such_and_makes_room_for_another(client):
    ben = make_user("ben")
    for number in range(tokens.MOST_TOKENS):
        tokens.create_token(ben, str(number))
    ApiToken.objects.filter(name="0").update(expires_at=now() - timedelta(days=1))
    client.force_login(ben)

    page = client.post(reverse("tokens"), {"name": "one more", "scope": "read"}, follow=True).content.decode()

    assert "Expired" in page
    assert ApiToken.objects.filter(name="one more").exists()


def test_a_revoked_token_opens_nothing_and_revoking_twice_is_harmless(client):
    ben = make_user("ben")
    token, key = tokens.create_token(ben, "notebook")
    client.force_login(ben)

    for _ in range(2):
        client.post(reverse("token-revoke", args=[token.pk]))

    assert tokens.token_of_key(key) is None
    assert AuditEntry.objects.filter(action="revoke token").count() == 1


def test_nobody_revokes_another_person_s_token(client):
    token, key = tokens.create_token(make_user("ada", Role.ADMINISTRATOR), "hers")
    client.force_login(make_user("ben"))

    assert client.post(reverse("token-revoke", args=[token.pk])).status_code == 404
    assert tokens.token_of_key(key) is not None


def test_a_switched_off_account_s_token_opens_nothing():
    ben = make_user("ben")
    _, key = tokens.create_token(ben, "notebook")
    User.objects.filter(pk=ben.pk).update(is_active=False)

    assert tokens.token_of_key(key) is None


def test_a_token_s_use_is_noted_at_most_once_a_minute(django_assert_num_queries):
    _, key = tokens.create_token(make_user("ben"), "notebook")
    tokens.token_of_key(key)

    with django_assert_num_queries(1):
        tokens.token_of_key(key)


def test_tokens_are_counted(client):
    ben = make_user("ben")
    for number in range(tokens.MOST_TOKENS):
        tokens.create_token(ben, str(number))
    client.force_login(ben)

    answer = client.post(reverse("tokens"), {"name": "one more", "scope": "read"})

    assert answer.status_code == 422
    assert "revoke one first" in answer.content.decode()
