"""A storm: jobs of every kind beside annotators who answer, while processes of the worker are killed.

    python -m benchmarks.storm [--streams 2] [--people 8] [--every 3]         (TESA_DATABASE_URL=… for PostgreSQL)

Each stream queues one job of every kind after the other. Meanwhile people answer, and every few seconds one of the
worker's processes is ended by SIGKILL: an idle one if there is any, and every tenth time whichever it is. Prints what
became of the jobs and answers and how large the logs are. Fails if a job has not ended after ten minutes, if a stream
has not ended after an hour, if a job is still queued or running after the storm, if an answer is lost, or if a log has
over 10 MB.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from benchmarks import load
from benchmarks.campaign import make
from tesa_site.launch import LOG_BYTES
from tests.product import Product, wait_for

TASKS = 5_000
MOST_SECONDS = 3600  # for all streams
STREAM = "import sys\nfrom tests.tesa_site import every_job\nevery_job.by_the_worker(*sys.argv[1:])"
STORED = """
import sys
from annotation.models import Annotation
print(Annotation.objects.filter(assignment__campaign__name=sys.argv[1]).count())
"""
OPEN = "from kernel.models import Job\nprint(Job.objects.filter(status__in=('queued', 'running')).count())"


def worker_processes(product: Product) -> list[int]:
    """Return the processes of the worker that run jobs, idle or busy."""
    assert product.process
    parent = _children(product.process.pid, "tesa_site.worker")
    return _children(parent[0], "") if parent else []


def _children(pid: int, word: str) -> list[int]:
    command = ["pgrep", "--parent", str(pid), *(["--full", word] if word else [])]
    return [*map(int, subprocess.run(command, capture_output=True, text=True, check=False).stdout.split())]


class Killer(threading.Thread):
    """Ends one process of the worker every few seconds, until asked to stop."""

    def __init__(self, product: Product, every: float) -> None:
        super().__init__()
        self.product, self.every, self.is_over = product, every, threading.Event()
        self.kills: Counter[str] = Counter()

    def run(self) -> None:
        rng, turns = random.Random(1), 0
        while not self.is_over.wait(self.every):
            turns += 1
            busy = {
                int(job["worker"].rpartition(":")[2]) for job in self.product.api("jobs/?status=running")["results"]
            }
            pids = worker_processes(self.product)
            if victims := pids if turns % 10 == 0 else sorted({*pids} - busy):
                victim = rng.choice(victims)
                with suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    self.kills["busy" if victim in busy else "idle"] += 1


class Crowd(threading.Thread):
    """People who answer until asked to stop."""

    def __init__(self, product: Product, people: int) -> None:
        super().__init__()
        self.product, self.is_over, self.answers, self.errors = product, threading.Event(), 0, 0
        _, self.secrets = make(product, TASKS, people)

    def run(self) -> None:
        while not self.is_over.is_set():
            done = load.run(self.product.port, [*map(load.annotator, self.secrets)], seconds=5)
            self.answers, self.errors = self.answers + done.answers, self.errors + done.errors


def lines_of(streams: Sequence[subprocess.Popen[str]], seconds: float) -> list[str]:
    """Return what the streams print; end them and exit if one fails or has not ended in time."""
    deadline = time.monotonic() + seconds
    lines = []
    try:
        for number, stream in enumerate(streams):
            lines += stream.communicate(timeout=max(0, deadline - time.monotonic()))[0].splitlines()
            if stream.returncode:
                sys.exit(f"stream {number} failed; its last line: {lines[-1] if lines else 'none'}")
    except subprocess.TimeoutExpired:
        sys.exit(f"stream {number} did not end within {seconds:.0f} s")
    finally:
        for stream in streams:
            stream.kill()
    return lines


@contextmanager
def around(*threads: Killer | Crowd) -> Iterator[None]:
    """Let these threads run during the block, and stop them however it ends."""
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.is_over.set()
        for thread in threads:
            thread.join()


def storm(product: Product, streams: int, people: int, every: float) -> Counter[str]:
    """Let it rage until every stream is through; return how many jobs ended how."""
    crowd, killer = Crowd(product, people), Killer(product, every)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, around(crowd, killer):
        running = []
        for number in range(streams):
            os.mkdir(f"{folder}/{number}")
            running.append(product.start_python(STREAM, f"Storm {number}", f"{folder}/{number}"))
        lines = lines_of(running, MOST_SECONDS)
    for line in lines:
        if line.split()[1] != "succeeded":
            print(f"  {line}")
    kills = ", ".join(f"{number} {kind}" for kind, number in killer.kills.items())
    print(f"processes killed in {time.monotonic() - started:.0f} s: {kills}")
    stored = int(product.python(STORED, f"{TASKS} tasks"))
    print(f"{crowd.answers:,} answers sent, {stored:,} stored, {crowd.errors} refused")
    if stored < crowd.answers or crowd.errors:
        sys.exit("answers were lost or refused")
    return Counter(line.split()[1] for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=2)
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--every", type=float, default=3.0, help="seconds between two kills")
    options = parser.parse_args()
    product = Product(TESA_LOST_AFTER_SECONDS="15").start()
    try:
        product.wait_for_demo()
        counts = storm(product, options.streams, options.people, options.every)
        print("jobs:", ", ".join(f"{number} {status}" for status, number in counts.items()))
        wait_for(lambda: int(product.python(OPEN)) == 0, seconds=120, every=2)
        largest = max(product.var.glob("log/*"), key=lambda path: path.stat().st_size)
        size = largest.stat().st_size
        print(f"no job is left open; the largest log is {largest.name} with {size / 1e6:.1f} MB")
        if size > LOG_BYTES:
            sys.exit("a log has over 10 MB")
    finally:
        product.close()


if __name__ == "__main__":
    main()
