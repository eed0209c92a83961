"""Work through many items in a few child processes that use Django, and report their progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pkgutil import resolve_name
from queue import SimpleQueue
from typing import Any

from kernel.child_process import ChildProcess, added

PROCESSES = min(4, os.cpu_count() or 1)
SECONDS_BETWEEN_REPORTS = 0.5


Report = Callable[..., None]  # takes one sum for each number that is counted


def work_in_processes(path: str, argument: Any, items: Sequence[Any], report: Report) -> Iterator[Any]:
    """Yield the result of "module:function"(argument, item, count) for each item, in the order in
    which they finish.

    The function calls count(n), or count(n, m), as it goes along. `report` gets the sums about twice a second and may
    raise to stop all the work.
    """
    children = [ChildProcess(path, argument, prepare="django:setup") for _ in range(PROCESSES)]
    idle: SimpleQueue[ChildProcess] = SimpleQueue()
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
            report(*added(*(child.counts for child in children)))
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
        totals = added(totals, more)
        report(*totals)

    for item in items:
        yield function(argument, item, count)
