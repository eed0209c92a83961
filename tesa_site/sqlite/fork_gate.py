"""Keeps this process from being forked in the middle of a statement or a write.

SQLite keeps a table of its own locks in memory, one for all connections of a process. A child that is forked while
another thread writes inherits the entry "somebody here is writing", and nobody ever removes it there: each write of the
child is refused as busy, for ever. A worker forks whenever it replaces a large pool process, and its heartbeat writes
in a thread.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_WAIT_S = 10.0  # then the process is forked all the same: a thread that never ends must not stop the worker

_change = threading.Condition()
_inside: Counter[int] = Counter()  # statements and transactions by thread


def enter() -> int:
    """Begin something that a fork must wait for; return what `leave` needs."""
    thread = threading.get_ident()
    with _change:
        _inside[thread] += 1
    return thread


def leave(thread: int) -> None:
    with _change:
        _inside[thread] -= 1
        if _inside[thread] <= 0:
            del _inside[thread]
            _change.notify_all()


@contextmanager
def passing() -> Iterator[None]:
    """Do one statement, which a fork waits for."""
    thread = enter()
    try:
        yield
    finally:
        leave(thread)


def _before_fork() -> None:
    me = threading.get_ident()
    _change.acquire()  # nobody begins anything until the fork is over
    _change.wait_for(lambda: not any(thread != me for thread in _inside), timeout=LONGEST_WAIT_S)


def _after_fork_in_child() -> None:
    global _change
    _change = threading.Condition()
    _inside.clear()


os.register_at_fork(before=_before_fork, after_in_parent=lambda: _change.release(), after_in_child=_after_fork_in_child)
