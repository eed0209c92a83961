"""Hooks of a Celery worker: it sends heartbeats, and requeues its jobs when it is stopped."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import threading
from typing import Any

from celery import signals
from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string

from tesa_site.kernel.jobs import running
from tesa_site.kernel.services import heartbeats
from tesa_site.kernel.services import jobs as services

logger = logging.getLogger(__name__)
_stopped = threading.Event()
_stopping = multiprocessing.get_context("fork").Event()  # the pool's processes inherit it


def is_stopping() -> bool:
    """Return whether this worker is being stopped: jobs that its pool receives now are left to the next worker."""
    return _stopping.is_set()


@signals.celeryd_init.connect
def name_this_worker(**_: Any) -> None:
    """Set the name before the pool forks, so that jobs carry the name of the process that people see and stop."""
    os.environ.pop(running.WORKER_NAME_VARIABLE, None)
    os.environ[running.WORKER_NAME_VARIABLE] = running.worker_name()


@signals.worker_before_create_process.connect
def freeze_memory(**_: Any) -> None:
    """Keep the pool's garbage collectors off the objects loaded here: memory pages nobody writes to stay shared."""
    gc.collect()
    gc.freeze()


@signals.worker_ready.connect
def start_heartbeat(sender: Any, **_: Any) -> None:
    queues = [str(name) for name in sender.app.amqp.queues.consume_from]
    threading.Thread(target=_beat_until_stopped, args=(queues,), name="worker-heartbeat", daemon=True).start()


def _look_around(queues: list[str], facts: dict[str, Any]) -> None:
    """Keep what is known of this machine up to date. In a thread of its own: hashing weights takes minutes."""
    while not _stopped.is_set():
        try:
            facts |= import_string(settings.TESA_WORKER_FACTS)(queues)
        except Exception:  # a folder that cannot be read must not end the worker
            logger.exception("facts about this machine not read")
        _stopped.wait(settings.FACTS_SECONDS)


def _beat_until_stopped(queues: list[str]) -> None:
    facts: dict[str, Any] = {}
    threading.Thread(target=_look_around, args=(queues, facts), name="worker-facts", daemon=True).start()
    while not _stopped.is_set():
        try:
            heartbeats.beat_worker(running.worker_name(), queues, facts)
        except Exception:  # a database that is briefly unavailable must not end the heartbeat
            logger.exception("worker heartbeat not written")
        finally:
            connection.close()  # the pool may fork again: no open connection in a thread
        _stopped.wait(settings.HEARTBEAT_SECONDS)


@signals.worker_shutting_down.connect
def put_work_back(**_: Any) -> None:
    """Requeue running jobs: their next report() stops them here, and the next worker starts them again."""
    _stopped.set()
    _stopping.set()
    # The signal arrives inside a signal handler of the main thread: do the database work elsewhere.
    thread = threading.Thread(target=_put_back, name="put-work-back")
    thread.start()
    thread.join(timeout=10)


def _put_back() -> None:
    try:
        name = running.worker_name()
        if count := services.put_back_jobs(name):
            logger.warning("worker stopped: %s running jobs put back in the queue", count)
        heartbeats.forget_worker(name)
    except Exception:
        logger.exception("jobs not put back: the sweep will find them")
    finally:
        connection.close()
