"""`python -m tesa_site.worker default,corpus`: a worker, which runs TESA_WORKER_CONCURRENCY jobs at a time.

This process loads the application once and forks a child for each job it may run at a time. A child is a Celery worker
of its own, without a pool. The children share nothing but memory pages: the processes of Celery's pool share a lock,
and all of them wait for ever if one is killed while it holds it, as the kernel does when memory runs out.

The parent starts a child again when it ends. It opens no connection and no thread, so that it can fork at any time.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import time
from dataclasses import dataclass

from django.conf import settings

from kernel.child_process import end_with_parent
from tesa_site.celery import app

logger = logging.getLogger(__name__)
STOP_SECONDS = 80  # time for a training to save a checkpoint; the supervisor of this process may end it sooner
SETTLED_SECONDS = 10  # a child that fails sooner is started again after a wait
LONGEST_WAIT = 30


@dataclass
class JobProcess:
    """One process that runs one job at a time, and its successors."""

    pid: int = 0
    started: float = 0.0
    restart_at: float = 0.0
    failures: int = 0

    def start(self, queues: str) -> None:
        self.started = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            _run_jobs(queues)

    def has_ended(self) -> bool:
        """Return whether there is no such process now; plan its restart if it has just ended."""
        if self.pid:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._plan_restart(os.waitstatus_to_exitcode(status))
        return not self.pid

    def _plan_restart(self, code: int) -> None:
        is_settled = time.monotonic() - self.started >= SETTLED_SECONDS
        self.failures = 0 if is_settled or code <= 0 else self.failures + 1  # being killed is not its own failure
        wait = min(LONGEST_WAIT, 2 ** (self.failures - 1)) if self.failures else 0
        if code:
            reason = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            logger.warning("worker process %s %s; starting another in %s s", self.pid, reason, wait)
        self.pid, self.restart_at = 0, time.monotonic() + wait

    def signal(self, number: int) -> None:
        if not self.has_ended():
            os.kill(self.pid, number)


def _run_jobs(queues: str) -> None:
    """Be a Celery worker until it is stopped or has grown too large. Never returns."""
    code = 1
    try:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        end_with_parent(signal.SIGTERM)
        from kernel.jobs import worker

        celery = app.Worker(
            pool="solo", queues=queues, loglevel="WARNING", quiet=True,
            without_gossip=True, without_mingle=True, without_heartbeat=True,
        )  # fmt: skip
        celery.start()
        worker.sign_off()
        code = celery.exitcode or 0
    except BaseException:
        logger.exception("worker process failed")
    finally:
        logging.shutdown()
        os._exit(code)


def run(queues: str) -> None:
    """Keep the children alive until SIGTERM or SIGINT; then stop them, and end those that do not stop."""
    is_stopping = False

    def stop(*_: object) -> None:
        nonlocal is_stopping
        is_stopping = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    children = [JobProcess() for _ in range(settings.WORKER_CONCURRENCY)]
    while not is_stopping:
        for child in children:
            if child.has_ended() and time.monotonic() >= child.restart_at:
                child.start(queues)
        time.sleep(0.2)
    stop_all(children)


def stop_all(children: list[JobProcess]) -> None:
    for child in children:
        child.signal(signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while time.monotonic() < deadline:
        if all(child.has_ended() for child in children):
            return
        time.sleep(0.05)
    for child in children:
        child.signal(signal.SIGKILL)


def main() -> None:
    import celery.apps.worker
    import celery.concurrency.solo  # noqa: F401  (what every child needs is loaded once, here)

    app.loader.init_worker()
    app.finalize()
    # Pages of memory that nobody writes to stay shared: keep the children's garbage collectors off what is loaded.
    gc.collect()
    gc.freeze()
    run(sys.argv[1])


if __name__ == "__main__":
    main()
