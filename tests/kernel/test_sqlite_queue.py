"""The queue of SQLite's writers, with real processes and a real file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler

from kernel.databases import patience
from kernel.databases.sqlite import queue
from kernel.databases.sqlite.base import DatabaseBusy
from tests.product import PATIENCE_S, ROOT, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/locks")

OPEN = """
import os, signal, sys, threading
from django.conf import settings
settings.configure()
from django.db import transaction
from django.db.utils import ConnectionHandler

def database():
    options = {"transaction_mode": "IMMEDIATE"}
    values = {"ENGINE": "kernel.databases.sqlite", "NAME": sys.argv[1], "OPTIONS": options}
    return ConnectionHandler({"default": values})["default"]

def write(name, then=lambda: None):
    here = database()
    with_transaction(here, lambda: (here.cursor().execute("INSERT INTO line VALUES (%s)", [name]), then()))
    here.close()

def with_transaction(here, work):
    here.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    here.in_atomic_block = True
    work()
    here.in_atomic_block = False
    here.commit()
    here.set_autocommit(True)
"""
FORK_WHILE_A_THREAD_WAITS = """
beating = threading.Thread(target=write, args=["heartbeat"])
beating.start()
sys.stdin.readline()
child = os.fork()
if child == 0:
    signal.pause()
print(child, flush=True)
beating.join()
print("written", flush=True)
sys.stdin.readline()
"""
FORK_WHILE_WRITING = """
def fork():
    child = os.fork()
    if child == 0:
        signal.pause()
    print(child, flush=True)
    signal.pause()

