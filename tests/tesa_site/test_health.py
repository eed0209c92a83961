"""Probes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg2
import pytest
from django.db import OperationalError, connection, connections
from django.db.utils import ConnectionHandler

from kernel.databases import outages
from kernel.databases.sqlite import queue
from tests.make import make_user, make_worker
from tests.product import wait_for


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
def test_readyz_names_the_queue_that_nobody_serves(client, settings):
    settings.REQUIRED_QUEUES = [*settings.QUEUES]
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

    monkeypatch.setattr("kernel.selectors.live_queues", no_tables)

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["checks"]["database"]) == (503, "failed: OperationalError")


@pytest.mark.django_db
def test_readyz_tells_that_the_broker_is_away_without_telling_where_it_should_be(client, settings):
    settings.REDIS_URL = "redis://:secret@127.0.0.1:1/0"

    answer = client.get("/readyz")

    assert answer.json()["checks"]["broker"] == "failed: ConnectionError"
    assert b"secret" not in answer.content


@contextmanager
def somebody_writes(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another session holds what every writer needs, on the engine of this test run."""
    monkeypatch.setattr("tesa_site.views.health.WRITE_SECONDS", 0.2)
    monkeypatch.setattr(outages, "STUCK_SECONDS", 0.0)
    with postgresql_table_locked() if connection.vendor == "postgresql" else sqlite_file_locked(tmp_path):
        yield


@contextmanager
def postgresql_table_locked() -> Iterator[None]:
    other = another_session()
    other.cursor().execute("LOCK TABLE kernel_workerheartbeat IN EXCLUSIVE MODE")
    try:
        yield
    finally:
        other.close()


def another_session() -> Any:
    parameters = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port")
    return psycopg2.connect(**{name: parameters[name] for name in names if name in parameters})


@contextmanager
def sqlite_file_locked(tmp_path: Any) -> Iterator[None]:
    """Put a file in place of the tests' database in memory, which has no queue."""
    own, path = connections["default"], tmp_path / "tesa.sqlite3"
    options = {"transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL"}
    values = {"ENGINE": "kernel.databases.sqlite", "NAME": path, "OPTIONS": options}
    here = ConnectionHandler({"default": values})["default"]
    own.ensure_connection()
    here.ensure_connection()
    own.connection.backup(here.connection)
    connections["default"] = here
    place = queue.enter(f"{path}-queue")
    place.record("writing")
    try:
        yield
    finally:
        place.leave()
        connections["default"] = own
        here.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_broker_folder")
def test_readyz_tries_a_write_and_names_the_process_that_holds_it_up(client, tmp_path, monkeypatch):
    with somebody_writes(tmp_path, monkeypatch):
        answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["checks"]["database"] == "ok"
    assert answer.json()["checks"]["writing"].startswith("stuck: The database is busy: ")
    assert "process" in answer.json()["checks"]["writing"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("address", ["/", "/jobs/"])
def test_home_and_jobs_name_the_process_that_keeps_others_from_writing(client, tmp_path, monkeypatch, address):
    client.force_login(make_user())
    with somebody_writes(tmp_path, monkeypatch), somebody_waits():
        answer = client.get(address)

    assert answer.status_code == 200
    assert "Nothing can be saved right now." in answer.text
    assert "has been writing for" in answer.text


@contextmanager
def somebody_waits() -> Iterator[None]:
    """Another session waits for the lock: on PostgreSQL a long transaction alone keeps nobody from writing."""
    if connection.vendor != "postgresql":
        yield
        return
    other = another_session()
    update = "UPDATE kernel_workerheartbeat SET version = ''"

    def wait() -> None:
        with suppress(psycopg2.Error):  # cancelled below
            other.cursor().execute(update)

    waiting = threading.Thread(target=wait)
    waiting.start()
    with connection.cursor() as cursor:
        wait_for(lambda: is_anybody_blocked(cursor), every=0.01)
    yield
    other.cancel()
    waiting.join()
    other.close()


def is_anybody_blocked(cursor: Any) -> bool:
    cursor.execute(outages.BLOCKER, [0.0])
    return cursor.fetchone() is not None
