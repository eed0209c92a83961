"""A child process that works on one value after the other.

It exchanges pickles with its parent over its standard streams. `multiprocessing` is no use here: it gives daemons, as
Celery's workers are, no children, and a forked child would share the database connection.
"""

from __future__ import annotations

import ctypes
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from kernel.errors import TesaError

PR_SET_PDEATHSIG = 1


class ChildProcess:
    """A child process, as its parent sees it.

    It calls "module:function"(argument, value, count) for each value. The function may call count(n), or count(n, m),
    as it goes along; `counts` has the sums. `prepare` is a "module:function" that the child calls before it imports
    the other one.
    """

    def __init__(self, path: str, argument: Any, *, prepare: str = "") -> None:
        self.path = path
        self.counts: tuple[int, ...] = (0,)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kernel.child_process"],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._send((prepare, path, argument))

    def work(self, value: Any) -> Any:
        """Return what the function makes of a value; block this thread until then.

        A TesaError is raised as the child raised it, any other error as a RuntimeError with the child's traceback.
        """
        assert self.process.stdout  # noqa: S101  (a pipe, see above)
        try:
            self._send(value)
            while True:
                kind, content = pickle.load(self.process.stdout)  # noqa: S301  (our own child)
                if kind != "count":
                    break
                self.counts = added(self.counts, content)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise RuntimeError(f"a process for {self.path} died during its work; is there enough memory?") from None
        if kind == "done":
            return content
        if kind == "refused":
            raise content
        error = RuntimeError(content.strip().splitlines()[-1])
        error.add_note(content)  # the child's traceback, for the job's page
        raise error

    def stop(self) -> None:
        """End the child at once: it has nothing to lose."""
        self.process.kill()
        self.process.wait()

    def _send(self, message: Any) -> None:
        assert self.process.stdin  # noqa: S101  (a pipe, see above)
        pickle.dump(message, self.process.stdin)
        self.process.stdin.flush()


def added(*counts: Sequence[int]) -> tuple[int, ...]:
    """Return the sums of the first numbers, of the second ones and so on."""
    return tuple(map(sum, zip_longest(*counts, fillvalue=0)))


# ---- In the child ---------------------------------------------------------------------------------


def end_with_parent(how: signal.Signals = signal.SIGKILL) -> None:
    """Let the system end this process when its parent dies, where it can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, how)


def serve() -> None:
    """Work on each value that comes in, until the parent closes the stream or dies."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    values, answers, lock = sys.stdin.buffer, sys.stdout.buffer, threading.Lock()
    sys.stdout = sys.stderr  # a stray print must not get between the answers

    def send(kind: str, content: Any) -> None:
        with lock:
            pickle.dump((kind, content), answers)
            answers.flush()

    prepare, path, argument = pickle.load(values)  # noqa: S301  (our own parent)
    if prepare:
        resolve_name(prepare)()
    function = resolve_name(path)
    while True:
        try:
            value = pickle.load(values)  # noqa: S301
        except EOFError:
            return
        try:
            send("done", function(argument, value, lambda *more: send("count", more)))
        except TesaError as error:
            send("refused", error)
        except Exception:
            send("failed", traceback.format_exc())


if __name__ == "__main__":
    serve()
