"""How long eight writers of one SQLite file wait for their turn, compared with a bare `flock` and SQLite's own waiting.

python -m benchmarks.writers [--seconds 5] [--rounds 3]

Eight processes write in short transactions without a pause: as web processes do (with a time limit), as jobs do
(without one), behind a bare `flock`, and with SQLite alone. The ratio of the worst waits to those of the bare `flock`
should be near 1.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.product import ROOT

WRITERS = 8
HOLD_SECONDS = 0.002  # of work inside the transaction, as a submit does
KINDS = ("web", "job", "flock", "sqlite")


def open_database(path: str, kind: str) -> Any:
    from django.conf import settings

    settings.configure()
    from django.db.utils import ConnectionHandler

    options = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL",
    }
    ours = {"ENGINE": "kernel.databases.sqlite", "WEB_THREADS": WRITERS if kind == "web" else 0}
    values = ours if kind in {"web", "job"} else {"ENGINE": "django.db.backends.sqlite3"}
    return ConnectionHandler({"default": {**values, "NAME": path, "OPTIONS": options}})["default"]


def write(kind: str, path: str) -> None:
    """Write until the time read from stdin; print each wait for the turn in milliseconds."""
    database = open_database(path, kind)
    database.ensure_connection()
    print("ready", flush=True)
    until = float(sys.stdin.readline())
    waits = []
    while time.time() < until:
        started = time.perf_counter()
        file = os.open(f"{path}-bare", os.O_RDWR | os.O_CREAT, 0o600) if kind == "flock" else -1
        if kind == "flock":
            fcntl.flock(file, fcntl.LOCK_EX)
        database._start_transaction_under_autocommit()
        waits.append((time.perf_counter() - started) * 1000)
        database.connection.execute("INSERT INTO line VALUES ('x')")
        time.sleep(HOLD_SECONDS)
        database._commit()
        if kind == "flock":
            os.close(file)
    print(json.dumps(waits))


def measure(kind: str, seconds: float) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "writers.sqlite3")
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE line (name text)")
        command = [sys.executable, "-m", "benchmarks.writers", "--write", kind, path]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        writers = [subprocess.Popen(command, cwd=ROOT, text=True, **pipes) for _ in range(WRITERS)]
        for writer in writers:
            assert writer.stdout
            writer.stdout.readline()
        for writer in writers:
            assert writer.stdin
            writer.stdin.write(f"{time.time() + seconds}\n")
            writer.stdin.flush()
        return [wait for writer in writers for wait in json.loads(writer.communicate()[0])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        return write(*options.write)
    worst: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for _ in range(options.rounds):
        for kind in KINDS:
            waits = measure(kind, options.seconds)
            worst[kind].append(max(waits))
            p99 = statistics.quantiles(waits, n=100)[-1]
            median = statistics.median(waits)
            print(f"{kind:<6} {len(waits):6} turns; median {median:.1f}, p99 {p99:.1f}, worst {max(waits):.1f} ms")
    best = {kind: min(maxima) for kind, maxima in worst.items()}
    ratios = ", ".join(f"{kind} / flock = {best[kind] / best['flock']:.2f}" for kind in ("web", "job"))
    print(f"worst wait, best round: {ratios}")
    return None


if __name__ == "__main__":
    main()
