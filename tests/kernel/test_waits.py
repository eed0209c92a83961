"""On PostgreSQL every wait of a job, a heartbeat or the scheduler has an end: for a lock, and for a frozen server."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg2
import pytest
from django.db import OperationalError, connection
from django.db.utils import ConnectionHandler

from kernel.databases import patience
from kernel.databases.postgresql import base as postgresql
from kernel.job_kind import JobKind, JobResult
from kernel.jobs import running
from kernel.models import Job, User
from kernel.services import heartbeats
from kernel.services import jobs as services
from tesa_site.management.commands import scheduler
from tests.make import make_running_job, make_user, make_worker
from tests.product import wait_for

on_postgresql = pytest.mark.postgresql
pytestmark = pytest.mark.django_db(transaction=True)


def rename_ben(parameters: Any, progress: Any) -> JobResult:
    User.objects.filter(username="ben").update(first_name="Benjamin")
    return JobResult("renamed")


RENAME = JobKind("Rename", "default", rename_ben, repeatable=True)


@contextmanager
def idle_session(table: str) -> Iterator[Any]:
    """Hold a lock on a table's rows in a session that does nothing any more; yield its connection."""
    values = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port")
    address = {name: values[name] for name in names if name in values}
    session = psycopg2.connect(**address, application_name="an idle session")
    try:
        session.cursor().execute(f"SELECT 1 FROM {table} FOR UPDATE")
        yield session
    finally:
        session.close()


@pytest.fixture
def _new_connection() -> Iterator[None]:
    """Let the limits of a test be those of its connection, and of no other test's."""
    connection.close()
    yield
    connection.close()


@on_postgresql
@pytest.mark.usefixtures("_new_connection")
def test_a_job_that_waits_for_an_idle_session_s_lock_ends_with_its_name_and_can_be_repeated(settings, monkeypatch):
    settings.TESA_JOB_KINDS = {"rename": "tests.kernel.test_waits:RENAME"}
    monkeypatch.setattr(patience, "JOB_SECONDS", 0.2)
    make_user("ben")
    job = make_running_job(kind="rename")

    with idle_session("kernel_user"):
        running.execute(job)

    job.refresh_from_db()
    assert job.status == "failed"
    assert job.error.startswith("The database is busy: an idle session (PostgreSQL process ")
    assert job.error.endswith("The job gave up after 0.2 s. Retry the job.")
    services.retry_job(job.pk, by=None)
    running.execute(services.claim_job(job.pk, job.attempt + 1, worker="here:1"))
    assert Job.objects.get(pk=job.pk).status == "succeeded"


@on_postgresql
@pytest.mark.usefixtures("_new_connection")
def test_the_heartbeat_of_a_job_whose_row_is_locked_goes_on_once_the_lock_is_gone(settings, monkeypatch, caplog):
    settings.HEARTBEAT_SECONDS = 0.01
    monkeypatch.setattr(patience, "ROUND_SECONDS", 0.2)
    job = make_running_job()

    with running.heartbeat(job):
        with idle_session("kernel_job"):
            wait_for(lambda: "lock timeout" in caplog.text, every=0.01)
        Job.objects.filter(pk=job.pk).update(heartbeat_at=None)
        wait_for(lambda: Job.objects.get(pk=job.pk).heartbeat_at, every=0.01)


@on_postgresql
@pytest.mark.usefixtures("_new_connection")
def test_the_heartbeat_of_a_worker_gives_up_its_turn_while_its_row_is_locked(monkeypatch):
    make_worker("here:1")
    connection.close()

    with idle_session("kernel_workerheartbeat"), patience.at_most(0.2), pytest.raises(OperationalError, match="lock"):
        heartbeats.beat_worker("here:1", ["default"])


def test_a_step_of_the_scheduler_that_waits_in_vain_does_not_keep_the_others_from_their_turn(monkeypatch, caplog):
    limits: list[float | None] = []

    def wait_in_vain() -> None:
        limits.append(patience.limit())
        raise OperationalError("canceling statement due to lock timeout")

    for step in (wait_in_vain, lambda: limits.append(1.0)):
        scheduler.carry_out(step)

    assert limits == [patience.ROUND_SECONDS, 1.0]
    assert "a step of the scheduler failed" in caplog.text


class Line:
    """Passes bytes on between clients and the server, until it is cut: then it takes all and passes nothing on."""

    def __init__(self, server: tuple[str, int]) -> None:
        self.server, self.is_cut = server, threading.Event()
        self.entrance = socket.create_server(("127.0.0.1", 0))
        self.port = self.entrance.getsockname()[1]
        self.sockets = [self.entrance]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client = self.entrance.accept()[0]
            except OSError:
                return
            server = socket.create_connection(self.server)
            self.sockets += [client, server]
            threading.Thread(target=self._carry, args=(client, server), daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        other = {client: server, server: client}
        try:
            while True:
                for end in select.select([*other], [], [])[0]:
                    content = end.recv(65536)
                    if not content:
                        return
                    if not self.is_cut.is_set():
                        other[end].sendall(content)
        except (OSError, ValueError):
            return  # closed

    def close(self) -> None:
        for end in self.sockets:
            end.close()


@pytest.fixture
def line() -> Iterator[Line]:
    values = connection.get_connection_params()
    between = Line((values.get("host") or "127.0.0.1", int(values.get("port") or 5432)))
    yield between
    between.close()


@pytest.fixture
def far(line: Line, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A connection of a job over the line."""
    monkeypatch.setattr(postgresql, "LOOK_SECONDS", 0.2)
    values = {**connection.settings_dict, "HOST": "127.0.0.1", "PORT": str(line.port)}
    database = ConnectionHandler({"default": values})["default"]
    database.ensure_connection()
    yield database
    database.close()
    connection.close()  # the test's own, which looks for life over the line now


@on_postgresql
def test_a_long_statement_of_a_job_is_waited_for_as_long_as_the_server_lives(far):
    with far.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(1)")  # five looks

        assert cursor.rowcount == 1


@on_postgresql
def test_a_statement_of_a_job_ends_when_the_server_does_not_answer_any_more(far, line):
    line.is_cut.set()

    with pytest.raises(OperationalError, match=r"The database does not answer\."), far.cursor() as cursor:
        cursor.execute("SELECT 1")

    far.close_if_unusable_or_obsolete()
    assert far.connection is None  # the next statement tries to connect again


@on_postgresql
def test_a_heartbeat_waits_for_a_frozen_server_no_longer_than_its_turn(far, line, monkeypatch):
    monkeypatch.setattr(postgresql, "is_alive", lambda parameters: pytest.fail("a heartbeat does not look for life"))
    line.is_cut.set()

    with patience.at_most(0.1), pytest.raises(OperationalError, match="does not answer"), far.cursor() as cursor:
        cursor.execute("SELECT 1")


@pytest.mark.parametrize(("limit", "seconds"), [(None, 600), (20, 18), (2, 1)])
def test_a_lock_is_waited_for_as_long_as_its_process_has_patience(limit, seconds):
    if limit is None:
        assert postgresql.lock_seconds() == seconds
        return
    with patience.at_most(limit):
        assert postgresql.lock_seconds() == seconds
        assert patience.server_options({"options": "-c a=1"}, "x", 1.5) == "-c x=1500 -c a=1"
