"""The whole product, started as `make run` starts it, with its own port, folder and database."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

import psycopg2

ROOT = Path(__file__).parent.parent
# The defaults differ only in these numbers. Frequent sweeps save waiting. A silent worker counts as dead only after ten
# minutes: while every core is busy a live one may be silent for a long time, and its jobs would be lost in mid-test.
TIMING = {
    "TESA_HEARTBEAT_SECONDS": "1",
    "TESA_SWEEP_SECONDS": "1",
    "TESA_LOST_AFTER_SECONDS": "600",
    "TESA_RENUDGE_SECONDS": "2",
}
ENDED = {"succeeded", "failed", "cancelled", "lost"}
FAILED = ENDED - {"succeeded"}
# How long a test waits for something that must happen. Nothing is measured by it: it only ends a test that would hang,
# so it is far above what starting processes takes while every core is busy with other work.
PATIENCE_S = 300

_reserved_ports: list[socket.socket] = []


def free_port() -> int:
    """Return a port that no other process is given until this one ends.

    The socket stays bound but does not listen. With SO_REUSEADDR a server may still listen on this very port; the
    kernel gives it to nobody who asks for any port, nor to outgoing connections.
    """
    reserved = socket.socket()
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", 0))
    _reserved_ports.append(reserved)
    return int(reserved.getsockname()[1])


def wait_for(condition: Callable[[], Any], *, seconds: float = PATIENCE_S, every: float = 0.2) -> Any:
    """Return the first true result of `condition`; fail when none comes in time."""
    deadline = time.monotonic() + seconds
    result = condition()
    while not result and time.monotonic() < deadline:
        time.sleep(every)
        result = condition()
    assert result, f"waited {seconds} s in vain"
    return result


def descendants(pid: int) -> list[int]:
    """Return the children of a process, their children and so on (Linux)."""
    pids: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            pids += [child, *descendants(child)]
    return pids


class Database:
    """A PostgreSQL database for one product when the tests run on PostgreSQL; otherwise nothing.

    A new one is empty, or a copy of the one named `like`.
    """

    def __init__(self, url: str, like: str = "template1") -> None:
        self.url = self.name = ""
        if url:
            self.name = f"tesa_product_{os.getpid()}_{free_port()}"
            self.url = urlunsplit(urlsplit(url)._replace(path=f"/{self.name}"))
            run_sql(url, f'CREATE DATABASE "{self.name}" TEMPLATE "{like}"')

    def drop(self) -> None:
        drop_database(self.name)


def drop_database(name: str) -> None:
    if name:
        run_sql(os.environ["TESA_DATABASE_URL"], f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def run_sql(server: str, sql: str) -> None:
    connection = psycopg2.connect(server)
    connection.autocommit = True
    connection.cursor().execute(sql)
    connection.close()


@dataclass(frozen=True)
class Filled:
    """An installation that is not running: what a product begins as a copy of, to save the filling."""

    var: str
    database: str  # its name on PostgreSQL
    passwords: dict[str, str]  # of the demo, as its first start announced them
    token: str


class Product:
    def __init__(
        self, *, redis_url: str = "", like: Filled | None = None, root: Path = ROOT, **environment: str
    ) -> None:
        self.root = root  # the checkout it runs from
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = tempfile.TemporaryDirectory(prefix="tesa-product-")
        self.var = Path(self.folder.name)
        url = os.environ.get("TESA_DATABASE_URL", "")
        self.database = Database(url, like.database) if like else Database(url)
        if like:
            shutil.copytree(like.var, self.var, dirs_exist_ok=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("TESA_", "DJANGO_"))}
        self.environment = {
            **inherited,
            **TIMING,
            "TESA_VAR": str(self.var),
            "TESA_PORT": str(self.port),
            "TESA_DATABASE_URL": self.database.url,
            "TESA_REDIS_URL": redis_url,
            **environment,
        }
        self.passwords: dict[str, str] = {}
        self.known_token = like.token if like else ""
        self.sessions: dict[str, str] = {}  # of people whom a test has signed in
        self.output = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> Product:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tesa_site.launch"],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout
        self.output = ""
        while "Ctrl-C" not in self.output:
            line = self.process.stdout.readline()
            assert line, f"did not start:\n{self.output}\n{self.logs()}"
            self.output += line
        self.passwords = dict(re.findall(r"^ +(ada|ben|cleo) +(\S+)", self.output, re.MULTILINE))
        return self

    def stop(self) -> int:
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        self.output += self.process.communicate(timeout=PATIENCE_S)[0]
        code = self.process.returncode
        self.process = None
        return code

    def kill(self) -> None:
        """End the launcher and everything it started with SIGKILL, as a power cut would."""
        assert self.process
        assert self.process.stdout
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.stdout.read()  # until the last process that could write to it is gone
        self.process.wait()
        self.process = None

    def close(self) -> None:
        self.stop()
        self.database.drop()
        self.folder.cleanup()

    def logs(self) -> str:
        return "\n".join(f"== {path.name}\n{path.read_text()[-3000:]}" for path in sorted(self.var.glob("log/*.log")))

    def manage(self, *arguments: str, stdin: str = "") -> str:
        """Run a management command of this installation; return its output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=self.root,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def python(self, code: str, *arguments: str) -> str:
        """Run code inside this installation; return its output."""
        process = self.start_python(code, *arguments, stderr=subprocess.PIPE)
        output, errors = process.communicate()
        assert process.returncode == 0, f"{output}{errors}"
        return output

    def start_python(self, code: str, *arguments: str, stderr: int | None = None) -> subprocess.Popen[str]:
        """Start code inside this installation and return its process without waiting for it."""
        return subprocess.Popen(
            [sys.executable, "-c", "import django; django.setup()\n" + code, *arguments],
            cwd=self.root,
            env={"DJANGO_SETTINGS_MODULE": "tesa_site.settings", **self.environment},
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )

    def token(self) -> str:
        """Return an API key of the administrator."""
        if not self.known_token:
            self.known_token = self.python(
                "from kernel.models import User\nfrom kernel.services import tokens\n"
                "print(tokens.create_token(User.objects.get(username='ada'), 'tests', scope='write')[1])"
            ).strip()
        return self.known_token

    def api(self, path: str, data: Mapping[str, Any] | None = None) -> Any:
        """Send a GET, or a POST if there is data; return the JSON of the response, whatever its status."""
        headers = {"Authorization": f"Bearer {self.token()}", "Content-Type": "application/json"}
        body = None if data is None else json.dumps(data).encode()
        try:
            with urlopen(Request(f"{self.url}/api/v1/{path}", body, headers), timeout=PATIENCE_S) as response:
                return json.load(response)
        except HTTPError as error:
            return json.load(error)

    def wait_for_demo(self) -> None:
        """Wait until the demo is complete, from the newspaper to the models, so that no test runs beside its jobs."""

        def is_done() -> bool:
            jobs = self.api("jobs/")["results"]
            failed = [f"{job['kind']} {job['status']}: {job['error']}" for job in jobs if job["status"] in FAILED]
            assert not failed, failed
            return any(job["kind"] == "demo_models" and job["status"] == "succeeded" for job in jobs)

        wait_for(is_done, seconds=2 * PATIENCE_S)

    def wait_for_job(self, job_id: int, *statuses: str, seconds: float = PATIENCE_S) -> Any:
        """Return the job once it has one of these statuses; fail at once if it ended with another."""

        def reached() -> Any:
            job = self.api(f"jobs/{job_id}/")
            if job["status"] in statuses:
                return job
            assert job["status"] not in ENDED, f"job {job_id} {job['status']}: {job['error'] or job['result']}"
            return None

        return wait_for(reached, seconds=seconds)
