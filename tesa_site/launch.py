"""`make run`: prepare the installation, then run web server, worker and scheduler as children of this process.

A child that stops is reported and restarted; Ctrl-C or SIGTERM stops all of them. This module imports no
package: `starting.py`, a child that ends once the installation is ready, does what needs Django.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from kernel.child_process import end_with_parent

START_SECONDS = 60
STOP_SECONDS = 15
LOG_BYTES = 10_000_000  # of each log file, and of the part that is moved aside


def say(text: str = "") -> None:
    print(text, flush=True)


# ---- Children -------------------------------------------------------------------------------------


@dataclass
class KeptProcess:
    """One process to keep alive, at the head of a group of its own: what it starts belongs to the group."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    group: int = 0  # of the process, and of what is left of it when it has ended
    started: float = 0.0
    restart_at: float = 0.0
    kill_at: float = 0.0  # what is left of the group
    failures: int = 0

    def start(self) -> None:
        self.kill_group()
        self.shorten_log()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  (our own command)
                self.command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches only this process, which then stops the children
                preexec_fn=partial(end_with_parent, signal.SIGTERM),
            )
        self.group, self.started = self.process.pid, time.monotonic()

    def shorten_log(self) -> None:
        """Move a log that has grown too large aside. The child goes on writing to the same file, at its new end."""
        with suppress(FileNotFoundError):
            size = self.log.stat().st_size
            if size > LOG_BYTES / 2:  # it grows on until the next look
                with self.log.open("rb") as log:
                    log.seek(max(0, size - LOG_BYTES))
                    self.log.with_suffix(".log.1").write_bytes(log.read(LOG_BYTES))
                os.truncate(self.log, 0)

    def tend(self) -> None:
        """Report and restart a child that has stopped, after a wait that grows while it keeps stopping.

        What it leaves behind gets time to end, too, so that two generations never run at once.
        """
        self.shorten_log()
        if self.process is None:
            moment = time.monotonic()
            if moment >= self.restart_at and (moment >= self.kill_at or not self.has_group()):
                self.start()
            return
        code = self.process.poll()
        if code is None:
            return
        self.failures = self.failures + 1 if time.monotonic() - self.started < 60 else 1
        wait = min(30, 2 ** (self.failures - 1))
        reason = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        say(f"  {self.name} stopped ({reason}); restarting in {wait} s. Its log: {self.log}")
        moment = time.monotonic()
        self.process, self.restart_at, self.kill_at = None, moment + wait, moment + STOP_SECONDS

    def signal(self, number: int) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def stop(self) -> None:
        """Stop the child and wait until it has ended; end it if it does not stop in time."""
        self.signal(signal.SIGTERM)
        if self.process:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP_SECONDS)
            self.kill_group()
            self.process.wait()
            self.process = None

    def has_group(self) -> bool:
        """Return whether anything is left of the child or of what it started."""
        try:
            os.killpg(self.group, 0)
        except ProcessLookupError:
            return False
        return True

    def kill_group(self) -> None:
        """End the child and everything it started; also what a child left behind that has ended itself."""
        if self.group:
            with suppress(ProcessLookupError):
                os.killpg(self.group, signal.SIGKILL)
        self.group = 0


class Stopping(Exception):
    """Ctrl-C or SIGTERM arrived."""


def on_signal(number: int, frame: FrameType | None) -> None:
    raise Stopping


def is_answering(host: str, port: int) -> bool:
    """Request /healthz over a socket: http.client would load e-mail and TLS, 5 MB in a long-running process."""
    try:
        with closing(socket.create_connection((host, port), timeout=2)) as connection:
            connection.sendall(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return connection.recv(64).split(b" ")[1:2] == [b"200"]
    except OSError:
        return False


def wait_until_answering(host: str, port: int, tend: Callable[[], None]) -> None:
    """Return once the web server answers; raise TimeoutError if it does not start."""
    deadline = time.monotonic() + START_SECONDS
    while not is_answering(host, port):
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.1)
        tend()


def stop_all(children: Sequence[KeptProcess]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C must not leave orphans
    say("  stopping …")
    for child in children:
        child.signal(signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while any(child.process and child.process.poll() is None for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    for child in children:
        child.kill_group()
    say("  stopped.")


def banner(url: str, sign_ins: Sequence[tuple[str, str, str]], log_folder: Path) -> None:
    say(f"\n  TESA is running at {url}\n")
    if sign_ins:
        say("  Demo sign-ins (name / password):")
        for name, password, role in sign_ins:
            say(f"    {name:<6} {password:<12} {role}")
        say()
    say(f"  Logs are in {log_folder}. Ctrl-C stops everything.\n")


def next_line(starting: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the next message of `starting.py`; exit with its status if it ended early (it has printed why)."""
    assert starting.stdout is not None  # noqa: S101  (a pipe, by construction)
    if line := starting.stdout.readline():
        return dict(json.loads(line))
    sys.exit(starting.wait() or 1)


def main() -> None:
    os.umask(0o077)  # inherited by every child: nobody else may read the database and the mails
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    children: list[KeptProcess] = []
    starting = subprocess.Popen(
        [sys.executable, "-m", "tesa_site.starting"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(end_with_parent, signal.SIGTERM),
    )
    try:
        plan = next_line(starting)
        log_folder = Path(plan["log_folder"])
        children += [
            KeptProcess(name, command, plan["environment"], log_folder / f"{name.split()[0]}.log")
            for name, command in plan["commands"].items()
        ]
        web = children[0]
        if plan["can_web_start"]:
            web.start()
        ready = next_line(starting)
        starting.wait()
        if ready["is_changed"]:
            web.stop()
        run(children, plan["host"], plan["port"], lambda: banner(ready["url"], ready["sign_ins"], log_folder))
    except Stopping:
        starting.kill()
    except TimeoutError:
        sys.exit(f"tesa: the web server did not start within {START_SECONDS} s; see {children[0].log}")
    finally:
        stop_all(children)


def run(children: Sequence[KeptProcess], host: str, port: int, announce: Callable[[], None]) -> None:
    """Start the web server, then the others: people wait for the first page, while jobs can wait a second."""
    web, *others = children
    if web.process is None:
        web.start()
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  (compared, not bound)
    wait_until_answering(reachable, port, web.tend)
    for child in others:
        child.start()
    announce()
    while True:
        time.sleep(0.2)
        for child in children:
            child.tend()


if __name__ == "__main__":
    main()
