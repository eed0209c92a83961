"""Queries on jobs, workers and tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import TruncDate

from kernel.clock import now
from kernel.job_kind import JobKind
from kernel.models import OPEN_STATUSES, ApiToken, DatabaseTime, Job, JobStatus, User, WorkerHeartbeat
from kernel.notice_kind import Notice
from kernel.plots import jobs_by_day
from kernel.registry import Registry

MOST_SKEW_SECONDS = 5
OVERDUE_SECONDS = 60  # a job that has waited longer, although a worker is idle, was not taken
CLOCKS = {
    "postgresql": "SELECT extract(epoch FROM clock_timestamp())",
    "sqlite": "SELECT (julianday('now') - 2440587.5) * 86400.0",
}


def job_kinds() -> Registry[JobKind]:
    return Registry("job kind", settings.TESA_JOB_KINDS)


def kind_label(job: Job) -> str:
    kinds = job_kinds()
    return kinds[job.kind].label if job.kind in kinds else job.kind


def live_workers() -> QuerySet[WorkerHeartbeat]:
    """Return the workers whose last heartbeat is recent enough."""
    return WorkerHeartbeat.objects.filter(beat_at__gte=DatabaseTime() - timedelta(seconds=settings.LOST_AFTER_SECONDS))


def clock_skew() -> float:
    """Return how many seconds this machine's clock is ahead of the database's; 0 if the round trip explains it."""
    before = now()
    with connection.cursor() as cursor:
        cursor.execute(CLOCKS[connection.vendor])
        (seconds,) = cursor.fetchone()
    there = datetime.fromtimestamp(float(seconds), UTC)
    after = now()
    if there < before:
        return (before - there).total_seconds()
    return -max(0.0, (there - after).total_seconds())


def clock_problems() -> list[str]:
    """Return a sentence for each machine whose clock differs from the database's by more than a few seconds."""
    skews = [("This web server", clock_skew()), *live_workers().values_list("name", "clock_skew")]
    return [
        f"{name}: its clock is {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} the database's."
        for name, skew in skews
        if abs(skew) > MOST_SKEW_SECONDS
    ]


def live_queues() -> set[str]:
    return {queue for queues in live_workers().values_list("queues", flat=True) for queue in queues}


def overdue_jobs(queues: Iterable[str]) -> QuerySet[Job]:
    """Return jobs that an idle worker of these queues should have taken: it was told about them several times.

    Some may wait for something besides a worker, such as a GPU (`JobKind.reserve`).
    """
    moment = now()
    return Job.objects.filter(
        status=JobStatus.QUEUED,
        queue__in=queues,
        queued_at__lt=moment - timedelta(seconds=OVERDUE_SECONDS),
        nudges__gte=3,
        nudged_at__lt=moment - timedelta(seconds=settings.HEARTBEAT_SECONDS),
    )


def stalled_queues() -> set[str]:
    """Return the queues whose jobs are not taken although a worker that serves them is idle.

    A job that needs a device counts only if such a worker's machine has more devices than running jobs of that sort.
    """
    reserving = {name for name in job_kinds() if job_kinds()[name].reserve}
    running = [*Job.objects.filter(status=JobStatus.RUNNING).values_list("worker", "kind")]
    busy = {worker for worker, _ in running}
    taken = Counter(_machine(worker) for worker, kind in running if kind in reserving)
    idle, equipped = set[str](), set[str]()
    for name, queues, facts in live_workers().exclude(name__in=busy).values_list("name", "queues", "facts"):
        idle.update(queues)
        if taken[_machine(name)] < facts.get("devices", 0):
            equipped.update(queues)
    overdue = overdue_jobs(idle).values_list("queue", "kind").distinct()
    return {queue for queue, kind in overdue if queue in (equipped if kind in reserving else idle)}


def _machine(worker: str) -> str:
    return worker.rpartition(":")[0]


def queues_without_worker(queues: Iterable[str] | None = None) -> list[str]:
    """Return the queues (default: the required ones) from which no live worker takes jobs."""
    taken = live_queues() - stalled_queues()
    return [queue for queue in (settings.REQUIRED_QUEUES if queues is None else queues) if queue not in taken]


def jobs(*, status: str = "", kind: str = "") -> QuerySet[Job]:
    """Return jobs, newest first; `status` may also be "open"."""
    jobs = Job.objects.select_related("created_by").order_by("-id")
    if status:
        jobs = jobs.filter(status__in=OPEN_STATUSES if status == "open" else [status])
    return jobs.filter(kind=kind) if kind else jobs


def jobs_to_nudge(limit: int = 100) -> list[Job]:
    """Return queued jobs of live queues whose nudge seems lost; the wait doubles with each nudge, up to 5 minutes.

    A queue of which a job has just started is moving: those behind it wait for their turn.
    """
    moment = now()
    first = timedelta(seconds=settings.RENUDGE_SECONDS)
    moving = Job.objects.filter(started_at__gt=moment - first).values_list("queue", flat=True)
    waiting = Job.objects.filter(status=JobStatus.QUEUED, queue__in=live_queues() - {*moving}).filter(
        Q(nudged_at__isnull=True) | Q(nudged_at__lte=moment - first)
    )

    def is_due(job: Job) -> bool:
        wait = min(first * 2 ** min(max(0, job.nudges - 1), 9), timedelta(minutes=5))
        return job.nudged_at is None or job.nudged_at <= moment - wait

    return list(islice(filter(is_due, waiting.order_by("queued_at", "id")), limit))


def kind_of(job_id: int) -> JobKind | None:
    """Return the kind of a job; None if there is no such job or kind (any more)."""
    name = Job.objects.filter(pk=job_id).values_list("kind", flat=True).first()
    return job_kinds()[name] if name and name in job_kinds() else None


def first_waiting(queue: str) -> Job | None:
    """Return the queued job of a queue that has waited longest."""
    return Job.objects.filter(queue=queue, status=JobStatus.QUEUED).order_by("queued_at", "id").first()


def silent_jobs() -> QuerySet[Job]:
    """Return running jobs whose heartbeat is older than LOST_AFTER_SECONDS."""
    deadline = DatabaseTime() - timedelta(seconds=settings.LOST_AFTER_SECONDS)
    return Job.objects.filter(status=JobStatus.RUNNING, heartbeat_at__lt=deadline)


def finished_jobs_by_day() -> list[tuple[date, str, int]]:
    """Return (day, status, count) of the jobs that ended in the days the plot shows, oldest first."""
    since = now() - timedelta(days=jobs_by_day.DAYS)
    rows = (
        Job.objects.filter(finished_at__gte=since)
        .annotate(day=TruncDate("finished_at"))
        .values_list("day", "status")
        .annotate(count=Count("id"))
        .order_by("day", "status")
    )
    return [(day, status, count) for day, status, count in rows]


def tokens_of(user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user).order_by(F("revoked_at").asc(nulls_first=True), "-id")


def failed_job_notices() -> list[Notice]:
    """Return the jobs that failed or were lost in the last two days, for e-mail notices."""
    since = now() - timedelta(days=2)
    jobs = Job.objects.filter(status__in=(JobStatus.FAILED, JobStatus.LOST), finished_at__gte=since)
    return [
        Notice(
            f"{job.pk}.{job.attempt}",
            f"{kind_label(job)}, {job.subject or 'no subject'}: {job.error or job.get_status_display()}",
            "job",
            (job.pk,),
        )
        for job in jobs.exclude(kind="send_notices").order_by("pk")
    ]
