"""Fixtures, and rules for all tests: no network, no skips in CI, and marks that tell the fast tests from the slow."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Any

import hypothesis
import pytest
from django.core.cache import caches
from django.core.servers.basehttp import WSGIRequestHandler
from django.db import connection, transaction
from django.test import TransactionTestCase
from xdist.scheduler import LoadScopeScheduling

from corpus.jobs import corpora as corpus_jobs
from kernel import jobs
from kernel.child_process import ChildProcess
from kernel.plots import vega_process
from kernel.plots.vega import VEGA
from tests import filling, postgresql, spreading
from tests.product import Filled, Product, free_port, wait_for

IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
INSTALLATIONS = {"filled", "migrated"}  # a running product is a copy of one of them
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "admin_client", "product", "redis_product"}
LOOPBACK = ("127.", "::1", "localhost")

# A slow example only says how busy the machine is. CI tries the same examples every time.
hypothesis.settings.register_profile(
    "tesa",
    max_examples=25,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    derandomize=IN_CI,
)
hypothesis.settings.load_profile("tesa")
hypothesis.settings.register_profile("fast", max_examples=20)
hypothesis.settings.register_profile("all", max_examples=100)


# The live server writes an answer in two pieces; the second would wait 40 ms until the client has confirmed the first.
WSGIRequestHandler.disable_nagle_algorithm = True

gc.disable()  # until the tests are collected: hardly anything made before is garbage


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="tests marked `thorough` too, large numbers, more examples")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--all"):
        hypothesis.settings.load_profile("all")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    return spreading.FilesAndPages(config, log)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = {"postgresql"} if connection.vendor != "postgresql" else set()
    missing |= {"thorough"} if not config.getoption("--all") else set()
    missing |= {"fairseq"} if not os.environ.get("TESA_FAIRSEQ_PYTHON") else set()
    left_out = [item for item in items if any(map(item.get_closest_marker, missing))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
    for item in items:
        names = set(getattr(item, "fixturenames", ()))
        if names & DATABASE_FIXTURES or item.get_closest_marker("django_db"):
            item.add_marker(pytest.mark.database)
        if item.get_closest_marker("database") and (
            postgresql.runs_again(item.nodeid) or item.get_closest_marker("postgresql")
        ):
            item.add_marker(pytest.mark.sql)
        if names & INSTALLATIONS:
            item.add_marker(pytest.mark.processes)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        filling.forget()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    """Turn skipped tests into failures in CI, where everything must run."""
    outcome: Any = yield
    report = outcome.get_result()
    # Logs cut in the middle of a character cannot be sent from one process to another.
    report.sections = [(name, text.encode("utf-8", "replace").decode()) for name, text in report.sections]
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {report.longrepr}"


@pytest.fixture(autouse=True, scope="session")
def _stay_on_this_machine() -> Iterator[None]:
    """Refuse connections that leave the machine."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> Any:
        host = address[0] if isinstance(address, tuple) else ""
        if host and not str(host).startswith(LOOPBACK):
            raise AssertionError(f"a test tried to connect to {host}")
        return real(self, address)

    socket.socket.connect = connect  # type: ignore[method-assign, assignment]
    yield
    socket.socket.connect = real  # type: ignore[method-assign]


def _stay(child: Any, path: str, argument: Any, *, prepare: str = "") -> None:
    """Begin a child process that is none: its function is called here."""
    child.function, child.argument = resolve_name(path), argument
    child.process, child.counts = SimpleNamespace(poll=lambda: None), (0,)


@pytest.fixture(autouse=True)
def _stay_in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let children work here: that is faster, and other processes would not see the test's database.

    Without the mark `processes` a test may not start Python at all: that takes a second or more of `make test-fast`.
    """
    monkeypatch.setattr(corpus_jobs, "WORTH_A_POOL", 10**9)
    if request.node.get_closest_marker("processes"):
        return
    monkeypatch.setattr(ChildProcess, "__init__", _stay)
    monkeypatch.setattr(ChildProcess, "work", lambda child, value: child.function(child.argument, value, print))
    monkeypatch.setattr(ChildProcess, "stop", lambda _: None)
    monkeypatch.setattr(VEGA, "_asked", vega_process.drawn)
    start = subprocess.Popen.__init__

    def refuse_python(self: Any, args: Any, *more: Any, **options: Any) -> None:
        assert args[0] != sys.executable, "mark this test with pytest.mark.processes"
        start(self, args, *more, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse_python)


def filled_tables() -> dict[str, int]:
    """Return the number of rows of each table that has any."""
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    counts = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM \"{table}\"" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(counts)
        return {table: number for table, number in cursor.fetchall() if number}


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """After a test with transactions of its own, empty only the tables it filled.

    Django would empty all of them and store types, permissions and roles again: a second or more, hundreds of times.
    """
    flush = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]
    with django_db_blocker.unblock():
        at_first = filled_tables()

    def empty(test: TransactionTestCase) -> None:
        now = filled_tables()
        if {table: now.get(table) for table in at_first} != at_first:  # roles or permissions have changed
            return flush(test)
        with transaction.atomic(), connection.cursor() as cursor:
            for table in now.keys() - at_first.keys():  # in any order: foreign keys are checked at the end
                cursor.execute(f'DELETE FROM "{table}"')
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


@pytest.fixture(autouse=True)
def _empty_caches() -> None:
    caches["default"].clear()
    jobs._broker_rests_until = 0.0


@pytest.fixture(scope="session")
def is_thorough(request: pytest.FixtureRequest) -> bool:
    """Whether all is run: a proof takes its large numbers then."""
    return bool(request.config.getoption("--all"))


@pytest.fixture(scope="session")
def filled() -> Filled:
    """An installation with the whole demo, to start products from."""
    return filling.once("demo", filling.with_demo)


@pytest.fixture(scope="session")
def migrated() -> Filled:
    """An installation whose tables are empty, for tests that run commands and code in it."""
    return filling.once("migrated", filling.without_rows)


@pytest.fixture(scope="session")
def product(filled: Filled) -> Iterator[Product]:
    """The running product on the file-system broker, with the demo."""
    running = Product(like=filled).start()
    yield running
    running.close()


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis server for these tests alone: two runs that shared one would take each other's messages."""
    import redis

    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server on this machine; on Debian: apt-get install redis-server")
    port, folder = free_port(), tmp_path_factory.mktemp("redis")
    command = ["redis-server", f"--port {port}", "--bind 127.0.0.1", "--save ''", "--appendonly no", f"--dir {folder}"]
    with (Path(folder) / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    client = redis.Redis(port=port)

    def answers() -> bool:
        assert server.poll() is None, (Path(folder) / "log").read_text()
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False

    try:
        wait_for(answers)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def redis_product(redis_url: str, filled: Filled) -> Iterator[Product]:
    """The running product on Redis, with the demo. Few tests need it, and its sweeps would go on beside the others."""
    running = Product(redis_url=redis_url, like=filled).start()
    yield running
    running.close()


@pytest.fixture(scope="session")
def chromium() -> str:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine; on Debian: apt-get install chromium")
    return path
