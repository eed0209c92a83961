"""Work over many items in a few processes that know Django, watched from here.

Plain child processes that speak pickle over their standard streams: Celery's workers are daemons, which
`multiprocessing` gives no children, and a fork would share the database connection. This module imports no Django at
the top, because a child loads it before Django is set up there.
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
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from queue import SimpleQueue
from typing import Any

PROCESSES = min(4, os.cpu_count() or 1)
SECONDS_BETWEEN_LOOKS = 0.5


Look = Callable[..., None]  # takes one sum for each number that is counted


def work_in_processes(path: str, argument: Any, items: Sequence[Any], look: Look) -> Iterator[Any]:
    """Yield the result of "module:function"(argument, item, count) for each item, as they come.

    The function calls count(n), or count(n, m), as it goes on; `look` gets the sums about twice a second and may raise
    to stop it all.
    """
    children = [Child(path, argument) for _ in range(PROCESSES)]
    idle: SimpleQueue[Child] = SimpleQueue()
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
            finished, running = wait(running, timeout=SECONDS_BETWEEN_LOOKS, return_when=FIRST_COMPLETED)
            look(*_sums([child.counts for child in children]))
            yield from (future.result() for future in finished)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for child in children:  # work is repeatable: nothing is lost by stopping at once
            child.stop()


def work_here(path: str, argument: Any, items: Sequence[Any], look: Look) -> Iterator[Any]:
    """Do the same in this process: starting others takes a second or two."""
    function = _function(path)
    totals: tuple[int, ...] = (0,)

    def count(*more: int) -> None:
        nonlocal totals
        totals = _sums([totals, more])
        look(*totals)

    for item in items:
        yield function(argument, item, count)


def _sums(counts: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(map(sum, zip_longest(*counts, fillvalue=0)))


def _function(path: str) -> Callable[[Any, Any, Look], Any]:
    module, _, name = path.partition(":")
    found: Callable[[Any, Any, Look], Any] = getattr(import_module(module), name)
    return found


class Child:
    """One process, seen from here. `work` blocks its thread until the item is done."""

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
                error.add_note(value)  # its traceback, for whoever reads the job's
                raise error

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


# ---- In the child ---------------------------------------------------------------------------------


def serve() -> None:
    """Work on what comes in until the parent closes the stream, or is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: do not finish a killed job's unit
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    questions, answers, lock = sys.stdin.buffer, sys.stdout.buffer, threading.Lock()
    sys.stdout = sys.stderr  # what somebody prints must not get between the answers

    def send(kind: str, value: Any) -> None:
        with lock:
            pickle.dump((kind, value), answers)
            answers.flush()

    import django

    django.setup()
    path, argument = pickle.load(questions)  # noqa: S301  (our own parent)
    function = _function(path)
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
