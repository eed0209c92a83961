"""Work through many items in a few child processes that use Django, and report their progress.

The children exchange pickles with this process over their standard streams. `multiprocessing` is no use here: it gives
daemons, which Celery's workers are, no children, and a forked child would share the database connection. This module
imports no Django at the top, because a child loads it before it sets Django up.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import zip_longest
from pathlib import Path
from pkgutil import resolve_name
from queue import SimpleQueue
from typing import Any

PROCESSES = min(4, os.cpu_count() or 1)
SECONDS_BETWEEN_REPORTS = 0.5


Report = Callable[..., None]  # takes one sum for each number that is counted


def work_in_processes(path: str, argument: Any, items: Sequence[Any], report: Report) -> Iterator[Any]:
    """Yield the result of "module:function"(argument, item, count) for each item, in the order in
    which they finish.

    The function calls count(n), or count(n, m), as it goes along. `report` gets the sums about twice a second and may
    raise to stop all the work.
    """
    children = [PoolChild(path, argument) for _ in range(PROCESSES)]
    idle: SimpleQueue[PoolChild] = SimpleQueue()
    for child in children:
        idle.put(child)

    def work(item: Any) -> Any:
        child = idle.get()
        try:
            return child.work(item)
        finally:
            idle.put(child)

    threads = ThreadPoolExecutor(PROCESSES)
    try:
        running: set[Future[Any]] = {threads.submit(work, item) for item in items}
        while running:
            finished, running = wait(running, timeout=SECONDS_BETWEEN_REPORTS, return_when=FIRST_COMPLETED)
            report(*_sums([child.counts for child in children]))
            yield from (future.result() for future in finished)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for child in children:  # the work can be repeated, so nothing is lost by stopping at once
            child.stop()


def work_here(path: str, argument: Any, items: Sequence[Any], report: Report) -> Iterator[Any]:
    """Do the same in this process: starting children takes a second or two."""
    function = resolve_name(path)
    totals: tuple[int, ...] = (0,)

    def count(*more: int) -> None:
        nonlocal totals
        totals = _sums([totals, more])
        report(*totals)

    for item in items:
        yield function(argument, item, count)


def _sums(counts: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(map(sum, zip_longest(*counts, fillvalue=0)))


class PoolChild:
    """A child process, as its parent sees it. `work` blocks its thread until the item is done."""

    def __init__(self, path: str, argument: Any) -> None:
        self.counts: tuple[int, ...] = (0,)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "corpus.jobs.pool"],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._send((path, argument))

    def _send(self, message: Any) -> None:
        assert self.process.stdin  # noqa: S101  (a pipe, see above)
        pickle.dump(message, self.process.stdin)
        self.process.stdin.flush()

    def work(self, item: Any) -> Any:
        self._send(item)
        assert self.process.stdout  # noqa: S101
        while True:
            try:
                kind, value = pickle.load(self.process.stdout)  # noqa: S301  (our own child)
            except EOFError:
                raise RuntimeError("a process of the pool died in the middle of its work") from None
            if kind == "count":
                self.counts = _sums([self.counts, value])
            elif kind == "done":
                return value
            else:
                error = RuntimeError(value.strip().splitlines()[-1])
                error.add_note(value)  # the child's traceback, for the job's page
                raise error

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


# ---- In the child ---------------------------------------------------------------------------------


def serve() -> None:
    """Work on each item that comes in, until the parent closes the stream or dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: stop when the job is killed
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    questions, answers, lock = sys.stdin.buffer, sys.stdout.buffer, threading.Lock()
    sys.stdout = sys.stderr  # a stray print must not get between the answers

    def send(kind: str, value: Any) -> None:
        with lock:
            pickle.dump((kind, value), answers)
            answers.flush()

    import django

    django.setup()
    path, argument = pickle.load(questions)  # noqa: S301  (our own parent)
    function = resolve_name(path)
    while True:
        try:
            item = pickle.load(questions)  # noqa: S301
        except EOFError:
            return
        try:
            send("done", function(argument, item, lambda *more: send("count", more)))
        except Exception:
            send("failed", traceback.format_exc())


if __name__ == "__main__":
    serve()
