"""A page for which somebody lacks a permission says which one, and who can give it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from kernel.roles import Role
from tests.make import make_campaign, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("role", "who"),
    [
        (Role.RESEARCHER, "An administrator can give it to you under Administration, Users."),
        (Role.ADMINISTRATOR, "You can give it to yourself under Administration, Users."),
    ],
)
def test_a_permission_that_no_role_includes_is_named_with_the_place_to_give_it(client: Client, role: Role, who: str):
    client.force_login(make_user(role=role))

    page = client.get(reverse("campaign-payments", args=[make_campaign().pk]))

    assert page.status_code == 403
    text = page.content.decode()
    assert "This needs a permission that no role includes: “Can see what people are owed and mark it as paid”." in text
    assert who in text
