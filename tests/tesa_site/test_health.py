"""Probes."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from tests.make import make_worker


def test_healthz_answers_without_a_database(client):
    answer = client.get("/healthz")

    assert (answer.status_code, answer.content) == (200, b"ok\n")


def test_probes_come_by_address_whatever_hosts_are_allowed(client, settings):
    settings.ALLOWED_HOSTS = ["tesa.example.org"]
    settings.SECURE_SSL_REDIRECT = True

    assert client.get("/healthz", headers={"host": "10.0.0.7:8000"}).status_code == 200
    assert client.get("/", headers={"host": "10.0.0.7:8000"}).status_code == 400


@pytest.fixture
def _broker_folder(settings, tmp_path):
    settings.BROKER_DIR, settings.REDIS_URL = tmp_path, ""
    (tmp_path / "messages").mkdir()


@pytest.mark.django_db
@pytest.mark.usefixtures("_broker_folder")
def test_readyz_is_200_when_everything_answers(client):
    make_worker("a:1", ("default", "corpus", "gpu"))
    make_worker("scheduler a:2", ("scheduler",))

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["ready"]) == (200, True)


@pytest.mark.django_db
@pytest.mark.usefixtures("_broker_folder")
def test_readyz_names_the_queue_that_nobody_serves(client):
    make_worker("a:1", ("default", "corpus"))
    make_worker("scheduler a:2", ("scheduler",))

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert [name for name, state in answer.json()["checks"].items() if state != "ok"] == ["worker:gpu"]


@pytest.mark.django_db
@pytest.mark.usefixtures("_broker_folder")
def test_readyz_asks_only_for_the_queues_this_installation_needs(client, settings):
    settings.REQUIRED_QUEUES = ["default"]
    make_worker("a:1", ("default",))
    make_worker("scheduler a:2", ("scheduler",))

    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
def test_readyz_tells_of_a_database_without_tables(client, monkeypatch):
    def no_tables():
        raise OperationalError("no such table")

    monkeypatch.setattr("tesa_site.kernel.selectors.live_queues", no_tables)

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["checks"]["database"]) == (503, "failed: OperationalError")


@pytest.mark.django_db
def test_readyz_tells_that_the_broker_is_away_without_telling_where_it_should_be(client, settings):
    settings.REDIS_URL = "redis://:secret@127.0.0.1:1/0"

    answer = client.get("/readyz")

    assert answer.json()["checks"]["broker"] == "failed: ConnectionError"
    assert b"secret" not in answer.content
