"""Pages while the database is away or frozen, with real sockets."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from django.db import DatabaseError, close_old_connections, connections
from django.db.utils import ConnectionHandler
from kombu.exceptions import OperationalError
from psycopg2 import extensions

from tesa_site import databases, env
from tesa_site.kernel import jobs
from tesa_site.kernel.models import Job
from tesa_site.postgresql import base as postgresql
from tests.make import make_job
from tests.product import ROOT, free_port

PUBLISH = """
from tesa_site.kernel.jobs import run_job
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
        for one in self.met:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # closing alone would not wake a thread that reads from it
            one.close()


class Proxy(Listener):
    """Stands before the real server, and stops passing anything on while it is frozen."""

    def __init__(self, host: str, port: int) -> None:
        self.server, self.may_pass = (host, port), threading.Event()
        self.may_pass.set()
        super().__init__()

    def _accept(self) -> None:
        while True:
            try:
                here, there = self.socket.accept()[0], socket.create_connection(self.server)
            except OSError:
                return
            self.met += [here, there]
            for ends in ((here, there), (there, here)):
                threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                self.may_pass.wait()
                other.sendall(data)


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    parameters = connections["default"].get_connection_params()
    one = Proxy(parameters.get("host") or "127.0.0.1", int(parameters.get("port") or 5432))
    yield one
    one.may_pass.set()
    one.close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    one = Listener()
    yield one
    one.close()


@pytest.fixture
def ask(django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch, client: Any) -> Iterator[Any]:
    """Return the client, and use another database than the tests' own: `ask(port)`."""
    monkeypatch.setattr(postgresql, "_rests_until", 0.0)
    client.raise_request_exception = False
    client.cookies.load(SESSION)
    own = connections["default"]

    def asking(port: int, *, user: str = "ada", password: str = "", name: str = "tesa") -> Any:
        who = f"{quote(user)}:{quote(password)}"
        values = env.database_from_url("X", f"postgres://{who}@127.0.0.1:{port}/{name}?connect_timeout=1")
        databases.limit_for_web(values, 4)
        connections["default"] = ConnectionHandler({"default": values})["default"]
        return client

    with django_db_blocker.unblock():
        yield asking
        if connections["default"] is not own:
            connections["default"].close()
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


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_server_that_freezes_under_an_open_connection_is_given_up_and_found_again(ask, proxy, monkeypatch):
    own = connections["default"].get_connection_params()
    client = ask(proxy.port, user=own.get("user", ""), password=own.get("password", ""), name=own["dbname"])
    monkeypatch.setattr(postgresql, "GRACE_SECONDS", 0.5 - postgresql.STATEMENT_SECONDS)
    address = "/task/join/no-such-invite/"
    assert client.get(address).status_code == 404

    proxy.may_pass.clear()
    frozen = client.get(address)
    proxy.may_pass.set()
    monkeypatch.setattr(postgresql, "_rests_until", 0.0)
    close_old_connections()  # as after every request, except the test client's

    assert frozen.status_code == 503
    assert client.get(address).status_code == 404


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_statement_that_takes_too_long_is_ended_by_the_server(ask, proxy, monkeypatch):
    monkeypatch.setattr(databases, "STATEMENT_SECONDS", 0.2)
    own = connections["default"].get_connection_params()
    ask(proxy.port, user=own.get("user", ""), password=own.get("password", ""), name=own["dbname"])

    with pytest.raises(DatabaseError) as raised, connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_sleep(60)")

    assert "statement timeout" in str(raised.value)
    assert databases.is_outage(raised.value)


def test_healthz_does_not_ask_the_database(ask, listener):
    assert ask(listener.port).get("/healthz").status_code == 200
    assert not listener.met


def test_a_statement_limit_is_for_web_processes_and_adds_to_what_is_set(monkeypatch):
    monkeypatch.setenv("PGOPTIONS", "-c synchronous_commit=off")
    values = env.database_from_url("X", "postgres://ada@127.0.0.1/tesa")
    assert "options" not in values["OPTIONS"]

    databases.limit_for_web(values, 4)

    assert values["OPTIONS"]["options"] == "-c statement_timeout=15000 -c synchronous_commit=off"


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
