"""The Celery app. It carries nudges ("look at job 7, attempt 1"), no work and no results: the Job row is the queue."""

from __future__ import annotations

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")

from django.conf import settings

TRANSPORT_ALIASES["tesafiles"] = "tesa_site.filesystem_broker:Transport"
app = Celery("tesa")
app.conf.update(
    broker_url=settings.REDIS_URL or "tesafiles://localhost",
    broker_connection_retry_on_startup=True,
    # A page that starts a job must not hang on a dead broker: the sweep nudges again.
    task_publish_retry=False,
    task_ignore_result=True,
    task_default_queue="default",
    task_create_missing_queues=True,
    worker_prefetch_multiplier=1,  # a long job must not sit on another one's nudge
    worker_enable_remote_control=False,  # on the file-system broker its replies pile up for ever
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    timezone=settings.TIME_ZONE,
)
if settings.REDIS_URL:
    app.conf.broker_transport_options = {
        "socket_connect_timeout": 2,
        "socket_timeout": 30,
        "global_keyprefix": "tesa:",
    }
else:
    app.conf.broker_transport_options = {
        "data_folder_in": str(settings.BROKER_DIR / "messages"),
        "data_folder_out": str(settings.BROKER_DIR / "messages"),
        "control_folder": str(settings.BROKER_DIR / "control"),
        "store_processed": False,
        "polling_interval": 0.1,  # the default asks once a second
    }
app.autodiscover_tasks(["tesa_site.kernel"], related_name="jobs")
