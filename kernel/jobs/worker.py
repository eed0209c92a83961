"""Hooks of a Celery worker: it sends heartbeats, and requeues its job when it is stopped."""

from __future__ import annotations

import logging
import os
import resource
import sys
import threading
from contextlib import nullcontext
from typing import Any

from celery import signals
from celery.worker import state
from django.conf import settings
from django.db import close_old_connections, connection
from django.utils.module_loading import import_string

from kernel import selectors
from kernel.databases import patience
from kernel.jobs import running
from kernel.services import heartbeats
from kernel.services import jobs as services

logger = logging.getLogger(__name__)
_stopping = threading.Event()
_putting_back: list[threading.Thread] = []


def is_stopping() -> bool:
    """Return whether this worker is being stopped: a job that it receives now is left to the next worker."""
    return _stopping.is_set()


@signals.worker_ready.connect
def start_heartbeat(sender: Any, **_: Any) -> None:
    running.set_idle(True)
    queues = [str(name) for name in sender.app.amqp.queues.consume_from]
    threading.Thread(target=_beat_until_stopped, args=(queues,), name="worker-heartbeat", daemon=True).start()


def _look_around(queues: list[str], facts: dict[str, Any]) -> None:
    """Keep what is known of this machine up to date. In a thread of its own: hashing weights takes minutes."""
    while not _stopping.is_set():
        try:
            facts |= import_string(settings.TESA_WORKER_FACTS)(queues)
        except Exception:  # a folder that cannot be read must not end the worker
            logger.exception("facts about this machine not read")
        _stopping.wait(settings.FACTS_SECONDS)


def _beat_until_stopped(queues: list[str]) -> None:
    facts: dict[str, Any] = {}
    threading.Thread(target=_look_around, args=(queues, facts), name="worker-facts", daemon=True).start()
    while not _stopping.is_set():
        try:
            with patience.at_most(patience.ROUND_SECONDS):
                close_old_connections()
                heartbeats.beat_worker(running.worker_name(), queues, facts)
                end_if_stuck(queues)
        except Exception:  # a database that is briefly unavailable must not end the heartbeat
            logger.exception("worker heartbeat not written")
        _stopping.wait(settings.HEARTBEAT_SECONDS)


def end_if_stuck(queues: list[str]) -> None:
    """End this process, which is then started again, if it has taken no job for long although one waits for it."""
    if running.idle_seconds() < selectors.OVERDUE_SECONDS or not _could_take_a_job(queues):
        return
    logger.error("this worker takes no job although one waits: ending it, so that another one starts")
    heartbeats.forget_worker(running.worker_name())
    _end()


def _could_take_a_job(queues: list[str]) -> bool:
    """Return whether a job waits in these queues for nothing but a worker: what it needs alone is free."""
    for name in selectors.overdue_jobs(queues).order_by().values_list("kind", flat=True).distinct():
        reserve = selectors.job_kinds()[name].reserve if name in selectors.job_kinds() else None
        with reserve() if reserve else nullcontext(True) as is_free:
            if is_free:
                return True
    return False


def _end() -> None:
    os._exit(1)  # its main thread may be stuck for good


@signals.worker_shutting_down.connect
def put_work_back(**_: Any) -> None:
    """Requeue the running job: its next report() stops it here, and the next worker starts it again."""
    _stopping.set()
    # The signal interrupts the main thread, perhaps in a transaction of the job: a thread waits for its end.
    thread = threading.Thread(target=_put_back, name="put-work-back", daemon=True)
    _putting_back.append(thread)
    thread.start()


def _put_back() -> None:
    try:
        if count := services.put_back_jobs(running.worker_name()):
            logger.warning("worker stopped: %s running jobs put back in the queue", count)
    except Exception:
        logger.exception("jobs not put back: the sweep will find them")
    finally:
        connection.close()


def sign_off() -> None:
    """Say that this worker has ended."""
    _stopping.set()
    for thread in _putting_back:
        thread.join()
    try:
        heartbeats.forget_worker(running.worker_name())
    except Exception:
        logger.exception("worker not signed off: its heartbeat expires")


def end_if_large() -> None:
    """End this process after its job if that made it large: Python gives such memory back to nobody.

    Another one is forked, and loads spaCy or numpy again only if its next job needs them.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    if megabytes > settings.WORKER_MEMORY_MB:
        state.should_stop = 0  # type: ignore[assignment]  # the exit code, with which Celery's loop ends