write("never committed", then=fork)
"""
WRITE_ONCE = 'write("another")\nprint("written", flush=True)\n'


@pytest.fixture
def file(tmp_path: Path, django_db_blocker: Any) -> Iterator[Path]:
    path = tmp_path / "tesa.sqlite3"
    with django_db_blocker.unblock():
        here = database(path)
        here.cursor().execute("CREATE TABLE line (name text)")
        here.close()
        yield path


def database(path: Path, *, timeout: float = 20, **settings: Any) -> Any:
    options = {"transaction_mode": "IMMEDIATE", "timeout": timeout, "init_command": "PRAGMA journal_mode=WAL"}
    values = {"ENGINE": "kernel.databases.sqlite", "NAME": path, "OPTIONS": options, **settings}
    return ConnectionHandler({"default": values})["default"]


@contextmanager
def writing(here: Any) -> Iterator[None]:
    """A transaction on a connection that Django does not know by an alias."""
    here.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    here.in_atomic_block = True
    try:
        yield
    finally:
        here.in_atomic_block = False
        here.commit()
        here.set_autocommit(True)


def start(code: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", OPEN + code, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def is_waiting(pid: int) -> bool:
    """Tell whether a thread of this process waits for a file lock."""
    lines = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and f" {pid} " in line for line in lines)


def send_line(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def read(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def names(path: Path) -> list[str]:
    here = database(path)
    with here.cursor() as cursor:
        stored = [name for (name,) in cursor.execute("SELECT name FROM line").fetchall()]
    here.close()
    return stored


def can_write(path: Path) -> bool:
    """Tell whether another process gets its turn."""
    process = start(WRITE_ONCE, path)
    try:
        return process.communicate(timeout=PATIENCE_S)[0] == "written\n"
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return False


@pytest.mark.processes
def test_a_child_forked_while_a_thread_waits_does_not_keep_the_turn(file):
    here = database(file)
    with writing(here):
        worker = start(FORK_WHILE_A_THREAD_WAITS, file)
        wait_for(lambda: is_waiting(worker.pid))
        send_line(worker)
        child = int(read(worker))
    here.close()

    assert read(worker) == "written"
    try:
        assert can_write(file)
    finally:
        os.kill(child, signal.SIGKILL)
        worker.communicate("\n")
    assert names(file) == ["heartbeat", "another"]


@pytest.mark.processes
def test_a_child_of_a_writer_that_was_killed_does_not_keep_the_turn(file):
    worker = start(FORK_WHILE_WRITING, file)
    child = int(read(worker))

    worker.kill()
    worker.wait()

    try:
        assert can_write(file)
    finally:
        os.kill(child, signal.SIGKILL)
        worker.communicate()
    assert names(file) == ["another"]


def helpers() -> int:
    return sum(thread.name == "sqlite-queue" for thread in threading.enumerate())


def insert(here: Any, name: str) -> None:
    with writing(here):
        here.cursor().execute("INSERT INTO line VALUES (%s)", [name])


def test_a_web_process_gives_up_in_time_and_names_the_writer(file):
    holds, web = database(file), database(file, timeout=0.1, WEB_THREADS=4)

    with writing(holds), pytest.raises(DatabaseBusy, match=rf"\(process {os.getpid()}\) has been writing for"):
        insert(web, "late")

    wait_for(lambda: helpers() == 0, every=0.01)  # the place it left behind has had its turn
    insert(web, "in time")
    assert names(file) == ["in time"]


def test_giving_up_again_and_again_leaves_one_helper_thread_and_then_none(file):
    holds, web = database(file), database(file, timeout=0.05, WEB_THREADS=4)

    with writing(holds):
        for _ in range(3):
            with pytest.raises(DatabaseBusy):
                insert(web, "late")
        assert helpers() == 1

    wait_for(lambda: helpers() == 0)
    insert(web, "in time")


def test_the_last_free_thread_of_a_web_process_does_not_wait_for_a_stuck_writer(file, monkeypatch):
    monkeypatch.setattr(queue, "SPARE_SECONDS", 0.0)
    holds, first, last = database(file), database(file, WEB_THREADS=2), database(file, timeout=1000, WEB_THREADS=2)
    waiting = threading.Thread(target=insert_and_close, args=(first, "first"))

    with writing(holds):
        waiting.start()
        wait_for(lambda: queue._waiting, every=0.01)
        with pytest.raises(DatabaseBusy):
            insert(last, "last")

    waiting.join()
    assert names(file) == ["first"]


def insert_and_close(here: Any, name: str) -> None:
    here.inc_thread_sharing()
    insert(here, name)
    here.close()


def test_a_job_waits_for_its_turn_whatever_the_timeout(file):
    holds, job = database(file), database(file, timeout=0)
    working = threading.Thread(target=insert_and_close, args=(job, "patient"))

    with writing(holds):
        working.start()
        wait_for(lambda: is_waiting(os.getpid()), every=0.01)

    working.join()
    assert names(file) == ["patient"]


def test_a_single_statement_of_a_job_is_tried_again(file, caplog):
    holds, job = database(file), database(file, timeout=0.05)

    def update() -> None:
        job.inc_thread_sharing()
        job.cursor().execute("INSERT INTO line VALUES ('patient')")
        job.close()

    working = threading.Thread(target=update)
    with writing(holds):
        working.start()
        wait_for(lambda: "still waiting to write" in caplog.text, every=0.01)

    working.join()
    assert names(file) == ["patient"]


def test_a_single_statement_of_a_web_process_is_refused_after_its_timeout(file):
    holds, web = database(file), database(file, timeout=0.05, WEB_THREADS=4)

    with writing(holds), pytest.raises(OperationalError, match="locked"):
        web.cursor().execute("INSERT INTO line VALUES ('late')")


@pytest.mark.processes
def test_turns_come_in_the_order_of_asking(file):
    holds = database(file)
    processes = []
    with writing(holds):
        for name in "abcde":
            process = start(f"write({name!r})", file)
            wait_for(lambda pid=process.pid: is_waiting(pid))
            processes.append(process)
    for process in processes:
        process.communicate()

    assert names(file) == [*"abcde"]


def test_a_shell_outside_the_queue_is_told_apart_from_a_writer(file):
    import sqlite3

    shell, waits = sqlite3.connect(file, isolation_level=None), database(file, timeout=0.1)
    shell.execute("BEGIN IMMEDIATE")
    waiting = threading.Thread(target=insert_and_close, args=(waits, "patient"))
    waiting.start()
    holder = wait_for(lambda: queue.holder(f"{file}-queue"), every=0.01)
    shell.execute("ROLLBACK")
    waiting.join()

    assert not holder.is_writing
    assert queue.holder(f"{file}-queue") is None


def test_a_connection_can_write_while_it_reads_in_pieces_beside_another_writer(file):
    for name in "ab":
        insert(database(file), name)
    job, other = database(file), database(file)

    with job.chunked_cursor() as reading:
        reading.execute("SELECT name FROM line ORDER BY name")
        assert reading.fetchone() == ("a",)
        insert(other, "c")  # from now on a write in the snapshot that is being read would be refused for ever
        insert(job, "d")
        job.cursor().execute("INSERT INTO line VALUES ('e')")

        assert reading.fetchall() == [("b",)]
    assert names(file) == [*"abcde"]


def test_a_transaction_reads_in_pieces_what_it_has_written_itself(file):
    job = database(file)

    with writing(job), job.chunked_cursor() as reading:
        job.cursor().execute("INSERT INTO line VALUES ('mine')")
        reading.execute("SELECT name FROM line")

        assert reading.fetchall() == [("mine",)]


def test_what_waiting_cannot_cure_is_refused_at_once(file, caplog):
    insert(database(file), "a")
    insert(database(file), "b")
    job, other = database(file), database(file)
    reading = job.cursor()
    reading.execute("SELECT name FROM line")
    reading.fetchone()
    insert(other, "c")

    with pytest.raises(OperationalError, match="locked"):
        job.cursor().execute("INSERT INTO line VALUES ('never')")
    with pytest.raises(OperationalError, match="locked"), writing(job):
        pass

    assert "still waiting" not in caplog.text
    reading.close()
    insert(job, "d")
    assert names(file) == [*"abcd"]


def test_a_job_that_waits_says_so_once_and_gives_up_in_the_end(file, caplog, monkeypatch):
    monkeypatch.setattr(patience, "JOB_SECONDS", 1)
    holds, job = database(file), database(file, timeout=0.01)

    with writing(holds):
        with pytest.raises(DatabaseBusy, match=r"has been writing for .* gave up after 1 s"):
            job.cursor().execute("INSERT INTO line VALUES ('late')")
        with pytest.raises(DatabaseBusy, match=r"has been writing for .* gave up after 1 s"):
            insert(job, "late")

    assert caplog.text.count("still waiting to write") == 2
    assert names(file) == []
