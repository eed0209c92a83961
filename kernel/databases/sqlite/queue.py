"""The queue of SQLite's writers: a file lock beside the database, which the kernel grants in order of request.

`flock` has no time limit, so a helper thread waits if one is needed. A caller that gives up leaves its place in the
queue; the next caller of the same process takes it over, so there are never more helpers than waiting callers.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from kernel.databases.process_names import process_name

SPARE_SECONDS = 2.0  # how long the last free thread of a web process may wait: probes need one
RECORD_BYTES = 200


class QueuePlace:
    """One place in the queue: an open lock file, and whether it is its turn."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self.since = time.monotonic()
        self.has_turn = threading.Event()
        self.is_wanted = True
        self.error: OSError | None = None

    def record(self, state: str) -> None:
        """Write into the lock file whose turn it is, for `holder`."""
        text = f"{os.getpid()}\t{time.time():.3f}\t{state}\t{process_name()}"
        os.pwrite(self.file, text.encode("utf-8", "replace")[:RECORD_BYTES].ljust(RECORD_BYTES), 0)

    def leave(self) -> None:
        """Let the next process in. Unlocking comes before closing: a forked child may still have the file open."""
        with _guard:
            _open.discard(self)
            file, self.file = self.file, -1
        if file != -1:
            fcntl.flock(file, fcntl.LOCK_UN)
            os.close(file)


_guard = threading.Lock()  # held only briefly, and while this process forks
_open = set[QueuePlace]()  # all lock files this process has open
_waiting = list[QueuePlace]()  # those for which a caller waits
_left_behind = list[QueuePlace]()  # those whose caller gave up


def enter(path: str) -> QueuePlace:
    """Wait for the turn, however long it takes; return the place, which the caller must leave."""
    with _guard:
        place = _new_place(path)
    try:
        fcntl.flock(place.file, fcntl.LOCK_EX)
    except BaseException:
        place.leave()
        raise
    return place


def enter_within(path: str, seconds: float, *, threads: int = 0) -> QueuePlace:
    """Wait for the turn and return the place, which the caller must leave; raise TimeoutError after `seconds`.

    `threads` is the number of threads that serve this process's requests. The last free one waits until two seconds
    after the first of them began to wait, so that probes are still answered while writing is stuck.
    """
    place, is_new = _place(path)
    if is_new:
        if _is_free(place):
            return place
        threading.Thread(target=_wait_for_turn, args=(place,), name="sqlite-queue", daemon=True).start()
    with _guard:
        _waiting.append(place)
        if threads > 1 and len(_waiting) >= threads:
            seconds = min(seconds, max(0.0, _waiting[0].since + SPARE_SECONDS - time.monotonic()))
    try:
        place.has_turn.wait(seconds)
    except BaseException:
        if _has_come(place):
            place.leave()
        raise
    if not _has_come(place):
        raise TimeoutError
    if place.error:
        place.leave()
        raise place.error
    return place


def _has_come(place: QueuePlace) -> bool:
    """Stop waiting; return whether the turn has come. If not, the place stays in the queue for another caller."""
    with _guard:
        _waiting.remove(place)
        if place.has_turn.is_set():
            return True
        place.is_wanted = False
        _left_behind.append(place)
        return False


def _place(path: str) -> tuple[QueuePlace, bool]:
    """Return a place that another caller left behind, or a new one; and whether it is new."""
    with _guard:
        for place in _left_behind:
            if place.path == path:
                _left_behind.remove(place)
                place.is_wanted, place.since = True, time.monotonic()
                return place, False
        return _new_place(path), True


def _new_place(path: str) -> QueuePlace:
    place = QueuePlace(path)
    _open.add(place)
    return place


def _is_free(place: QueuePlace) -> bool:
    try:
        fcntl.flock(place.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        place.leave()
        raise
    return True


def _wait_for_turn(place: QueuePlace) -> None:
    try:
        fcntl.flock(place.file, fcntl.LOCK_EX)
    except OSError as error:
        place.error = error
    with _guard:
        place.has_turn.set()
        if place.is_wanted:
            return
        _left_behind.remove(place)
    place.leave()


def _forget_after_fork() -> None:
    """Close the parent's lock files in a child: an open copy would keep the lock."""
    for place in _open:
        with suppress(OSError):
            os.close(place.file)
        place.file = -1
    for places in (_open, _waiting, _left_behind):
        places.clear()
    _guard.release()


os.register_at_fork(before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_forget_after_fork)


@dataclass(frozen=True)
class Holder:
    """The process whose turn it is."""

    pid: int
    name: str
    seconds: float  # since it got the turn, or since its transaction began
    is_writing: bool  # False: it waits for a writer that is not in the queue, such as an sqlite3 shell


def holder(path: str, *, longer_than: float = 0.0) -> Holder | None:
    """Return the process that has had its turn for longer than this, or None. Never waits."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        recorded = _parsed(os.pread(file, RECORD_BYTES, 0))
        if recorded is None or recorded.seconds < longer_than:
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return recorded
        fcntl.flock(file, fcntl.LOCK_UN)
        return None  # nobody has the lock: the record is old
    finally:
        os.close(file)


def _parsed(record: bytes) -> Holder | None:
    try:
        pid, since, state, name = record.decode("utf-8", "replace").strip().split("\t")
        return Holder(int(pid), name, max(0.0, time.time() - float(since)), state == "writing")
    except ValueError:  # nothing has been recorded yet
        return None
