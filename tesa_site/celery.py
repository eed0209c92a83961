"""The Celery app. It sends nudges ("look at job 7, attempt 1"), no work and no results: the Job row is the queue."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")

from django.conf import settings

TRANSPORT_ALIASES["tesafiles"] = "tesa_site.filesystem_broker:Transport"
PUBLISH_SECONDS = 2  # a page that starts a job must not wait for a frozen Redis
READ_SECONDS = 30
PUBLISHING = {"socket_timeout": PUBLISH_SECONDS, "health_check_interval": 0, "max_retries": 0}  # one try, one wait


class TesaCelery(Celery):
    def connection_for_write(self, url: str | None = None, **options: Any) -> Any:
        """Return a connection for publishing, which gives up sooner than one that receives messages."""
        if settings.REDIS_URL:
            options.setdefault("transport_options", PUBLISHING)
        return super().connection_for_write(url, **options)


app = TesaCelery("tesa")
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
        "socket_connect_timeout": PUBLISH_SECONDS,
        "socket_timeout": READ_SECONDS,
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
app.autodiscover_tasks(["kernel"], related_name="jobs")
