"""`make run`: prepare the installation, then run web server, worker and scheduler as children of this process.

The children live and die with this process: one that stops is restarted and reported, Ctrl-C or SIGTERM stops all.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType

from django.core.exceptions import ImproperlyConfigured

from tesa_site import processes

NEED_MB = 100
START_SECONDS = 60
STOP_SECONDS = 15
LOG_BYTES = 10 * 1024 * 1024


def say(text: str = "") -> None:
    print(text, flush=True)


def stop(sentence: str) -> None:
    sys.exit(f"tesa: {sentence}")


# ---- Before anything starts -----------------------------------------------------------------------


def check_machine(var: Path, host: str, port: int) -> None:
    """Stop with one sentence when the folder, the disk or the port cannot be used."""
    try:
        processes.prepare_folders()
        probe = var / "tmp" / f"probe-{os.getpid()}"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            stop(f"the disk that holds {var} is full: make room, or set TESA_VAR to a folder on another disk.")
        stop(f"the folder {var} cannot be written ({error.strerror}): set TESA_VAR to a folder of your own.")
    free = shutil.disk_usage(var).free // 1024 // 1024
    if free < NEED_MB:
        stop(f"the disk that holds {var} has {free} MB free, and {NEED_MB} are needed: make room, or set TESA_VAR.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe_socket:
        probe_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe_socket.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                stop(f"port {port} is taken: is TESA running already? Another one: make run TESA_PORT={port + 1}")
            stop(f"cannot listen on {host}:{port}: {error.strerror}.")


def prepare() -> tuple[bool, list[tuple[str, str, str]]]:
    """Make the installation ready, with the demo in an empty database; return whether it changed, and the sign-ins."""
    import django
    from django.db.utils import OperationalError

    django.setup()
    from django.conf import settings

    from tesa_site import demo, preparing

    try:
        is_changed = preparing.prepare()
    except OperationalError as error:
        stop(f"the database does not answer: {str(error).strip().splitlines()[0]}")
    if settings.PRODUCTION:
        return is_changed, []
    demo.seed_if_empty()
    return is_changed, demo.sign_ins()


# ---- Children -------------------------------------------------------------------------------------


def die_with_parent() -> None:
    """Ask Linux to stop this child when its parent is killed; elsewhere there is no such thing to ask."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


@dataclass
class Child:
    """One process to keep alive."""

    name: str
    command: Sequence[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    restart_at: float = 0.0
    failures: int = 0

    def start(self) -> None:
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603  (our own command)
                self.command,
                env=processes.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches this process alone, which stops them in order
                preexec_fn=die_with_parent,
            )
        self.started = time.monotonic()

    def tend(self) -> None:
        """Notice a death, report it, and restart after a wait that grows while it keeps dying."""
        if self.process is None:
            if time.monotonic() >= self.restart_at:
                self.start()
            return
        code = self.process.poll()
        if code is None:
            return
        self.failures = self.failures + 1 if time.monotonic() - self.started < 60 else 1
        wait = min(30, 2 ** (self.failures - 1))
        reason = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        say(f"  {self.name} stopped ({reason}); restarting in {wait} s. Its log: {self.log}")
        self.process, self.restart_at = None, time.monotonic() + wait

    def signal(self, number: int) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)

    def stop(self) -> None:
        """Stop it and wait until it is gone."""
        self.signal(signal.SIGTERM)
        if self.process:
            self.process.wait(STOP_SECONDS)
            self.process = None

    def kill_group(self) -> None:
        if self.process:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                return


class Stopping(Exception):
    """Ctrl-C or SIGTERM arrived."""


def on_signal(number: int, frame: FrameType | None) -> None:
    raise Stopping


def wait_until_answering(host: str, port: int, tend: Callable[[], None]) -> None:
    """Return once the web server answers; stop when it does not come up."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        connection = HTTPConnection(host, port, timeout=2)  # not urllib: it would ask a proxy
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return
        except (OSError, HTTPException):
            time.sleep(0.1)
        finally:
            connection.close()
        tend()
    raise TimeoutError


def stop_all(children: Sequence[Child]) -> None:
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


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
    os.umask(0o077)  # the database and the mails are nobody else's to read
    try:
        from tesa_site import settings
    except ImproperlyConfigured as error:
        stop(str(error))
    check_machine(settings.VAR, settings.HOST, settings.PORT)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    log_folder = settings.VAR / "log"
    commands = {"web server": processes.web(), "worker": processes.worker(), "scheduler": processes.scheduler()}
    children = [Child(name, command, log_folder / f"{name.split()[0]}.log") for name, command in commands.items()]
    web = children[0]
    try:
        # The web server loads while the installation is looked over, unless it would find nothing to serve yet.
        if (settings.STATIC_ROOT / ".fingerprint").exists():
            web.start()
        is_changed, sign_ins = prepare()
        if is_changed:
            web.stop()
        run(children, settings.HOST, settings.PORT, lambda: banner(settings.PUBLIC_URL + "/", sign_ins, log_folder))
    except Stopping:
        pass
    except TimeoutError:
        stop(f"the web server did not come up within {START_SECONDS} s; see {settings.VAR / 'log' / 'web.log'}")
    finally:
        stop_all(children)


def run(children: Sequence[Child], host: str, port: int, announce: Callable[[], None]) -> None:
    """Start the web server, then the others: people wait for the first page, jobs can wait a second."""
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
