"""Django's admin and the review mounted in it, against everybody who may come."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from kernel.models import AuditEntry, User
from kernel.roles import Role
from tests.make import NO_ROW, make_campaign, make_job, make_user
from tests.tesa_site.access_matrix import ADMIN_LISTS, POST, REVIEW

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}


@pytest.mark.parametrize("name", REVIEW)
def test_the_review_is_for_researchers_and_administrators(client, name):
    method, status = REVIEW[name]
    campaign = make_campaign("Reviewed")
    below = "decide" in name or "settle" in name
    values = [campaign.pk, NO_ROW] if below else [] if name == "review" else [campaign.pk]
    url = reverse(f"admin:{name}", args=values)

    assert getattr(client, method)(url).status_code == 302  # to the sign-in page
    assert getattr(client, method)(url, headers=SCRIPT).status_code == 401
    client.force_login(make_user("cleo", Role.ANNOTATOR))
    for headers in ({}, SCRIPT):
        assert getattr(client, method)(url, headers=headers, follow=True).status_code == 403
    for role in (Role.RESEARCHER, Role.ADMINISTRATOR):
        client.force_login(make_user(role.value, role))
        assert getattr(client, method)(url).status_code == status
        if method == POST:
            assert client.get(url).status_code == 405


@pytest.mark.parametrize("name", ["admin:index", *ADMIN_LISTS])
def test_the_admin_is_for_researchers_and_administrators(client, name):
    assert client.get(reverse(name)).status_code == 302

    client.force_login(make_user("cleo", Role.ANNOTATOR))
    assert client.get(reverse(name), follow=True).status_code == 403


@pytest.mark.parametrize("name", ["admin:index", *ADMIN_LISTS])
def test_every_list_of_the_admin_opens_for_an_administrator(client, name):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))

    assert client.get(reverse(name)).status_code == 200


def test_a_researcher_sees_neither_people_nor_the_audit_trail_in_the_admin(client):
    client.force_login(make_user("ben", Role.RESEARCHER))

    assert client.get(reverse("admin:kernel_user_changelist")).status_code == 403
    assert client.get(reverse("admin:kernel_auditentry_changelist")).status_code == 403
    assert client.get(reverse("admin:kernel_job_changelist")).status_code == 200


def test_the_admin_has_the_name_of_its_menu_item(client):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))

    page = client.get(reverse("admin:index"))

    assert page.context["title"] == "Administration"
    assert b">Administration</a>" in page.content


def test_a_refused_page_names_roles_and_permissions(client):
    client.force_login(make_user("cleo", Role.ANNOTATOR))

    page = client.get("/campaigns/").content.decode()

    assert "You may not open this page" in page
    assert "Your role or your permissions do not include it." in page


def test_nobody_changes_history_in_the_admin(client):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    job = make_job()

    assert client.get(reverse("admin:kernel_auditentry_add")).status_code == 403
    assert client.post(reverse("admin:kernel_job_delete", args=[job.pk]), {"post": "yes"}).status_code == 403


def test_an_administrator_adds_a_person_with_a_role_in_the_admin(client):
    client.force_login(make_user("ada", Role.ADMINISTRATOR))
    group = Group.objects.get(name="Annotator")
    fields = {
        "username": "dan",
        "usable_password": "true",
        "password1": "a very good secret",
        "password2": "a very good secret",
        "groups": [group.pk],
    }

    answer = client.post(reverse("admin:kernel_user_add"), fields)

    assert answer.status_code == 302, answer.content.decode()[-2000:]

    assert [g.name for g in User.objects.get(username="dan").groups.all()] == ["Annotator"]
    assert AuditEntry.objects.filter(action="set role", subject_name="dan").exists()
