"""Work over many items in a few processes that know Django, watched from here.

This module imports no Django at the top: a spawned process loads it before Django is set up there.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from importlib import import_module
from multiprocessing.sharedctypes import Synchronized
from typing import Any

PROCESSES = min(4, os.cpu_count() or 1)
SECONDS_BETWEEN_LOOKS = 0.5

_counter: Synchronized[int]


def _start_process(counter: Synchronized[int]) -> None:
    """Prepare a process of the pool; it must not outlive the job that started it."""
    global _counter
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    import django

    django.setup()
    _counter = counter


def _count(more: int) -> None:
    with _counter.get_lock():
        _counter.value += more


def _work(path: str, argument: Any, item: Any) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)(argument, item, _count)


@contextmanager
def _pool(counter: Synchronized[int]) -> Iterator[ProcessPoolExecutor]:
    # Celery marks its processes as daemons, which may have no children; ours end with us all the same (PDEATHSIG).
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    context = multiprocessing.get_context("spawn")  # a fork would share the database connection
    pool = ProcessPoolExecutor(PROCESSES, context, _start_process, (counter,))
    try:
        yield pool
    finally:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:  # work is repeatable: nothing is lost by stopping at once
            process.terminate()


def work_in_processes(path: str, argument: Any, items: Sequence[Any], look: Callable[[int], None]) -> Iterator[Any]:
    """Yield the result of "module:function"(argument, item, count) for each item, as they come.

    The function calls count(n) as it goes on; `look` gets the sum about twice a second and may raise to stop it all.
    """
    counter: Synchronized[int] = multiprocessing.get_context("spawn").Value("q", 0)
    waiting = iter(items)
    with _pool(counter) as pool:
        running: set[Future[Any]] = set()
        while True:
            while len(running) < 2 * PROCESSES and (item := next(waiting, None)) is not None:
                running.add(pool.submit(_work, path, argument, item))
            if not running:
                return
            finished, running = wait(running, timeout=SECONDS_BETWEEN_LOOKS, return_when=FIRST_COMPLETED)
            look(counter.value)
            for future in finished:
                yield future.result()


def work_here(path: str, argument: Any, items: Sequence[Any], look: Callable[[int], None]) -> Iterator[Any]:
    """Do the same in this process: starting others takes a second or two."""
    module, _, name = path.partition(":")
    function, total = getattr(import_module(module), name), 0

    def count(more: int) -> None:
        nonlocal total
        total += more
        look(total)

    for item in items:
        yield function(argument, item, count)
