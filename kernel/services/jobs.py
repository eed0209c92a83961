"""The states of a Job. Each step is an UPDATE that names the state it leaves, so that only one process can make it."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet

from kernel import selectors
from kernel.clock import now
from kernel.errors import InvalidInput, NotAllowed, TesaError, WrongState
from kernel.job_kind import MOST_ATTEMPTS, JobResult
from kernel.logs import redacted
from kernel.models import DatabaseTime, Job, JobLog, JobStatus, User
from kernel.services import audit
from kernel.values import storable

logger = logging.getLogger(__name__)
LOST_TEXT = "The worker stopped answering, so it is unknown how far the job got. Retry the job."
LOST_EACH_TIME = (
    f"The job's worker was lost {MOST_ATTEMPTS} times in a row, perhaps because the job needs too much memory. "
    "Check the log, then retry the job."
)
TERMINAL = "terminal "  # begins the worker's name of jobs that a command runs itself
MOST_SECONDS = 600  # of a check
RETRYABLE = (JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.LOST)


def check_allowed(kind: str, by: User | None) -> None:
    """Raise unless this person (None means the system) may start, cancel and retry this kind of job."""
    if kind not in selectors.job_kinds():
        raise InvalidInput(f"unknown job kind {kind!r}", field="kind")
    if by and not by.has_perm(selectors.job_kinds()[kind].permission):
        raise NotAllowed("Your role may not run this kind of job.")


def start_check(*, queue: str, seconds: int, by: User | None) -> Job:
    """Queue a check of the worker that serves this queue."""
    parameters = {"seconds": seconds}
    return create_job("check_worker", subject=f"queue {queue}", parameters=parameters, by=by, queue=queue)


def create_job(
    kind: str,
    *,
    subject: str = "",
    parameters: Mapping[str, Any] | None = None,
    by: User | None = None,
    queue: str = "",
    lock: str = "",
) -> Job:
    """Queue a job, if `by` may. The caller nudges a worker after the transaction commits (`jobs.nudge`)."""
    check_allowed(kind, by)
    queue = queue or selectors.job_kinds()[kind].queue
    with _refusing_a_taken_lock(subject), transaction.atomic():
        return Job.objects.create(
            kind=kind, subject=subject[:200], parameters=dict(parameters or {}), created_by=by, queue=queue, lock=lock
        )


@dataclass(frozen=True)
class JobRequest:
    """One of several jobs of a kind that are queued together."""

    subject: str
    parameters: Mapping[str, Any]
    lock: str


def create_jobs(kind: str, requests: Iterable[JobRequest], *, by: User | None) -> list[Job]:
    """Queue several jobs of a kind, all or none, if `by` may. The caller nudges the workers."""
    check_allowed(kind, by)
    rows = [
        Job(
            kind=kind,
            subject=request.subject[:200],
            parameters=dict(request.parameters),
            created_by=by,
            queue=selectors.job_kinds()[kind].queue,
            lock=request.lock,
        )
        for request in requests
    ]
    with _refusing_a_taken_lock(rows[0].subject if rows else kind), transaction.atomic():
        return Job.objects.bulk_create(rows)


@contextmanager
def _refusing_a_taken_lock(subject: str) -> Iterator[None]:
    """Raise WrongState when the database refuses a lock that another job holds."""
    try:
        yield
    except IntegrityError as error:
        raise WrongState(f"Another job is working on {subject}: wait for it, or cancel it first.") from error


def claim_job(job_id: int, attempt: int, *, worker: str) -> Job | None:
    """Claim a queued job; return None if this attempt is no longer queued."""
    taken = Job.objects.filter(pk=job_id, attempt=attempt, status=JobStatus.QUEUED).update(
        status=JobStatus.RUNNING, worker=worker[:200], started_at=now(), heartbeat_at=DatabaseTime()
    )
    return Job.objects.get(pk=job_id) if taken else None


def _mine(job: Job) -> QuerySet[Job]:
    """Return the row only while this attempt is running: nobody may write to a swept or retried job."""
    return Job.objects.filter(pk=job.pk, attempt=job.attempt, status=JobStatus.RUNNING)


def beat_job(job: Job) -> bool:
    """Record that the job is alive; return False if this attempt no longer owns it."""
    return bool(_mine(job).update(heartbeat_at=DatabaseTime()))


def record_progress(job: Job, *, done: int, total: int | None, step: str) -> bool:
    """Store how far the job is; return False if it should stop (cancelled, or no longer owned by this attempt)."""
    mine = _mine(job).filter(cancel_requested=False)
    return bool(mine.update(done=done, total=total, step=storable(step)[:200], heartbeat_at=DatabaseTime()))


def record_log(job: Job, text: str) -> None:
    JobLog.objects.create(job_id=job.pk, attempt=job.attempt, text=storable(text)[:1000])


@transaction.atomic
def succeed_job(job: Job, result: JobResult) -> Job | None:
    """Close a job that succeeded and queue the next one, in one transaction; return the latter, to be nudged."""
    fields = {"result": storable(result.text)[:500], "result_url": result.url[:500], "step": ""}
    closed = _mine(job).update(status=JobStatus.SUCCEEDED, finished_at=now(), **fields)
    return _queue_next(job, *result.then) if closed and result.then else None


def _queue_next(job: Job, kind: str, parameters: Mapping[str, Any]) -> Job | None:
    """Queue a job on the same subject for the same user. A refusal is logged; the first job has still succeeded."""
    try:
        return create_job(kind, subject=job.subject, parameters=parameters, by=job.created_by, lock=job.lock)
    except TesaError as error:
        record_log(job, f"The next job ({kind}) was not started: {error.message}")
        return None


def forget_results(address: str) -> None:
    """Remove the link from ended jobs whose result was at or below this URL, which no longer exists."""
    Job.objects.filter(result_url__startswith=address).update(result_url="")


def fail_job(job: Job, error: str, traceback: str) -> None:
    fields = {"error": storable(redacted(error))[:1000], "traceback": storable(redacted(traceback))}
    _mine(job).update(status=JobStatus.FAILED, finished_at=now(), **fields)


def stop_cancelled_job(job: Job) -> None:
    """Close a running job that has noticed its cancellation."""
    _mine(job).update(status=JobStatus.CANCELLED, finished_at=now())


@transaction.atomic(durable=True)
def cancel_job(job_id: int, *, by: User | None) -> Job:
    """Cancel a queued job at once, or ask a running job to stop. Cancelling twice has no effect."""
    check_allowed(Job.objects.get(pk=job_id).kind, by)
    queued = Job.objects.filter(pk=job_id, status=JobStatus.QUEUED)
    running = Job.objects.filter(pk=job_id, status=JobStatus.RUNNING, cancel_requested=False)
    changed = queued.update(status=JobStatus.CANCELLED, finished_at=now()) or running.update(cancel_requested=True)
    job = Job.objects.get(pk=job_id)
    if changed:
        audit.record("cancel job", job, by=by)
    elif not job.is_open and job.status != JobStatus.CANCELLED:
        raise WrongState(f"Job {job_id} has already ended: it {job.get_status_display().lower()}.")
    return job


def _requeue(jobs: QuerySet[Job], **fields: Any) -> int:
    """Queue these jobs as their next attempt, so that a process still working on the last one no longer owns it."""
    return jobs.update(
        **fields,
        status=JobStatus.QUEUED,
        attempt=F("attempt") + 1,
        cancel_requested=False,
        worker="",
        done=0,
        total=None,
        step="",
        error="",
        traceback="",
        queued_at=now(),
        nudges=0,
        nudged_at=None,
        started_at=None,
        heartbeat_at=None,
        finished_at=None,
    )


def put_back_jobs(worker: str) -> int:
    """Requeue the running jobs of a worker that is being stopped normally; return how many."""
    return _requeue(Job.objects.filter(worker=worker, status=JobStatus.RUNNING, cancel_requested=False))


@transaction.atomic(durable=True)
def retry_job(job_id: int, *, by: User | None) -> Job:
    """Queue a failed, cancelled or lost job again."""
    job = Job.objects.get(pk=job_id)
    check_allowed(job.kind, by)
    with _refusing_a_taken_lock(job.subject), transaction.atomic():
        requeued = _requeue(Job.objects.filter(pk=job_id, status__in=RETRYABLE), losses=0)
    job = Job.objects.get(pk=job_id)
    if not requeued:
        state = job.get_status_display().lower()
        raise WrongState(f"Job {job_id} is {state}; only failed, cancelled and lost jobs can be retried.")
    audit.record("retry job", job, by=by)
    return job


def terminal_name(pid: int) -> str:
    """Return the worker name of jobs that a command runs itself."""
    return f"{TERMINAL}{socket.gethostname()}:{pid}"


def _killed_at_the_terminal() -> list[Job]:
    """Return the jobs of commands on this machine whose process is gone; their heartbeat need not expire first."""
    name, _, _ = terminal_name(0).rpartition(":")
    jobs = Job.objects.filter(status=JobStatus.RUNNING, worker__startswith=f"{name}:")
    return [job for job in jobs if not _is_alive(int(job.worker.rpartition(":")[2]))]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's process: alive
        return True
    return True


def sweep_lost_jobs() -> list[int]:
    """Start running jobs whose worker fell silent again, or mark them as lost or cancelled; return their ids."""
    return _sweep([*selectors.silent_jobs(), *_killed_at_the_terminal()])


def sweep_killed_commands() -> list[int]:
    """Do this for killed commands only. Silence is not judged here, because a laptop that slept causes it too."""
    return _sweep(_killed_at_the_terminal())


def _sweep(jobs: Sequence[Job]) -> list[int]:
    swept = []
    for job in jobs:
        # The heartbeat is part of the condition: a worker that has just come back keeps its job.
        row = Job.objects.filter(
            pk=job.pk, attempt=job.attempt, status=JobStatus.RUNNING, heartbeat_at=job.heartbeat_at
        )
        if outcome := _cancel(row, job) or _start_again(row, job) or _give_up(row, job):
            swept.append(job.pk)
            logger.warning("job swept job=%s outcome=%s worker=%s", job.pk, outcome, job.worker)
    return swept


def _cancel(row: QuerySet[Job], job: Job) -> str:
    is_done = job.cancel_requested and row.update(status=JobStatus.CANCELLED, finished_at=now(), error="")
    return "cancelled" if is_done else ""


def is_repeatable(job: Job) -> bool:
    """Return whether the job may be started again without asking anybody."""
    kinds = selectors.job_kinds()
    return job.kind in kinds and kinds[job.kind].repeatable


def _start_again(row: QuerySet[Job], job: Job) -> str:
    """Queue a repeatable job again unless its worker was lost too often; a later sweep nudges the workers."""
    is_command = job.worker.startswith(TERMINAL)  # a person who killed a command wants no worker to go on with it
    if not is_repeatable(job) or is_command or job.losses + 1 >= MOST_ATTEMPTS:
        return ""
    if not _requeue(row, losses=F("losses") + 1):
        return ""
    again = Job.objects.get(pk=job.pk)
    record_log(again, again.restart)
    return "started again"


def _give_up(row: QuerySet[Job], job: Job) -> str:
    error = LOST_EACH_TIME if job.losses + 1 >= MOST_ATTEMPTS else LOST_TEXT
    return "lost" if row.update(status=JobStatus.LOST, finished_at=now(), error=error) else ""


def count_nudge(job: Job) -> None:
    Job.objects.filter(pk=job.pk, attempt=job.attempt).update(nudges=F("nudges") + 1, nudged_at=now())
