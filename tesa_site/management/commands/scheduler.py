from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import close_old_connections

from annotation.services import assigning, people_checks
from annotation.services.market import following
from kernel import jobs
from kernel.clock import now
from kernel.databases import patience
from kernel.jobs import running
from kernel.models import Job
from kernel.services import heartbeats
from kernel.services import jobs as services
from marketplace.services import settling
from tesa_site import notices

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = (
        "Every few seconds: sweep lost jobs, send lost nudges again, return expired tasks, settle the marketplace, "
        "start quality checks of open campaigns, the daily clean-up and e-mail notices. Needs no worker for the sweep."
    )
    requires_system_checks = []  # they load every page of the site: 40 MB that the scheduler does not need

    def handle(self, **options: Any) -> None:
        stopping = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopping.set())
        name = f"scheduler {running.worker_name()}"
        beat: Callable[[], object] = partial(heartbeats.beat_worker, name, ["scheduler"])
        last = now()  # when it last paused
        while not stopping.is_set():
            # After a gap (a laptop that slept), workers get one round for a heartbeat before their jobs count as lost.
            has_slept = now() - last > timedelta(seconds=settings.LOST_AFTER_SECONDS)
            for step in (beat, *STEPS):
                if step is not jobs.sweep or not has_slept:
                    carry_out(step)
            last = now()
            stopping.wait(settings.SWEEP_SECONDS)
        heartbeats.forget_worker(name)


def carry_out(step: Callable[[], object]) -> None:
    """Do one step of a round. If the database keeps it waiting, or fails, the others come all the same."""
    try:
        with patience.at_most(patience.ROUND_SECONDS):
            close_old_connections()
            step()
    except Exception:  # a database that is briefly unavailable must not end the scheduler
        logger.exception("a step of the scheduler failed: %s", getattr(step, "__qualname__", "heartbeat"))


def return_tasks() -> None:
    """Return expired tasks to the pool, even if nobody asks for one."""
    while assigning.expire_turns() == assigning.EXPIRE_CHUNK:
        pass


def start_due_jobs() -> None:
    """Start the due quality checks of open campaigns, then the due jobs that keep them in step with a marketplace."""
    for start_due in (people_checks.start_due, following.start_due):
        for job in start_due():
            jobs.nudge(job)


def start_daily_clean_up() -> None:
    if not Job.objects.filter(kind="clean_up", created_at__gt=now() - timedelta(hours=23)).exists():
        jobs.nudge(services.create_job("clean_up", subject="daily"))


STEPS: tuple[Callable[[], object], ...] = (
    jobs.sweep,
    return_tasks,
    settling.sweep,
    start_due_jobs,
    start_daily_clean_up,
    notices.start_sending,
)
