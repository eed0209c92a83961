from __future__ import annotations

import time
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from kernel import jobs, selectors
from kernel.management.running import TesaCommand
from kernel.models import Job
from kernel.services import jobs as services
from kernel.services.jobs import MOST_SECONDS
from kernel.values import whole_number


def _seconds(typed: str) -> int:
    seconds = whole_number(typed)
    if seconds is None or not 1 <= seconds <= MOST_SECONDS:
        raise ArgumentTypeError(f"must be a whole number from 1 to {MOST_SECONDS}, not {typed[:20]}")
    return seconds


class Command(TesaCommand):
    help = "List jobs, watch one with a progress bar, cancel or retry one, or check a worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        listing = actions.add_parser("list", help="the newest jobs")
        listing.add_argument("--status", default="")
        for name in ("watch", "cancel", "retry"):
            actions.add_parser(name).add_argument("job", type=int)
        check = actions.add_parser("check", help="start a check of the worker that serves a queue, and watch it")
        check.add_argument("--queue", default="default", choices=settings.QUEUES)
        check.add_argument("--seconds", type=_seconds, default=10, help="1 to 600")

    def handle(self, *, action: str, **options: Any) -> None:
        try:
            if action == "list":
                self.list(options["status"])
            elif action == "check":
                job = services.start_check(queue=options["queue"], seconds=options["seconds"], by=None)
                jobs.nudge(job)
                self.watch(job.pk)
            else:
                getattr(self, action)(options["job"])
        except Job.DoesNotExist:
            raise CommandError(f"there is no job {options['job']}") from None

    def list(self, status: str) -> None:
        table = Table("id", "kind", "subject", "status", "attempt", "progress", "result")
        for job in selectors.jobs(status=status)[:25]:
            progress = f"{job.percent} %" if job.percent is not None else str(job.done or "")
            table.add_row(
                str(job.pk), job.kind, job.subject, job.status, str(job.attempt), progress, job.result or job.error
            )
        Console().print(table)

    def cancel(self, job_id: int) -> None:
        job = services.cancel_job(job_id, by=None)
        self.stdout.write(f"job {job_id}: {'asked to stop' if job.is_open else job.status}")

    def retry(self, job_id: int) -> None:
        jobs.nudge(services.retry_job(job_id, by=None))
        self.stdout.write(f"job {job_id}: queued again")

    def watch(self, job_id: int) -> None:
        """Show the job's progress bar until it ends; Ctrl-C stops watching, not the job."""
        job = Job.objects.get(pk=job_id)
        if selectors.queues_without_worker([job.queue]) and job.is_open:
            self.stderr.write(f"no worker serves the queue {job.queue!r}: the job waits until one starts")
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[step]}"),
        )
        with Progress(*columns, console=Console(stderr=True)) as bars:
            bar = bars.add_task(f"job {job_id}", total=job.total, step=job.status)
            while True:
                bars.update(bar, completed=job.done, total=job.total, step=job.step or job.status)
                if not job.is_open:
                    break
                time.sleep(0.5)
                job.refresh_from_db()
        self.stdout.write(f"job {job_id}: {job.status}. {job.result or job.error}")
