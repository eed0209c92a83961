"""Jobs and Celery: sending a nudge, and the task that receives it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from celery import shared_task
from django.db import transaction

from kernel import selectors
from kernel.jobs import running, worker
from kernel.models import Job
from kernel.progress import Progress
from kernel.services import jobs as services

logger = logging.getLogger(__name__)
REST_SECONDS = 5  # after the broker refused a nudge: a page that starts thirty jobs must not wait thirty times
_broker_rests_until = 0.0


@shared_task(name="tesa.run_job")
def run_job(job_id: int, attempt: int) -> None:
    """Run a job. Safe to deliver twice: the second delivery finds nothing to claim."""
    if worker.is_stopping():
        return
    try:
        _run(job_id, attempt)
    finally:
        worker.end_if_large()


def _run(job_id: int, attempt: int) -> None:
    kind = selectors.kind_of(job_id)
    if kind is None or kind.reserve is None:
        _run_alike(job_id, attempt)
        return
    with kind.reserve() as is_free:
        if not is_free:
            logger.info("nothing free job=%s attempt=%s", job_id, attempt)
            return
        _claim_and_run(job_id, attempt)
    if job := selectors.first_waiting(kind.queue):  # it can have what has just become free
        send(job)


def _run_alike(job_id: int, attempt: int) -> None:
    """Run a job, then those behind it in the queue while they are of its kind.

    What one of them loaded (numpy, scikit-learn, spaCy) serves the next: a large process is replaced after a task.
    """
    job = _claim_and_run(job_id, attempt)
    while job and not worker.is_stopping():
        following = selectors.first_waiting(job.queue)
        if following is None or following.kind != job.kind:
            return
        _claim_and_run(following.pk, following.attempt)  # another worker may be faster: then the one behind it


def _claim_and_run(job_id: int, attempt: int) -> Job | None:
    """Run a job to its end and return it; None if there was nothing to claim."""
    job = services.claim_job(job_id, attempt, worker=running.worker_name())
    if job is None:
        logger.info("nothing to claim job=%s attempt=%s", job_id, attempt)
        return None
    if following := running.execute(job):
        nudge(following)
    return job


def send(job: Job) -> None:
    """Tell the workers of its queue about a job. If the broker is down, this is logged and the sweep sends again."""
    global _broker_rests_until
    if time.monotonic() < _broker_rests_until:
        return
    services.count_nudge(job)
    try:
        run_job.apply_async((job.pk, job.attempt), queue=job.queue)
    except Exception as error:  # each kombu transport raises its own errors
        logger.warning("nudge not sent job=%s error=%s", job.pk, error)
        _broker_rests_until = time.monotonic() + REST_SECONDS


def nudge(job: Job) -> None:
    """Send once the caller's transaction is committed."""
    transaction.on_commit(partial(send, job))


def run_here(kind: str, *, subject: str, parameters: Mapping[str, Any], beside: Progress, lock: str = "") -> Job:
    """Run a job in this process, for a command; the jobs page shows it like other jobs."""
    with transaction.atomic():  # created and claimed in one transaction: no worker can claim it first
        job = services.create_job(kind, subject=subject, parameters=parameters, lock=lock)
        claimed = services.claim_job(job.pk, job.attempt, worker=services.terminal_name(os.getpid()))
    assert claimed is not None  # noqa: S101  (nobody else could see it)
    if following := running.execute(claimed, beside):
        nudge(following)
    job.refresh_from_db()
    return job


def sweep() -> None:
    """Sweep lost jobs, and send lost nudges again."""
    services.sweep_lost_jobs()
    for job in selectors.jobs_to_nudge():
        send(job)
