"""People who are signed in: a researcher (the client, or the account) and one who may pay."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from annotation.lookups import looking_in
from kernel.models import User
from tests.annotation.parts.pages import InventedTitles
from tests.annotation.researching import allow_to_pay
from tests.make import make_user


@pytest.fixture
def researcher(client: Client) -> Client:
    client.force_login(make_user("ben"))
    return client


@pytest.fixture
def ben(client: Client) -> User:
    user = make_user("ben")
    client.force_login(user)
    return user


@pytest.fixture
def payer(client: Client) -> Client:
    client.force_login(allow_to_pay(make_user("ben")))
    return client


@pytest.fixture
def invented_titles() -> Iterator[None]:
    """Let marks be linked to pages that exist in tests alone."""
    with looking_in(InventedTitles()):
        yield
