"""Pages while the database is away or frozen, with real sockets."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.db.utils import ConnectionHandler
from kombu.exceptions import OperationalError
from psycopg2 import extensions

from kernel import jobs
from kernel.databases import outages
from kernel.databases.postgresql import base as postgresql
from kernel.models import Job
from tesa_site import env
from tests.make import make_job
from tests.product import ROOT, free_port

PUBLISH = """
from kernel.jobs import run_job
try:
    run_job.apply_async((1, 1), queue="default")
except Exception as error:
    print(error)
"""
SESSION = {"tesa_session": "a" * 32}


class Listener:
    """A server that takes connections and never answers: what a stopped PostgreSQL looks like."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.met: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                self.met.append(self.socket.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        self.socket.close()
        for connection in self.met:
            connection.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    server = Listener()
    yield server
    server.close()


@pytest.fixture
def ask(django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch, client: Any) -> Iterator[Any]:
    """Return the client, and use another database than the tests' own: `ask(port)`."""
    monkeypatch.setattr(postgresql, "_rests_until", 0.0)
    client.raise_request_exception = False
    client.cookies.load(SESSION)
    own = connections["default"]

    def asking(port: int) -> Any:
        values = env.database_from_url("X", f"postgres://ada@127.0.0.1:{port}/tesa?connect_timeout=1")
        outages.limit_for_web(values, 4)
        connections["default"] = ConnectionHandler({"default": values})["default"]
        return client

    with django_db_blocker.unblock():
        yield asking
    connections["default"] = own
    extensions.set_wait_callback(None)


def test_a_page_without_a_database_says_when_to_come_back_and_that_nothing_is_lost(ask):
    answer = ask(free_port()).get("/jobs/")

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "nothing you typed is lost" in answer.text
    assert 'href="/jobs/"' in answer.text


def test_the_api_without_a_database_answers_in_its_usual_shape(ask):
    answer = ask(free_port()).get("/api/v1/jobs/")

    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert answer.json()["error"]["code"] == "unavailable"
    assert "nothing you typed is lost" in answer.json()["error"]["message"]


def test_a_frozen_database_is_given_up_and_left_alone_for_a_moment(ask, listener):
    client = ask(listener.port)

    first, second = client.get("/jobs/"), client.get("/jobs/")

    assert (first.status_code, second.status_code) == (503, 503)
    assert len(listener.met) == 1


def test_what_was_sent_can_be_sent_again_from_the_error_page(ask):
    answer = ask(free_port()).post("/jobs/check/", {"queue": 'a "b"\n<c>', "seconds": "5"})

    assert answer.status_code == 503
    assert '<input type="hidden" name="queue" value="a &quot;b&quot;\n&lt;c&gt;">' in answer.text
    assert "Send it again" in answer.text


def test_a_password_is_not_repeated_on_the_error_page(ask):
    answer = ask(free_port()).post("/account/sign-in/", {"username": "ada", "password": "correct horse"})

    assert answer.status_code == 503
    assert "correct horse" not in answer.text
    assert "Back button" in answer.text


def test_healthz_does_not_ask_the_database(ask, listener):
    assert ask(listener.port).get("/healthz").status_code == 200
    assert not listener.met


def test_a_statement_limit_is_for_web_processes_and_adds_to_what_is_set(monkeypatch):
    monkeypatch.setenv("PGOPTIONS", "-c synchronous_commit=off")
    values = env.database_from_url("X", "postgres://ada@127.0.0.1/tesa")
    assert "options" not in values["OPTIONS"]

    outages.limit_for_web(values, 4)

    assert values["OPTIONS"]["options"] == "-c statement_timeout=15000 -c synchronous_commit=off"


@pytest.mark.processes
def test_only_loading_the_web_application_sets_the_limits(tmp_path):
    code = (
        "import django; django.setup(); from django.conf import settings; values = settings.DATABASES['default']\n"
        "print(values.get('WEB_THREADS')); import tesa_site.wsgi; print(values.get('WEB_THREADS'))"
    )
    environment = {**os.environ, "TESA_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "tesa_site.settings"}
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.stdout.split() == ["None", "4"], done.stderr


@pytest.mark.processes
def test_publishing_to_a_frozen_redis_is_one_short_try(listener, tmp_path):
    environment = {
        **os.environ,
        "TESA_REDIS_URL": f"redis://127.0.0.1:{listener.port}/0",
        "TESA_VAR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "tesa_site.settings",
    }
    command = [sys.executable, "-c", "import django; django.setup()" + PUBLISH]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert "Timeout reading from socket" in done.stdout, done.stderr
    assert len(listener.met) == 1


@pytest.mark.django_db
def test_after_a_broker_failed_a_page_that_starts_many_jobs_does_not_ask_it_again(monkeypatch):
    tries = []

    def refuse(arguments: tuple[int, int], queue: str) -> None:
        tries.append(arguments)
        raise OperationalError("Timeout reading from socket")

    monkeypatch.setattr(jobs.run_job, "apply_async", refuse)
    monkeypatch.setattr(jobs, "_broker_rests_until", 0.0)
    first, second = make_job(), make_job()

    jobs.send(first)
    jobs.send(second)

    assert tries == [(first.pk, 1)]
    assert Job.objects.get(pk=second.pk).nudged_at is None, "the sweep looks for jobs that were never nudged first"
