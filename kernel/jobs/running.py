"""Run a claimed job: its heartbeat, its progress, its end."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import close_old_connections, connection

from kernel import selectors
from kernel.databases import outages, patience
from kernel.errors import Cancelled, TesaError
from kernel.models import Job
from kernel.progress import Progress
from kernel.services import jobs as services

logger = logging.getLogger(__name__)
SECONDS_BETWEEN_WRITES = 1.0


_idle_since: float | None = None  # None while this process runs a job


def idle_seconds() -> float:
    """Return for how long this process has run no job."""
    return 0.0 if _idle_since is None else time.monotonic() - _idle_since


def set_idle(is_idle: bool) -> None:
    global _idle_since
    _idle_since = time.monotonic() if is_idle else None


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


class JobProgress:
    """Writes progress to the Job row at most once a second, and raises Cancelled once the job should stop."""

    def __init__(self, job: Job, beside: Progress | None = None) -> None:
        self.job, self.beside = job, beside
        self.done = 0
        self.total: int | None = None
        self.step = ""
        self.written_at = float("-inf")

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        self.done = done
        self.total = self.total if total is None else total
        self.step = self.step if step is None else step
        if self.beside:
            self.beside.report(done, total, step)
        if time.monotonic() - self.written_at >= SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        self.written_at = time.monotonic()
        if not services.record_progress(self.job, done=self.done, total=self.total, step=self.step):
            raise Cancelled("The job was asked to stop.")

    def log(self, text: str) -> None:
        services.record_log(self.job, text)
        if self.beside:
            self.beside.log(text)


@contextmanager
def heartbeat(job: Job) -> Iterator[None]:
    """Send the job's heartbeat from a thread, so that a long step does not look like a dead worker."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(settings.HEARTBEAT_SECONDS):
            try:
                with patience.at_most(patience.ROUND_SECONDS):
                    close_old_connections()
                    if not services.beat_job(job):
                        break  # swept or retried: the next report() raises
            except Exception:  # a database that is briefly unavailable must not end the heartbeat
                logger.exception("heartbeat not written job=%s", job.pk)
        connection.close()

    thread = threading.Thread(target=beat, name=f"heartbeat-{job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=10)


def execute(job: Job, beside: Progress | None = None) -> Job | None:
    """Run a claimed job; return the job that follows it, if any. Errors are stored in the row, not raised."""
    progress, started = JobProgress(job, beside), time.monotonic()
    following: Job | None = None
    set_idle(False)
    try:
        with heartbeat(job):
            result = selectors.job_kinds()[job.kind].run(job.parameters, progress)
            progress.write()  # the final count, and the last chance to notice a cancel
        following = services.succeed_job(job, result)
    except (Cancelled, KeyboardInterrupt):
        services.stop_cancelled_job(job)
    except TesaError as error:
        services.fail_job(job, error.message, traceback.format_exc())
    except Exception as error:
        close_old_connections()  # one that has failed
        services.fail_job(job, outages.explain_to_job(error), traceback.format_exc())
        logger.exception("job failed job=%s kind=%s", job.pk, job.kind)
    finally:
        set_idle(True)
    status = Job.objects.values_list("status", flat=True).get(pk=job.pk)
    seconds = time.monotonic() - started
    logger.info("job ended job=%s kind=%s status=%s seconds=%.1f", job.pk, job.kind, status, seconds)
    return following
